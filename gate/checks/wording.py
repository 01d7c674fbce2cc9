"""How checks write numbers in the sentences of their findings."""

import math


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
