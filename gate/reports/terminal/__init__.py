"""The report for people at a terminal, and for logs."""

from gate.decision import Decision

NARROWEST = 64
_ASCII = str.maketrans("├┤─●┃┊┼…→", "[]-o|:+~>")


def render(
    decision: Decision, width: int = 80, color: bool = False, ascii_only: bool = False
) -> str:
    """Print a decision as text, the same at any terminal.

    Args:
        decision: What to print.
        width: The number of columns.
        color: Whether to add ANSI colors.
        ascii_only: For terminals and logs that cannot show the characters of the bars.
    """
    from gate.reports.terminal.page import page  # rich is loaded only where it prints

    text = page(decision, max(width, NARROWEST), color)
    if not ascii_only:
        return text
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode()
