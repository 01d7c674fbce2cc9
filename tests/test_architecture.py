"""Who may import whom, and what deciding never loads."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import gate
from gate.checks import CHECKS
from gate.cli.main import COMMANDS
from gate.evidence.readers import READERS
from gate.reports import FORMATS

ROOT = Path(gate.__file__).parent
CONTRIBUTING = ROOT.parent / ".github" / "CONTRIBUTING.md"
VALUES = {
    *("errors", "reasons", "finding", "ledger", "lineage", "suggestions"),
    *("yaml_lines", "yaml_places", "yaml_wording"),
}
"""What every package but `stats` may import."""

DECIDING = {"evidence", "checks", "policy", "decision"}
MAY_IMPORT: Mapping[str, set[str]] = {
    "stats": set(),
    "evidence": VALUES,
    "checks": VALUES | {"evidence", "stats"},
    "policy": VALUES | DECIDING,
    "reports": VALUES | {"decision"},
    "judge": VALUES | {"evidence", "yaml_text"},
    "generate": VALUES | {"evidence", "judge", "adopt", "yaml_text"},
    "trail": VALUES | DECIDING | {"evaluate", "leave_out", "reports", "stats"},
    "comment": VALUES | {"decision", "reports"},
    "explain": VALUES | DECIDING | {"reports", "trail.failure"},
    "governance": VALUES | DECIDING | {"reports"},
    "diff": VALUES | DECIDING | {"reports", "overview"},
    "agree": VALUES | DECIDING | {"reports", "overview", "stats", "diff"},
    "inventory": VALUES | DECIDING | {"reports", "judge", "durations"},
    "plan": VALUES | DECIDING | {"reports", "stats", "evaluate", "yaml_text"},
    "lint": VALUES | DECIDING | {"reports", "stats", "plan"},
    "adopt": VALUES | {"evidence", "reports", "yaml_text"},
    "starter": VALUES | {"evidence", "checks", "stats", "yaml_text"},
}
"""By package: what else of gate it may import, also within functions; `cli` may import all."""

DECIDES_WITH = {
    *VALUES,
    *("evaluate", "circumstances", "overview", "rises", "decision"),
    *("policy", "checks", "evidence", "stats"),
}
"""What deciding may rest on, however far down."""
HEAVY = (
    *("torch", "transformers", "pandas", "scipy.stats", "pyarrow", "rich.markdown"),
    *("sigstore", "securesystemslib", "cryptography"),
)


def modules(package: str = "") -> Iterator[Path]:
    """Find the modules of one package."""
    yield from sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Find every module that a file imports, anywhere in it, as `gate.checks.check`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def is_module(name: str) -> bool:
    """Tell whether a dotted name is a module of gate, and not something in one."""
    path = ROOT.parent.joinpath(*name.split("."))
    return name.startswith("gate.") and (path.is_dir() or path.with_suffix(".py").is_file())


def own_imports(path: Path) -> set[str]:
    """Find what a file imports of gate, without the first word; its version belongs to nobody."""
    names = (name.partition(".") for name in imports(path))
    return {rest for first, _, rest in names if first == "gate" and rest}


def top(name: str) -> str:
    """Give the package or top module that a module of gate belongs to."""
    return name.split(".")[0]


def graph() -> dict[str, set[str]]:
    """Give what each package and top module of gate imports of the others."""
    found: dict[str, set[str]] = {}
    for path in modules():
        mine = path.relative_to(ROOT).with_suffix("").parts[0]
        found.setdefault(mine, set()).update(map(top, own_imports(path)))
    return {name: others - {name} for name, others in found.items()}


def within(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    """Find everything that a package rests on, however far down."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = edges.get(ahead.pop(), set()) - found
        found |= new
        ahead += new
    return found


def test_every_package_has_its_rule() -> None:
    """No package is left out of the table of who may import whom."""
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == {*MAY_IMPORT, "cli"}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_down(package: str) -> None:
    """A package imports only what the layout lets it."""
    allowed = MAY_IMPORT[package] | {package}
    wrong = [
        f"{path.relative_to(ROOT)} imports gate.{name}"
        for path in modules(package)
        for name in own_imports(path)
        if not any(name == one or name.startswith(f"{one}.") for one in allowed)
    ]
    assert wrong == []


def test_no_packages_import_each_other_in_a_circle() -> None:
    """Nothing rests on itself, not even by an import within a function."""
    edges = graph()
    assert [name for name in edges if name in within(name, edges)] == []


def test_deciding_rests_on_nothing_of_the_other_commands() -> None:
    """What judges, generates, remembers or plans is built on deciding, and never below it."""
    assert within("evaluate", graph()) <= DECIDES_WITH


def test_only_the_judge_names_torch() -> None:
    """No other package imports torch or transformers, not even within a function."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules()
        for name in imports(path)
        if top(name) in ("torch", "transformers") and path.relative_to(ROOT).parts[0] != "judge"
    ]
    assert wrong == []


def test_the_layout_for_contributors_is_whole() -> None:
    """CONTRIBUTING names every package and every top module, and none that is not there."""
    text = CONTRIBUTING.read_text(encoding="utf-8").partition("## The layout")[2]
    layout = text.split("```")[1].partition("\npolicies/")[0]
    named = set(re.findall(r"(?<![\w/.])(\w+)(?=/|\.py\b)", layout))
    there = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    there |= {path.stem for path in ROOT.glob("[!_]*.py")}
    folders = {path.name for path in ROOT.glob("*/*") if path.is_dir()}
    assert there - named == set()
    assert named - there - folders == {"gate", "main"}


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
