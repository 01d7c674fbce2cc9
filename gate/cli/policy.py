"""`gate policy`: what a change to a policy loosens, and whether it decides as it should."""

from collections.abc import Sequence

import click

from gate.cli.printing import print_text
from gate.cli.progress import progress

DIFF_EXAMPLES = """\b
Examples:
  gate policy diff release policies/us.yaml
  git worktree add ../main origin/main
  gate policy diff ../main/policies/us.yaml policies/us.yaml

\b
Exit codes: 0 nothing got looser, 1 something did, 2 usage or an unusable policy."""

TEST_EXAMPLES = """\b
A case is a directory with runs and an expected.yaml:
  policy: ../../policies/us.yaml    (policy.yaml beside it by default)
  today: 2026-12-01
  decision: block
  findings:
    - {id: direct-request, outcome: block, reason: C_REGRESSION}

\b
Its runs are the directories baseline, candidate and anchor beside it, or named by these keys.
Findings that do not pass must all be named; others may be.

\b
Exit codes: 0 every case came out as expected, 1 one did not, 2 no case, or one that cannot be
read."""


@click.group()
def command() -> None:
    """Compare and test policies."""


@command.command(epilog=DIFF_EXAMPLES)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
def diff(old: str, new: str, form: str) -> int:
    """Say what got looser between two policies.

    OLD and NEW are policy files, URIs or shipped names, each compared with all that it extends.
    What has no known direction counts as looser.
    """
    from gate.governance.forms import FORMS, exit_code
    from gate.policy import load
    from gate.policy.compare import compare

    before, after = load(old), load(new)
    changes = compare(before, after)
    print_text(FORMS[form](before, after, changes))
    return exit_code(changes)


@command.command(epilog=TEST_EXAMPLES)
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
def test(folders: Sequence[str]) -> int:
    """Decide cases and compare with what each expects.

    Every directory with an expected.yaml in or below DIR is a case: its runs are decided by its
    policy as `gate check` decides, and what comes out is compared.
    """
    from gate.cli.check import decide
    from gate.governance.cases import find_cases
    from gate.governance.trial import report, summary, try_case

    tried = []
    for case in find_cases(folders):
        with progress(f"deciding {case.folder}"):
            tried.append(try_case(case, decide))
        print_text("\n".join(report(tried[-1])))
    print_text(summary(tried))
    return int(any(each.differences for each in tried))
