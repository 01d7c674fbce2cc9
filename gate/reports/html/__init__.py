"""The report as one page: nothing is fetched, no script runs, and it prints."""

from importlib.util import find_spec

from gate.decision import Decision
from gate.errors import UsageError

NEEDS = "matplotlib"


def render(decision: Decision) -> str:
    """Write a decision as a page that stands alone, the same bytes wherever it is made.

    Raises:
        UsageError: If the package that draws the pictures is not installed.
    """
    if find_spec(NEEDS) is None:
        raise UsageError(
            f"the html report draws with {NEEDS}, which is not installed",
            next_step="Install it with: pip install 'checkpoint-gate[html]'",
        )
    from gate.reports.html.page import page  # matplotlib is loaded only where it draws

    return page(decision)
