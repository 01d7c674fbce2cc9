"""The tables of judges and engines are complete, and nothing heavy is imported before it runs."""

import importlib.util
import subprocess
import sys

from gate.judge.engines import ENGINES
from gate.judge.judges import JUDGES

HEAVY = ("torch", "transformers", "tokenizers", "huggingface_hub", "ray", "vllm", "spacy", "httpx")


def test_every_row_has_a_module() -> None:
    """One judge or engine a file."""
    for name, module in {**JUDGES, **ENGINES}.items():
        assert module.rpartition(".")[2] == name.replace("-", "_")
        assert importlib.util.find_spec(module) is not None


def test_nothing_heavy_is_imported_before_it_runs() -> None:
    """Neither by the commands, nor by the modules of judges and engines."""
    modules = [
        *JUDGES.values(), *ENGINES.values(), "gate.judge.work", "gate.judge.merging",
        "gate.cli.judge", "gate.cli.merge", "gate.cli.check", "gate.cli.status",
        "gate.inventory.cost",
    ]  # fmt: skip
    code = (
        f"import importlib, sys; [importlib.import_module(m) for m in {modules!r}]; "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
