"""How long something takes, in a few words."""


def duration(seconds: float) -> str:
    """Say it short enough for one line: `40 s`, `12 min`, `1.5 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
