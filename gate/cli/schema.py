"""`gate schema`: the JSON Schema of each file format."""

import json

import click

from gate.cli.printing import print_text

NAMES = (
    *("policy", "run", "decision", "baseline", "verdicts", "agreement", "agree"),
    *("rubric", "labels"),
)

EXAMPLES = """\b
Examples:
  gate schema --list
  gate schema policy > policy.schema.json
  gate schema run > run.schema.json

\b
Editors that know YAML complete and check a policy that starts with
  # yaml-language-server: $schema=policy.schema.json"""


@click.command(epilog=EXAMPLES)
@click.argument("name", metavar="NAME", type=click.Choice(NAMES), required=False)
@click.option("--list", "list_", is_flag=True, help="List the formats that have a schema.")
def command(name: str | None, list_: bool) -> int:
    """Print the JSON Schema of a file format.

    NAME is policy (a policy file), run (run.yaml), decision (what `--report json` writes),
    baseline (what `gate promote` writes), verdicts (a row of a native verdict file, for each kind
    of suite), agreement (what `gate agree --out` writes), agree (what it prints as JSON), rubric or
    labels (a rubric file, and the label specifications, that `gate judge` reads). Draft 2020-12.
    """
    from gate.schemas import SCHEMAS, published

    if list_:
        print_text("\n".join(f"{key:<11}{SCHEMAS[key].description}" for key in SCHEMAS))
        return 0
    if name is None:
        raise click.UsageError(f"Missing argument 'NAME'. Choose from: {', '.join(NAMES)}.")
    print_text(json.dumps(published(name), indent=2, ensure_ascii=False))
    return 0
