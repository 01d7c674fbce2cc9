"""One comment out of the sections of several gates, and the sections out of a comment."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gate.comment import markers
from gate.comment.section import Section, cut
from gate.decision import Verdict
from gate.errors import UsageError
from gate.reports.escape import html_code, markdown_code
from gate.reports.markdown import BUDGET

_ORDER = (Verdict.NONE, Verdict.BLOCK, Verdict.INCONCLUSIVE, Verdict.RELEASE)
_WORDS = {Verdict.NONE: "NO DECISION"}


def compose(sections: Iterable[Section], budget: int = BUDGET) -> str:
    """Write one comment of at most so many bytes.

    GitHub counts characters; there are never more of them than bytes. What does not fit is taken
    from the longest sections first, so that none loses more than another that is longer.

    Raises:
        UsageError: If there are so many gates that not even their names fit.
    """
    ordered = sorted(sections, key=lambda one: (_ORDER.index(one.verdict), one.gate_id))
    frames = [_frame(section, len(ordered) > 1) for section in ordered]
    head = markers.COMMENT + _index(ordered)
    room = budget - _size(head) - sum(_size(before + after) for before, after in frames)
    if room < 0:
        raise UsageError(
            f"the sections of {len(ordered)} gates do not fit into one comment",
            next_step="Give several of them one --gate-id, or use --mode new.",
        )
    shares = fair([_size(section.content) for section in ordered], room)
    contents = [cut(one.content, share) for one, share in zip(ordered, shares, strict=True)]
    joined = zip(frames, contents, strict=True)
    return head + "".join(before + content + after for (before, after), content in joined)


def room_for(own: Section, others: Iterable[Section], budget: int = BUDGET) -> int:
    """Tell how many bytes a gate's section may have beside those of others."""
    sections = [*others, own]
    frames = sum(_size("".join(_frame(one, len(sections) > 1))) for one in sections)
    head = _size(markers.COMMENT + _index(sections))
    return fair([_size(one.content) for one in sections], budget - head - frames)[-1]


def parse(body: str) -> dict[str, Section]:
    """Find the sections of a comment of ours; what is damaged is not found."""
    text = body.replace("\r\n", "\n")
    found: dict[str, Section] = {}
    for match in markers.BEGIN.finditer(text):
        end = text.find(markers.END, match.end())
        inside = text[match.end() : max(end, 0)]
        if end < 0 or markers.BEGIN.search(inside) or match["verdict"] not in list(Verdict):
            continue
        section = Section(
            gate_id=markers.decode(match["gate_id"]),
            verdict=Verdict(match["verdict"]),
            state=match["state"],
            source=match["source"],
            content=inside if markers.PART.match(inside) else "",
        )
        found.setdefault(section.gate_id, section)
    return found


def fair(wanted: Sequence[int], room: int) -> list[int]:
    """Share out room: whoever wants little gets it all, the others get the same."""
    shares = [0] * len(wanted)
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    for done, at in enumerate(order):
        shares[at] = min(wanted[at], max(room, 0) // (len(order) - done))
        room -= shares[at]
    return shares


def _frame(section: Section, titled: bool) -> tuple[str, str]:
    """Write what stands around a section; beside others, one that releases is folded."""
    marker = markers.begin(section.gate_id, section.verdict, section.state, section.source)
    if not titled:
        return marker, markers.END
    if section.verdict is not Verdict.RELEASE:
        return f"\n## Gate {markdown_code(section.gate_id)}\n\n{marker}", markers.END
    title = f"Gate {html_code(section.gate_id)}: {section.verdict.upper()}"
    opening = f"\n<details><summary>{title}</summary>\n\n"
    return f"{opening}{marker}", f"{markers.END}\n</details>\n"


def _index(sections: Sequence[Section]) -> str:
    """Say at the top what all gates say together, where there are several."""
    if len(sections) < 2:
        return ""
    return "".join(_index_lines(sections))


def _index_lines(sections: Sequence[Section]) -> Iterator[str]:
    withheld = [one for one in sections if one.verdict is not Verdict.RELEASE]
    verb = "withholds" if len(withheld) == 1 else "withhold"
    if withheld:
        yield f"### Do not release: {len(withheld)} of {len(sections)} gates {verb} it\n\n"
    else:
        yield f"### Release: all {len(sections)} gates agree\n\n"
    yield "| Gate | Decision |\n|---|---|\n"
    for section in sections:
        word = _WORDS.get(section.verdict, section.verdict.upper())
        strong = word if section.verdict is Verdict.RELEASE else f"**{word}**"
        yield f"| {markdown_code(section.gate_id)} | {strong} |\n"


def merged(bodies: Iterable[str]) -> Mapping[str, Section]:
    """Join the sections of several comments, later ones before earlier ones."""
    joined: dict[str, Section] = {}
    for body in bodies:
        joined |= parse(body)
    return joined


def _size(text: str) -> int:
    return len(text.encode("utf-8"))
