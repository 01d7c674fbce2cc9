"""Which prompts go through the weights together."""

from collections.abc import Iterator, Sequence


def by_length(
    sizes: Sequence[int],
    budget: int,
    *,
    most: int = 1024,
    enough: int | None = None,
    padding: int | None = None,
) -> Iterator[list[int]]:
    """Group prompts of similar length, the longest first.

    Args:
        sizes: Tokens of each prompt, with all that will be generated.
        budget: The most tokens in one group, padding counted; a longer prompt goes alone.
        most: The most prompts in one group.
        enough: Tokens that keep the device busy by themselves: so long a prompt goes alone.
        padding: The most tokens of padding in one group; by default only the budget counts.

    Yields:
        Positions in `sizes`, each once.
    """
    group: list[int] = []
    longest = padded = 0
    for position in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
        padded += longest - sizes[position]
        full = longest * (len(group) + 1) > budget or len(group) == most
        full = full or (enough is not None and longest >= enough)
        if group and (full or (padding is not None and padded > padding)):
            yield group
            group = []
        if not group:
            longest, padded = sizes[position], 0
        group.append(position)
    if group:
        yield group
