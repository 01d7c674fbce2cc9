"""Who may import whom, and what deciding never loads."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gate
from gate.checks import CHECKS
from gate.cli.main import COMMANDS
from gate.evidence.readers import READERS
from gate.reports import FORMATS

ROOT = Path(gate.__file__).parent
VALUES = {
    "gate",
    "gate.errors",
    "gate.reasons",
    "gate.finding",
    "gate.ledger",
    "gate.lineage",
    "gate.yaml_lines",
    "gate.yaml_places",
    "gate.yaml_wording",
    "gate.suggestions",
}
MAY_IMPORT = {
    "stats": {"gate.stats"},
    "evidence": VALUES | {"gate.evidence"},
    "checks": VALUES | {"gate.checks", "gate.evidence", "gate.stats"},
    "policy": VALUES | {"gate.policy", "gate.checks", "gate.evidence", "gate.decision"},
    "reports": VALUES | {"gate.reports", "gate.decision"},
    "comment": VALUES | {"gate.comment", "gate.decision", "gate.reports"},
    "explain": VALUES
    | {"gate.explain", "gate.decision", "gate.policy", "gate.checks", "gate.evidence"}
    | {"gate.reports", "gate.trail.failure"},
    "trail": VALUES
    | {
        "gate.trail",
        "gate.evaluate",
        "gate.leave_out",
        "gate.decision",
        "gate.policy",
        "gate.checks",
    }
    | {"gate.evidence", "gate.reports", "gate.stats"},
    "governance": VALUES
    | {"gate.governance", "gate.policy", "gate.decision", "gate.evidence", "gate.reports"},
    "agree": VALUES
    | {"gate.agree", "gate.diff", "gate.policy", "gate.evidence", "gate.checks", "gate.stats"}
    | {"gate.reports", "gate.overview"},
    "diff": VALUES
    | {"gate.diff", "gate.policy", "gate.evidence", "gate.checks", "gate.reports"}
    | {"gate.overview"},
}
HEAVY = (
    *("torch", "transformers", "pandas", "scipy.stats", "pyarrow", "rich.markdown"),
    *("sigstore", "securesystemslib", "cryptography"),
)


def modules(package: str) -> Iterator[Path]:
    """Find the modules of one package."""
    yield from sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Find every module of gate that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_down(package: str) -> None:
    """A package imports only what the layout lets it."""
    allowed = MAY_IMPORT[package]
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imports(path)
        if name.split(".")[0] == "gate"
        and not any(name == one or name.startswith(f"{one}.") for one in allowed - {"gate"})
        and name != "gate"
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("package", "table", "others"),
    [
        (
            "checks",
            CHECKS,
            {
                "answers",
                "bounds",
                "floor",
                "change",
                "check",
                "delta",
                "judge_error",
                "level",
                "useful",
                "wording",
            },
        ),
        ("reports", FORMATS, None),
        ("evidence/readers", READERS, None),
    ],
)
def test_every_row_of_a_table_has_a_module(
    package: str, table: dict[str, object], others: set[str] | None
) -> None:
    """A check, report or reader is one file and one row."""
    names = {path.stem if path.is_file() else path.name for path in (ROOT / package).iterdir()}
    names -= {"__init__", "__pycache__"}
    rows = {name.replace("-", "_") for name in table}
    assert rows <= names
    if others is not None:
        assert names - rows == others


def test_every_command_has_a_module_and_a_true_help_line() -> None:
    """The table of commands says what each command's own help says first."""
    import importlib

    for name, line in COMMANDS.items():
        command = importlib.import_module(f"gate.cli.{name}").command
        assert command.help.split("\n")[0].strip() == line, name


def test_modules_are_short() -> None:
    """No module is above 300 lines."""
    long = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in ROOT.rglob("*.py")
    }
    assert {name: lines for name, lines in long.items() if lines > 300} == {}


def test_deciding_loads_nothing_heavy(tmp_path: Path) -> None:
    """A whole decision imports neither torch nor pandas nor scipy.stats."""
    from tests.building import DELTA, attack_rows, write_policy, write_run

    for role in ("baseline", "candidate"):
        write_run(tmp_path / role, attack=attack_rows([1, 2]))
    policy = write_policy(tmp_path / "policy.yaml", DELTA)
    code = (
        "import sys; from gate.cli.main import run; "
        f"assert run(['check', '--policy', {str(policy)!r}, "
        f"'--baseline', {str(tmp_path / 'baseline')!r}, "
        f"'--candidate', {str(tmp_path / 'candidate')!r}]) == 0; "
        f"print('LOADED', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"
