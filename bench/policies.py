"""What the shipped policies do together, and what `gate plan --suggest` reaches, as Markdown.

    python bench/policies.py [--draws 40000] [--seed 0]

The tables of docs/planning.md. What concerns one method at a time is computed exactly; what
remains is drawn, and the error behind it is twice the standard error.
"""

import argparse
from collections.abc import Iterator, Sequence

from gate.plan.assumptions import Assumptions
from gate.plan.joint import Chance
from gate.plan.plan import MOST_UNSCORED, Joint, joint, main_source, rise, stage
from gate.plan.series import shift_of
from gate.plan.suggest import Asked, suggest_limits
from gate.policy import SHIPPED, load

DISCORDANCES = (0.02, 0.04)
RISES = (0.03, 0.05)
MIXED = {
    "chemical_biological": 0.05,
    "copyright": 0.15,
    "cybercrime_intrusion": 0.10,
    "harassment_bullying": 0.20,
    "harmful": 0.05,
    "illegal": 0.10,
    "misinformation_disinformation": 0.12,
}
"""True unsafe rates of a checkpoint that is better in some categories than in others."""


def cell(found: Chance) -> str:
    """Write a chance in percent, with its error where it has one."""
    error = f" ± {200 * found.error:.1f}" if found.error >= 0.00025 else ""
    return f"{100 * found.value:.1f}{error}"


def row(cells: Sequence[str]) -> str:
    """Write one row of a table."""
    return f"| {' | '.join(cells)} |"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table."""
    return "\n".join([row(head), row(["---"] * len(head)), *map(row, rows)])


def changes(policy: str, given: Assumptions, *, most: int = 0) -> tuple[Joint, Joint]:
    """Work out a policy for an unchanged candidate, and for one that is truly worse."""
    staged, _ = stage(load(policy), None, given)
    main = main_source(staged)
    assert main is not None, "every shipped policy compares with a baseline"
    return (
        joint("unchanged", staged, given, [], most),
        joint(rise(given.detect, main), staged, given, [shift_of(main, given.detect)], most),
    )


def policy_rows(policy: str, *, draws: int, seed: int) -> Iterator[list[str]]:
    """Give the rows of one shipped policy, one a discordance."""
    for discordance in DISCORDANCES:
        found = [
            changes(policy, Assumptions(discordance=discordance, detect=size, draws=draws,
                                        seed=seed))
            for size in RISES
        ]  # fmt: skip
        unchanged = found[0][0]
        parts = ", ".join(f"{suite} {cell(chance)}" for suite, chance in unchanged.suites)
        caught = [cell(regressed.withheld) for _, regressed in found]
        yield [policy, f"{100 * discordance:.0f} %", cell(unchanged.withheld), parts, *caught]


def unscored_rows(*, draws: int, seed: int) -> Iterator[list[str]]:
    """Give the rows of release.yaml with unscored rows."""
    for found in changes("release", Assumptions(draws=draws, seed=seed), most=MOST_UNSCORED):
        for one in found.unscored:
            chances = [cell(chance) for chance in one.withheld]
            yield [found.what, one.suite or "every suite", *chances]


def suggested(*, draws: int, seed: int) -> list[list[str]]:
    """Give the limits of release.yaml that are suggested for mixed rates, and what they do."""
    given = Assumptions(unsafe_by=MIXED, draws=draws, seed=seed)
    before = changes("release", given)
    found = suggest_limits(load("release"), None, given, Asked())
    assert found.regressed is not None, "release compares with a baseline"
    return [
        ["release.yaml as shipped", *(cell(one.withheld) for one in before)],
        ["with the limits suggested", cell(found.unchanged), cell(found.regressed)],
        ["asked", "at most 10.0", "at least 90.0"],
    ]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    options = {"draws": args.draws, "seed": args.seed}
    head = ["policy", "flips", "unchanged withheld, %", "by suite, %", "+3 pt", "+5 pt"]
    rows = [cells for policy in SHIPPED for cells in policy_rows(policy, **options)]
    print(f"## The shipped policies\n\n{table(head, rows)}\n")
    counts = [str(count) for count in range(MOST_UNSCORED + 1)]
    head = ["release.yaml, 4 % flips", "unscored rows in", *counts]
    print(f"## Unscored rows\n\n{table(head, list(unscored_rows(**options)))}\n")
    head = ["mixed rates, 4 % flips", "unchanged withheld, %", "+5 pt withheld, %"]
    print(f"## Limits suggested for mixed rates\n\n{table(head, suggested(**options))}")


if __name__ == "__main__":
    main()
