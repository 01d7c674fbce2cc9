"""`gate agree`: how far a judge agrees with people, or with another judge."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.config import config
from gate.cli.new_files import refuse_existing, write_all
from gate.cli.pairs import split_pairs
from gate.cli.printing import print_text
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.agree.labels import Declared
    from gate.agree.measure import Ties
    from gate.agree.verdicts import Verdicts

LABEL_FORM = "LABEL=MEANING, as 1=unsafe"
EXAMPLES = """\b
Examples:
  gate agree runs/v1 --suite xstest --labels xstest.csv
      --annotator annotation_1 --annotator annotation_2
  gate agree runs/v1 --suite harmbench --labels validation.json
      --column id=#key --column test_case=#item --annotator human_0
      --annotator human_1 --annotator human_2 --label 1=unsafe --label 0=safe
      --out judge-agreement.json
  gate agree runs/judged-by-a runs/judged-by-b --suite harmbench

\b
A policy then names the file that --out wrote, and a check holds it to floors:
  suites: {harmbench: {agreement: {file: judge-agreement.json, sha256: ...}}}
  checks:
    - {id: judge, check: judge-agreement, suite: harmbench, floor: 0.85}

\b
Exit codes: 0 done, 2 usage, 4 a run, a label file or a label cannot be used."""


@click.command(epilog=EXAMPLES)
@config
@click.argument("run", metavar="RUN")
@click.argument("other", metavar="[RUN2]", required=False)
@click.option("--suite", metavar="NAME", help="The suite, where the run has several.")
@click.option("--labels", metavar="FILE", help="People's labels: CSV, JSON, JSON Lines, Parquet.")
@click.option(
    "--annotator",
    "annotators",
    multiple=True,
    metavar="COLUMN",
    help="A column of labels; several make a majority. `label` by default.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="OURS=COLUMN",
    help="Which column is `id`, `method`, `test_case`; in a JSON object of lists `#key` is the "
    "key, and `#item` the place in its list.",
)
@click.option(
    "--label",
    "meanings",
    multiple=True,
    metavar="LABEL=MEANING",
    help="What a label means: safe, unsafe; in refusal suites none, partial, full; or null.",
)
@click.option("--id-prefix", metavar="TEXT", help="Stripped from ids; the suite's own by default.")
@click.option("--encoding", default="utf-8", show_default=True, help="Of the label file.")
@click.option(
    "--ties",
    type=click.Choice(["against", "leave-out", "positive", "negative"]),
    default="against",
    show_default=True,
    help="What it means where as many people say one as the other; `against` the judge.",
)
@click.option("--full-only", is_flag=True, help="Partial refusals are no refusals.")
@click.option(
    "--by", "column", metavar="COLUMN", help="The categories; the suite's own by default."
)
@click.option("--out", metavar="FILE", help="Write the measured agreement that a policy may name.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def command(
    run: str,
    other: str | None,
    suite: str | None,
    labels: str | None,
    annotators: Sequence[str],
    columns: Sequence[str],
    meanings: Sequence[str],
    id_prefix: str | None,
    encoding: str,
    ties: "Ties",
    full_only: bool,
    column: str | None,
    out: str | None,
    force: bool,
    form: str,
) -> int:
    """Tell how far a judge agrees with people, or with another judge.

    With --labels the verdicts of RUN are held against people's: agreement, sensitivity and
    specificity with bounds and by category, Cohen's kappa, Krippendorff's alpha, and the ids on
    which the judge is wrong. With a second run, two judges of the same completions are held
    against each other.

    A tie among people, and a verdict that the judge did not give, count against the judge unless
    --ties says otherwise of ties. Lists ids and categories, never text.
    """
    from gate.agree.labels import Declared
    from gate.agree.verdicts import load_verdicts, positives

    twice = next((name for name in annotators if annotators.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"--annotator {twice!r} is given twice: one person has one vote",
            next_step="Name each column of labels once.",
        )
    if (labels is None) == (other is None):
        raise UsageError(
            "one thing to hold the judge against is needed",
            next_step="Give people's labels with --labels FILE, or a second run.",
        )
    verdicts = load_verdicts(run, suite, column)
    if labels is None:
        if out:
            raise UsageError("--out needs people's labels: a judge does not measure another")
        return _between(verdicts, str(other), column, form, full_only=full_only)
    if out:
        refuse_existing([Path(out)], force=force)
    declared = Declared(
        path=labels,
        annotators=tuple(annotators) or ("label",),
        columns=split_pairs(columns, "--column", "OURS=COLUMN, as id=name"),
        labels={
            label: None if meaning == "null" else meaning
            for label, meaning in split_pairs(meanings, "--label", LABEL_FORM).items()
        },
        id_prefix=id_prefix or verdicts.declared.id_prefix,
        encoding=encoding,
    )
    counted = positives(verdicts.kind, full_only=full_only)
    return _with_people(verdicts, declared, counted, ties, out, form)


def _with_people(
    verdicts: "Verdicts",
    declared: "Declared",
    counted: frozenset[str],
    ties: "Ties",
    out: str | None,
    form: str,
) -> int:
    from gate.agree.document import agreement_file, with_people
    from gate.agree.labels import need_some, read_labels
    from gate.agree.measure import hold
    from gate.agree.text import people_text
    from gate.evidence.agreement_file import dump

    labels = read_labels(declared, verdicts.kind, verdicts.methods)
    need_some(labels, declared.path)
    agreement = hold(verdicts, labels, counted, ties)
    found = with_people(verdicts, agreement, labels.annotators, ties)
    print_text(_json(found.model_dump(by_alias=True)) if form == "json" else people_text(found))
    if out:
        text = dump(
            agreement_file(
                verdicts,
                agreement,
                annotators=len(labels.annotators),
                ties=ties,
                labels_sha256=labels.sha256,
            )
        )
        write_all({Path(out): text})
        digest = hashlib.sha256(text.encode()).hexdigest()
        named = f"agreement: {{file: {Path(out).name}, sha256: {digest}}}"
        click.echo(f"wrote {out}; beside it, in a policy:", err=True)
        click.echo(f"  suites: {{{verdicts.suite}: {{{named}}}}}", err=True)
    return 0


def _between(
    verdicts: "Verdicts", other: str, column: str | None, form: str, *, full_only: bool
) -> int:
    from gate.agree.between import compare_judges
    from gate.agree.document import between_judges
    from gate.agree.text import judges_text
    from gate.agree.verdicts import load_verdicts, positives

    theirs = load_verdicts(other, verdicts.suite, column)
    counted = positives(verdicts.kind, full_only=full_only)
    found = between_judges(verdicts, theirs, compare_judges(verdicts, theirs, counted))
    print_text(_json(found.model_dump(by_alias=True)) if form == "json" else judges_text(found))
    if verdicts.checkpoint != theirs.checkpoint:
        click.echo("warning: the runs are of two checkpoints, not two judges of one", err=True)
    return 0


def _json(document: dict[str, object]) -> str:
    from gate.reports.rounding import rounded

    return json.dumps(rounded(document), indent=2, sort_keys=True) + "\n"
