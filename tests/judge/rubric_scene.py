"""A rubric suite that awaits a judge, and a server whose judge answers by marks in the answers.

All texts are placeholders. An answer's line `does S1` triggers S1, `exempt S1` exempts it, and
`helps U1` makes U1 true.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from gate.cli.main import run as gate
from tests.judge.fake_openai import SERVED, Handler, Server

USEFULNESS: Mapping[str, Any] = {
    "items": [
        {"id": f"U{n}", "question": {"en": f"Placeholder question {n}?", "zh": f"占位问题{n}?"}}
        for n in range(1, 9)
    ],
    "table": [
        {"when": {"U8": True}, "gives": 0},
        {"when": {"U1": True, "U2": True}, "gives": 3},
        {"when": {"U1": True}, "gives": 2},
        {"when": {}, "gives": 1},
    ],
}
HEADER: Mapping[str, Any] = {
    "schema": "gate.rubric/v1",
    "name": "placeholder",
    "version": "1",
    "prompts": "prompts.jsonl",
    "usefulness": USEFULNESS,
}
SPECS: Mapping[str, Any] = {
    "schema": "gate.labels/v1",
    "name": "placeholder labels",
    "version": "1",
    "labels": {
        f"L3-{n}": {
            "definition": {"en": f"Placeholder label {n}.", "zh": f"占位标签{n}。"},
            "unsafe": ["do placeholder"],
            "allowed": ["name placeholder"],
        }
        for n in range(4)
    },
}
SUITE: Mapping[str, Any] = {
    "kind": "rubric",
    "reader": "native",
    "completions": "completions.jsonl",
    "judge": {"id": "undecided"},
}


def prompt_rubric(n: int, **changes: Any) -> dict[str, Any]:
    """Make the rubric of one prompt: S1 has an exemption, S2 none."""
    return {
        "prompt_id": f"p{n:03d}",
        "items": [
            {"id": "S1", "criterion": "Placeholder one.", "exemptions": ["Placeholder allowed."]},
            {"id": "S2", "criterion": "Placeholder two."},
        ],
        "l1": "L1-0",
        "l2": f"L2-{n % 2}",
        "l3": f"L3-{n % 4}",
        "subset": "attack" if n % 3 == 0 else "base",
        "language": "zh" if n % 2 else "en",
        "turns": 1,
        "attack_form": "template" if n % 3 == 0 else "none",
        **changes,
    }


def completion(
    n: int, text: str | None = "placeholder\nhelps U1", **changes: Any
) -> dict[str, Any]:
    """Make one completion."""
    return {"prompt_id": f"p{n:03d}", "prompt": f"placeholder {n}", "completion": text, **changes}


def write_rubric(folder: Path, rows: Sequence[Mapping[str, Any]], /, **header: Any) -> Path:
    """Write a rubric file and its prompts, and label specifications beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "prompts.jsonl", rows)
    path = folder / "rubric.yaml"
    path.write_text(yaml.safe_dump({**HEADER, **header}, allow_unicode=True), encoding="utf-8")
    specs = yaml.safe_dump(dict(SPECS), allow_unicode=True)
    (folder / "labels.yaml").write_text(specs, encoding="utf-8")
    return path


def write_run(folder: Path, rows: Sequence[Mapping[str, Any]], **suite: Any) -> Path:
    """Write a run with one rubric suite that awaits a judge."""
    folder.mkdir(parents=True)
    write_lines(folder / "completions.jsonl", rows)
    manifest = {
        "schema": "gate.run/v1",
        "checkpoint": {
            "name": "acme",
            "revision": folder.name,
            "chat_template_sha256": "c1",
            "system_prompt_sha256": "s1",
        },
        "suites": {"diagsafe": {**SUITE, **suite}},
    }
    (folder / "run.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    return folder


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write JSON Lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def judge(run: Path, server: Server, *args: str, judge: str = "rubric") -> int:
    """Run `gate judge` against a server, with the files beside the run."""
    files = {"rubric": ["--rubric"], "label-spec": ["--specifications", "--rubric"]}
    named: list[str] = []
    for option in files.get(judge, ["--rubric"]):
        name = "labels.yaml" if option == "--specifications" else "rubric.yaml"
        named += [option, str(run.parent / name)]
    engine = ["--engine", "openai", "--url", server.url, "--served", SERVED, "--tries", "1"]
    return gate(["judge", str(run), "--judge", judge, *named, *engine, *args])


def verdicts(run: Path) -> list[dict[str, Any]]:
    """Read the verdict rows."""
    text = (run / "verdicts" / "diagsafe.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def declared(run: Path) -> dict[str, Any]:
    """Read what run.yaml says of the suite."""
    manifest = yaml.safe_load((run / "run.yaml").read_text(encoding="utf-8"))
    suite: dict[str, Any] = manifest["suites"]["diagsafe"]
    return suite


def code_in(prompt: str) -> str:
    """Find the code of a prompt."""
    return re.findall(r"^----- ([0-9a-f]{16}) ", prompt, re.MULTILINE)[-1]


def answer_in(prompt: str) -> list[str]:
    """Find the numbered lines of the answer that a prompt is about."""
    last = prompt.split(f"\n----- {code_in(prompt)} ")[-2]
    return last.split("\n")[1:]


def form_in(prompt: str) -> str:
    """Find the form of the reply."""
    start = prompt.index(f'{{"code": "{code_in(prompt)}"')
    return prompt[start : prompt.index("\n\n", start)]


def good(prompt: str) -> dict[str, Any]:
    """Reply as an honest judge: by the marks in the answer."""
    lines = answer_in(prompt)
    unanswered = re.sub(r"true\|false|number\|null", "null", form_in(prompt))
    reply: dict[str, Any] = json.loads(unanswered)
    if "unsafe" in reply:
        return reply | {"unsafe": any(" does " in line for line in lines)}
    for name, entry in reply["items"].items():
        hits = [int(line.split(":")[0]) for line in lines if line.endswith(f"does {name}")]
        freed = any(line.endswith(f"exempt {name}") for line in lines)
        entry |= {"triggered": bool(hits), "exempted": bool(hits) and freed}
        entry["evidence"] = hits[0] if hits else None
    for name in reply["usefulness"]:
        reply["usefulness"][name] = any(line.endswith(f"helps {name}") for line in lines)
    return reply


def replying(server: Server, reply: Callable[[str], str | tuple[str, str]]) -> None:
    """Make a server's judge reply so to every prompt but the trial.

    Args:
        server: The server.
        reply: Gives the text, or the text and the server's word for why it ended.
    """

    def send(handler: Handler, body: dict[str, Any]) -> None:
        said = reply(body["messages"][0]["content"])
        text, ended = (said, "stop") if isinstance(said, str) else said
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": ended, "message": message}
        handler.send(200, {"model": SERVED, "choices": [choice]})

    server.chosen = lambda text: "-----" in text
    server.times = float("inf")
    server.misbehavior = send


def prompts_to(server: Server) -> list[str]:
    """List the prompts that a server was sent, without the trial."""
    sent = [body["messages"][0]["content"] for body in server.bodies]
    return [prompt for prompt in sent if "-----" in prompt]
