"""How checks write numbers in the sentences of their findings."""

import math
import shlex
from collections.abc import Mapping

WORST_OF = "worst of "
"""How the method of a finding begins that is about several."""


def pt(value: float, *, up: bool = False) -> str:
    """Write a change in percentage points, as `+2.2 pt`; `up` never rounds below the value."""
    if math.isnan(value):
        return "unknown"
    points = 100 * value
    if up:
        points = math.ceil(points * 10 - 1e-7) / 10
    return f"{points + 0.0:+.1f} pt" if round(points, 1) else "0.0 pt"


def margin_pt(value: float, *, up: bool = False) -> str:
    """Write a margin as a policy means it, without a plus sign: `5.5 pt`."""
    return pt(value, up=up).removeprefix("+")


def percent(value: float, *, up: bool = False) -> str:
    """Write a level, as `5.9 %`; `up` never rounds below the value."""
    if math.isnan(value):
        return "unknown"
    share = 100 * value
    if up:
        share = math.ceil(share * 10 - 1e-7) / 10
    return f"{share:.1f} %"


def floor_percent(value: float) -> str:
    """Write a level, never rounded above the value."""
    return f"{math.floor(1000 * value + 1e-7) / 10:.1f} %"


def rows(count: int) -> str:
    """Write `1 row`, `2 rows`."""
    return "1 row" if count == 1 else f"{count} rows"


def listing(suite: str, label: Mapping[str, str], *flags: str, against: str = "baseline") -> str:
    """Write the command that lists what a finding is about; only the runs are left to fill in.

    Args:
        suite: The suite.
        label: The slice, as `{method: DirectRequest, semantic_category: illegal}`.
        flags: What to list, as `--broken`.
        against: The role that the candidate is compared with.
    """
    parts = ["gate diff", f"--baseline {against.upper()} --candidate CANDIDATE"]
    parts.append(f"--suite {shlex.quote(suite)}")
    method = label.get("method", "")
    if method and not method.startswith(WORST_OF):
        parts.append(f"--method {shlex.quote(method)}")
    columns = [name for name in label if name not in ("method", "prompt_label", "axis")]
    parts += [f"--by {shlex.quote(name)}" for name in columns[:1]]
    return f"`{' '.join([*parts, *flags])}`"
