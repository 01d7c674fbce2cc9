"""Prompts of every kind on disk, and `gate generate` over them."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from gate.cli.main import run as gate
from tests.judge import tiny

IDS = tuple(f"b{n:02d}" for n in range(8))
CONTEXTUAL = IDS[3]
SYSTEM = "placeholder system prompt"


def prompts(folder: Path) -> Path:
    """Write the files of three benchmarks, with placeholders for texts."""
    folder.mkdir(parents=True, exist_ok=True)
    tiny.behaviors_csv(folder / "behaviors.csv", IDS, contextual=[CONTEXTUAL])
    cases = {name: [f"describe {name}", f"list {name} {name}"] for name in IDS[:4]}
    (folder / "cases.json").write_text(json.dumps(cases))
    with (folder / "xstest.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "prompt", "type", "label", "focus", "note"])
        for n in range(5):
            kind = "homonyms" if n % 2 else "contrast_homonyms"
            writer.writerow([n, f"garden {n}", kind, "safe" if n % 2 else "unsafe", "", ""])
    for category, first in (("Finance", 0), ("Web", 1000)):
        data = folder / "R-Judge" / "data" / category
        data.mkdir(parents=True)
        contents = [[{"role": "user", "content": "weather"}]]
        records = [
            {"id": first + n, "label": n % 2, "profile": "placeholder agent", "contents": contents}
            for n in range(2)
        ]
        (data / "records.json").write_text(json.dumps(records))
    (folder / "system.txt").write_text(SYSTEM)
    return folder


def generate(run: Path, weights: Path, *args: str, system: str = "none", tokens: int = 8) -> int:
    """Run `gate generate`."""
    fixed = ["--weights", str(weights), "--system-prompt", system, "--max-new-tokens", str(tokens)]
    return gate(["generate", str(run), *fixed, *args])


def everything(folder: Path) -> list[str]:
    """Ask for all suites."""
    return [
        *("--behaviors", str(folder / "behaviors.csv")),
        *("--test-cases", f"HumanJailbreaks={folder / 'cases.json'}"),
        *("--prompts", str(folder / "xstest.csv")),
        *("--records", str(folder / "R-Judge")),
    ]


def direct(folder: Path) -> list[str]:
    """Ask for HarmBench's behaviors alone."""
    return ["--behaviors", str(folder / "behaviors.csv")]


def manifest(run: Path) -> dict[str, Any]:
    """Read run.yaml."""
    found: dict[str, Any] = yaml.safe_load((run / "run.yaml").read_text())
    return found


def written(run: Path) -> dict[str, bytes]:
    """Read every file of a run but the log."""
    files = [path for path in sorted(run.rglob("*")) if path.is_file()]
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in files
        if "generating" not in path.parts
    }


def log(run: Path) -> list[dict[str, Any]]:
    """Read the log of single answers."""
    paths = sorted((run / "generating").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def library(weights: Path, chats: Sequence[Sequence[tuple[str, str]]], tokens: int) -> list[str]:
    """Generate with the library itself, one by one, through the chat template."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(weights)
    loaded: Any = AutoModelForCausalLM.from_pretrained(weights)
    texts = []
    for chat in chats:
        turns = [{"role": role, "content": content} for role, content in chat]
        ids = tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )["input_ids"]
        new = loaded.generate(ids, max_new_tokens=tokens, do_sample=False)[0, ids.shape[1] :]
        texts.append(tokenizer.decode(new, skip_special_tokens=True).strip())
    return texts
