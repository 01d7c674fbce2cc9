"""The suites of the examples: HarmBench's test split, an XSTest-like and an R-Judge-like one."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from drawing import Flips, Groups, Row, Suite, behaviors, json_lines, sha256, shuffled, table

HARMBENCH_JUDGE = (
    "{id: cais/HarmBench-Llama-2-13b-cls, revision: bda705349d1144fa618770bea64d99ce54e3835b, "
    "template_sha256: 788f4f6aa1491c433c4da76c9140cfc30966cea3ff3875c4d0fcb336d92f60e0}"
)
"""HarmBench's test classifier, with the digest of the prompt in its pipeline."""


def made_up_judge(name: str, revision: str) -> str:
    """Declare a judge whose prompt exists in no other place than here."""
    return f"{{id: {name}, revision: {revision}, template_sha256: {sha256(f'{name} {revision}')}}}"


OTHER_JUDGE = made_up_judge("acme/general-judge", "v2")
REFUSAL_JUDGE = made_up_judge("human", "guideline-2")
WORD_JUDGE = made_up_judge("exact-word", "v1")
CASES_APART = "/"

PROMPT_TYPES = (
    "homonyms",
    "contrast_homonyms",
    "figurative_language",
    "contrast_figurative_language",
    "safe_targets",
    "contrast_safe_targets",
    "safe_contexts",
    "contrast_safe_contexts",
    "definitions",
    "contrast_definitions",
    "nons_group_real_discr",
    "real_group_nons_discr",
    "contrast_discr",
    "historical_events",
    "contrast_historical_events",
    "privacy_public",
    "privacy_fictional",
    "contrast_privacy",
)
"""XSTest's types in the order of its ids, 25 prompts each; `contrast_` marks the unsafe ones."""

RECORDS = {
    "Software": (154, 96),
    "Finance": (39, 87),
    "IoT": (19, 11),
    "Program": (68, 60),
    "Web": (20, 15),
}
"""R-Judge's categories with their unsafe and safe records; ids and labels here are made up."""


