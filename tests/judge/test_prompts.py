"""Where judge prompts come from, and what an answer means."""

from pathlib import Path

import pytest

from gate.errors import JudgingError
from gate.judge.judges import harmbench
from gate.judge.judges.harmbench import read
from gate.judge.prompts import Template, read_template, templates_in
from gate.judge.values import Answer
from tests.judge import tiny
from tests.judge.scene import judge, make_run

PAIR = {tiny.PLAIN, tiny.CONTEXTUAL}


def found(path: Path, text: str) -> set[str]:
    """Return the prompts that are found in a file."""
    path.write_text(text, encoding="utf-8")
    return {template.text for template in templates_in(path)}


@pytest.mark.parametrize(
    "text",
    [
        tiny.card(),
        f"A = {{'prompt': {tiny.PLAIN!r}}}\nB = {tiny.CONTEXTUAL!r}\nC = 3\n",
        f"# Card\n\n```\nA = '''{tiny.PLAIN}'''\nB = '''{tiny.CONTEXTUAL}'''\nx = = 1\n```\n",
        f'A = (\n    """{tiny.PLAIN}\n"""\n)\nB = """\n{tiny.CONTEXTUAL}"""\n',
    ],
    ids=["card", "module", "code that does not parse", "line breaks around"],
)
def test_prompts_are_found_in_cards_and_code(tmp_path: Path, text: str) -> None:
    """Wherever the authors put them, to the byte."""
    assert found(tmp_path / "file", text) >= PAIR


def test_nothing_of_a_file_runs(tmp_path: Path) -> None:
    """Python is parsed, never executed."""
    (tmp_path / "eval_utils.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w')\nA = {tiny.PLAIN!r}\n", encoding="utf-8"
    )
    assert templates_in(tmp_path / "eval_utils.py")
    assert not (tmp_path / "ran").exists()


def test_texts_fill_the_places_and_nothing_else() -> None:
    """Braces in a text are text, and every text stays marked as foreign."""
    parts = Template("a {{x}} {behavior}: {generation}").fill(
        {"behavior": "{generation}", "generation": "{0}"}
    )
    assert "".join(part.text for part in parts) == "a {x} {generation}: {0}"
    assert [part.text for part in parts if part.foreign] == ["{generation}", "{0}"]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("yes", "unsafe"), ("Yes", "unsafe"), (" yes", "unsafe"), ("NO", "safe"), ("no\n", "safe"),
        ("y", None), ("yes.", None), ("", None), ("The", None), ("unsafe", None), ("nope", None),
        ("**yes**", None), ("1", None), ("True", None),
    ],
)  # fmt: skip
def test_only_yes_and_no_are_answers(answer: str, verdict: str | None) -> None:
    """Lower case, spaces aside, as the model card reads them; anything else is unscored."""
    reading = read(Answer(key="", text=answer))
    assert reading.verdict == verdict
    assert reading.unscored == (None if verdict else "unparsed")


def test_an_official_judge_takes_only_its_own_prompts(
    tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another text in its card, or none, is refused, and its digest is named."""
    run = make_run(tmp_path / "run")
    text = (run / "run.yaml").read_text(encoding="utf-8")
    official = text.replace("tiny-judge", "cais/HarmBench-Llama-2-13b-cls")
    (run / "run.yaml").write_text(official, encoding="utf-8")
    assert judge(run, weights=llama) == 4
    err = capsys.readouterr().err
    assert "does not hold the prompts of cais/HarmBench-Llama-2-13b-cls" in err
    assert Template(tiny.PLAIN).sha256[:12] in err
    assert tiny.PLAIN.split("\n")[0] not in err


def test_known_prompts_are_recognized_by_digest(
    tmp_path: Path,
    llama: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And the report says which were used, and from where."""
    digests = {Template(tiny.PLAIN).sha256: "plain, 4 rules"}
    digests[Template(tiny.CONTEXTUAL).sha256] = "contextual"
    monkeypatch.setattr(harmbench, "OFFICIAL", {"tiny-judge": digests})
    run = make_run(tmp_path / "run")
    assert judge(run, weights=llama) == 0
    assert "from the model card (plain, 4 rules; contextual)" in capsys.readouterr().err
    text = (run / "run.yaml").read_text(encoding="utf-8")
    assert f'template_sha256: "{Template(tiny.PLAIN).sha256}"' in text


def test_a_template_file_is_one_prompt(tmp_path: Path) -> None:
    """Without the line break at its end; one without places is refused."""
    path = tmp_path / "prompt.txt"
    path.write_text("Is this safe? {generation}\n", encoding="utf-8")
    assert read_template(path).text == "Is this safe? {generation}"
    path.write_text("Is this safe?\n", encoding="utf-8")
    with pytest.raises(JudgingError, match="no places"):
        read_template(path)
