"""Small words of the page."""


def signed(limit: str) -> str:
    """Write a limit with the sign that people use: `≤ 5.5 pt`."""
    return limit.replace("<=", "≤").replace(">=", "≥")


def count(number: int, one: str, more: str) -> str:
    """Count something, as `1 row` and `2 rows`."""
    return f"{number} {one if number == 1 else more}"
