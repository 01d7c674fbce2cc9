"""Write the runs of every example anew, byte for byte: `python examples/make_examples.py [INTO]`.

Needs Python alone. It writes baseline/, candidate/ and anchor/, and the quickstart's copy of the
shipped release policy; policy.yaml and expected.yaml of the others are written by hand.
"""

import sys
from pathlib import Path

from scenarios import SCENARIOS

HERE = Path(__file__).parent
RELEASE = HERE.parent / "policies" / "release.yaml"


def write_all(into: Path) -> None:
    """Write every example below a directory."""
    for name, make in SCENARIOS.items():
        for role, run in make().items():
            for path, text in run.files().items():
                target = into / name / role / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8", newline="\n")
    (into / "quickstart" / "policy.yaml").write_bytes(RELEASE.read_bytes())


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
