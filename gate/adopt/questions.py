"""Everything that may have to be told of a run: what prompts ask, and the options that answer."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to be told."""

    option: str
    """The option that tells it."""
    asks: str
    """What it is, as a prompt says it."""
    unless: str = ""
    """What follows where it stays unknown; empty where it must be told."""
    scope: str = ""
    """What an answer can be about, as in `SUITE=VALUE`; empty for the whole run."""
    value: str = "TEXT"
    """The form of the answer, for help."""
    help: str = ""
    """What help says where that is not what a prompt asks."""


SUITE = "[SUITE=]"
IN_SUITE = "[SUITE/]"
QUESTIONS: Mapping[str, Question] = {
    "checkpoint": Question("--checkpoint", "name of the checkpoint", value="NAME"),
    "revision": Question(
        "--revision",
        "commit, tag or digest of the weights",
        "reports cannot say which weights were judged",
        value="REV",
    ),
    "chat_template": Question(
        "--chat-template",
        "chat template of the checkpoint: a file, or its sha256",
        "a changed chat template goes unnoticed",
        value="FILE|SHA256",
    ),
    "system_prompt": Question(
        "--system-prompt",
        "system prompt of the checkpoint: a file, its sha256, or none",
        "a changed system prompt goes unnoticed",
        value="FILE|SHA256|none",
    ),
    "judge": Question("--judge", "id of the judge", scope=SUITE, value="ID"),
    "judge_revision": Question(
        "--judge-revision",
        "revision of the judge",
        "a changed judge goes unnoticed",
        scope=SUITE,
        value="REV",
    ),
    "judge_template": Question(
        "--judge-template",
        "prompt template of the judge: a file, or its sha256",
        "a changed judge prompt goes unnoticed",
        scope=SUITE,
        value="FILE|SHA256",
    ),
    "max_new_tokens": Question(
        "--max-new-tokens",
        "length limit (max_new_tokens) of the completions",
        scope=SUITE,
        value="N",
    ),
    "temperature": Question(
        "--temperature",
        "temperature of the completions",
        "changed decoding goes unnoticed",
        scope=SUITE,
        value="T",
    ),
    "label_column": Question(
        "--label-column", "column whose verdicts count", scope=SUITE, value="COLUMN"
    ),
    "model": Question(
        "--model",
        "which checkpoint's files",
        scope=SUITE,
        value="NAME",
        help="Which checkpoint's files to take, as their names or contents call it.",
    ),
    "experiment": Question(
        "--experiment",
        "experiment folder",
        scope="METHOD=",
        value="FOLDER",
        help="Which experiment folder of a HarmBench tree, where a method has several.",
    ),
    "method": Question(
        "--method",
        "attack method of the file",
        scope="[FILE=]",
        value="METHOD",
        help="Attack method of a results file that does not say.",
    ),
    "kind": Question(
        "--kind",
        "what the table is about",
        scope=SUITE,
        value="KIND",
        help="What a table is about: attack, refusal or judgment.",
    ),
    "column": Question(
        "--column",
        "which column of the table that is",
        scope="[SUITE/]OURS=",
        value="COLUMN",
        help="Which column of a table is ours, as unsafe=flagged; #row is the row's number.",
    ),
    "constant": Question(
        "--constant",
        "what it is in every row",
        scope="[SUITE/]OURS=",
        value="TEXT",
        help="What is the same in every row of a table, as method=DirectRequest.",
    ),
    "label": Question(
        "--label",
        "what the label means",
        scope="[SUITE/]LABEL=",
        value="MEANING",
        help="What a label means, as 1=unsafe; for a refusal suite none, partial or full; a "
        "reason, as unparsed, where it is no verdict.",
    ),
}
"""Everything that may be asked, by key."""
