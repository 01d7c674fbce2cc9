"""R-Judge's two instructions: never shipped, but taken from the benchmark's own script."""

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import JudgingError

ANALYSIS = "54ce1f3b9682ce374ec7b1e3f494613f9966abf9fb7bbb257e7367fd6781deee"
VERDICT = "8ea2056fb150ad611932552476431b535082e0f4019e48dda24cd87b38fd6bac"
"""sha256 of the two official texts."""

SCRIPT = Path("eval", "safety_judgment.py")
MOST = 4 << 20
RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """What the checkpoint is asked after a record, and after its analysis."""

    analysis: str = field(repr=False)
    verdict: str = field(repr=False)
    told: str
    """Whose they are."""

    @property
    def sha256(self) -> str:
        """Of both texts."""
        return hashlib.sha256(f"{self.analysis}\n---\n{self.verdict}".encode()).hexdigest()


def read_instructions(place: str | None) -> Instructions:
    """Read the instructions; nothing of a script is run.

    Args:
        place: R-Judge's repository or its script; or a text file of the user's own, the two
            instructions with a line `---` between them.

    Raises:
        JudgingError: If they are not there.
    """
    if place is None:
        raise _missing("R-Judge's instructions are its own, and no file with them was named")
    path = Path(place) / SCRIPT if Path(place).is_dir() else Path(place)
    try:
        with path.open("rb") as file:
            text = file.read(MOST).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise _missing(f"{path}: no instructions can be read here: {type(error).__name__}") from (
            error
        )
    known = {_sha256(literal): literal for literal in _literals(text)}
    if ANALYSIS in known and VERDICT in known:
        return Instructions(
            analysis=known[ANALYSIS], verdict=known[VERDICT], told="R-Judge's own, from its script"
        )
    parts = [part.strip() for part in RULE.split(text)]
    if path.suffix == ".py" or len(parts) != 2 or not all(parts):
        raise _missing(f"{path}: does not hold R-Judge's two instructions")
    return Instructions(
        analysis=parts[0], verdict=parts[1], told="not R-Judge's own: the user's file"
    )


def _literals(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _missing(what: str) -> JudgingError:
    return JudgingError(
        what,
        next_step="Name R-Judge's repository (or its eval/safety_judgment.py) with --template; "
        "or a text file with two instructions of your own and a line --- between them.",
    )