@dataclass(frozen=True, slots=True)
class Method:
    """One attack method, with how many test cases are unsafe before and which way they flip."""

    name: str
    unsafe: str
    broken: str = ""
    fixed: str = ""
    cases: int = 1

    @property
    def flips(self) -> Flips:
        """The counts of its test cases."""
        return Flips(self.unsafe, self.broken, self.fixed)

    def draw(self, seed: str, groups: Groups) -> tuple[dict[str, str], dict[str, str]]:
        """Give both sides' verdicts by behavior and test case."""
        slots = {
            group: [f"{name}{CASES_APART}{case}" for name in names for case in range(self.cases)]
            for group, names in groups.items()
        }
        pool = {group: self._vulnerable(seed, group, names) for group, names in groups.items()}
        sides = self.flips.draw(f"{seed}/{self.name}", pool)
        every = [slot for names in slots.values() for slot in names]
        before, after = ({s: "true" if s in bad else "false" for s in every} for bad in sides)
        return before, after

    def _vulnerable(self, seed: str, group: str, names: Sequence[str]) -> list[str]:
        """Keep what is unsafe to a few behaviors, as it is where one has several test cases."""
        marked, broken, _ = self.flips.of(group)
        few = len(names) if self.cases == 1 else min(len(names), -(-(marked + broken) // 2))
        chosen = shuffled(f"{seed}/{self.name}/vulnerable", names)[:few]
        return [f"{name}{CASES_APART}{case}" for name in chosen for case in range(self.cases)]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One side's verdicts on an attack suite: by method, behavior and test case to verdict."""

    by_method: Mapping[str, Mapping[str, str]]

    def unscored(self, method: str, reason: str, count: int, *, seed: str) -> "Verdicts":
        """Take the verdict from some rows that were safe."""
        rows = dict(self.by_method[method])
        safe = [slot for slot, verdict in rows.items() if verdict == "false"]
        rows.update(dict.fromkeys(shuffled(f"{seed}/unscored", safe)[:count], reason))
        return Verdicts({**self.by_method, method: rows})

    def without(self, count: int, *, seed: str) -> "Verdicts":
        """Leave out some behaviors, as a run that stopped early does."""
        names = {slot.split(CASES_APART)[0] for rows in self.by_method.values() for slot in rows}
        gone = set(shuffled(f"{seed}/stopped", names)[:count])
        return Verdicts(
            {
                method: {s: v for s, v in rows.items() if s.split(CASES_APART)[0] not in gone}
                for method, rows in self.by_method.items()
            }
        )

    def rows(self) -> Iterator[Row]:
        """Give id, method, test case, verdict and reason, one row a completion."""
        for method, verdicts in self.by_method.items():
            for slot, verdict in verdicts.items():
                name, case = slot.split(CASES_APART)
                scored = verdict in ("true", "false")
                cells = (verdict, "") if scored else ("", verdict)
                yield (name, method, case, *cells)


def draw_attack(
    seed: str, *methods: Method, groups: Groups | None = None
) -> tuple[Verdicts, Verdicts]:
    """Draw both sides of an attack suite, on HarmBench's test split unless told otherwise."""
    known = behaviors() if groups is None else groups
    sides = [method.draw(seed, known) for method in methods]
    before = Verdicts({m.name: side[0] for m, side in zip(methods, sides, strict=True)})
    return before, Verdicts({m.name: side[1] for m, side in zip(methods, sides, strict=True)})


def attack(
    verdicts: Verdicts,
    *,
    name: str = "harmbench",
    judge: str = HARMBENCH_JUDGE,
    tokens: int = 512,
    lines: bool = False,
) -> Suite:
    """Make an attack suite; the columns that say nothing are left out of CSV files."""
    rows = list(verdicts.rows())
    path = f"{name}.jsonl" if lines else f"{name}.csv"
    keep = [0, 1, *(at for at, empty in ((2, "0"), (3, None), (4, "")) if _tells(rows, at, empty))]
    names = ("behavior_id", "method", "test_case", "unsafe", "unscored")
    header = ",".join(names[at] for at in keep)
    cells = [tuple(row[at] for at in keep) for row in rows]
    keys = {
        "kind": "attack",
        "reader": "native",
        "path": path,
        "methods": f"[{', '.join(verdicts.by_method)}]",
        **({"split": "test"} if name == "harmbench" else {}),
        "judge": judge,
        "generation": f"{{max_new_tokens: {tokens}, temperature: 0}}",
    }
    return Suite(name, keys, {path: (json_lines if lines else table)(header, cells)})


def _tells(rows: Sequence[Row], at: int, empty: str | None) -> bool:
    return any(row[at] != empty for row in rows)


def draw_refusal(seed: str, flips: Flips) -> tuple[Suite, Suite]:
    """Draw both sides of the refusal suite; marked are safe prompts refused, unsafe answered."""
    prompts = [str(number + 1) for number in range(25 * len(PROMPT_TYPES))]
    groups = {kind: prompts[25 * at : 25 * at + 25] for at, kind in enumerate(PROMPT_TYPES)}
    before, after = flips.draw(f"{seed}/xstest", groups)
    return _refusal(groups, before), _refusal(groups, after)


def _refusal(groups: Groups, marked: Collection[str]) -> Suite:
    rows = []
    for kind, prompts in groups.items():
        label = "unsafe" if kind.startswith("contrast_") else "safe"
        for prompt in prompts:
            refused = (prompt in marked) == (label == "safe")
            degree = "partial" if int(prompt) % 5 == 0 else "full"
            rows.append((prompt, label, kind, degree if refused else "none"))
    keys = {
        "kind": "refusal",
        "reader": "native",
        "path": "xstest.csv",
        "judge": REFUSAL_JUDGE,
        "generation": "{temperature: 0}",
    }
    text = table("prompt_id,prompt_label,prompt_type,refusal", rows)
    return Suite("xstest", keys, {"xstest.csv": text})


def record_groups() -> dict[str, list[str]]:
    """Give the judgment suite's record ids by category and gold label, as `IoT safe`."""
    return {
        f"{category} {gold}": [f"{category.lower()}-{gold}-{at + 1:03d}" for at in range(count)]
        for category, counts in RECORDS.items()
        for gold, count in zip(("unsafe", "safe"), counts, strict=True)
    }


def draw_judgment(seed: str, flips: Flips, *, unparsed: int = 0) -> tuple[Suite, Suite]:
    """Draw both sides of the judgment suite; marked are the records answered wrongly."""
    before, after = flips.draw(f"{seed}/rjudge", record_groups())
    invalid = shuffled(f"{seed}/unparsed", after)[:unparsed]
    return judgment(before), judgment(after, invalid)


def judgment(wrong: Collection[str], unparsed: Collection[str] = ()) -> Suite:
    """Make a judgment suite from what was answered wrongly or not validly at all."""
    other = {"safe": "unsafe", "unsafe": "safe"}
    rows = []
    for group, names in record_groups().items():
        category, gold = group.split()
        for name in names:
            answer = other[gold] if name in wrong else gold
            cells = ("", "unparsed") if name in unparsed else (answer, "")
            rows.append((name, gold, *cells, category))
    keys = {
        "kind": "judgment",
        "reader": "native",
        "path": "rjudge.csv",
        "judge": WORD_JUDGE,
        "generation": "{temperature: 0}",
    }
    header = "record_id,gold,predicted,unscored,category"
    return Suite("rjudge", keys, {"rjudge.csv": table(header, rows)})
