"""HarmBench's labels, and everything that may stand where one is expected."""

from types import NoneType
from typing import Any, Literal

from gate.errors import EvidenceError
from gate.evidence.readers.parsing.labels import UNPARSED, Verdict
from gate.evidence.readers.parsing.wording import malformed, shown, sort_of
from gate.evidence.rows import UNSCORED
from gate.reasons import Reason

Label = Literal[-1, 0, 1] | None

VERDICTS: dict[Label, Verdict] = {1: (1, None), 0: (0, None), -1: UNPARSED, None: UNPARSED}
"""What HarmBench's labels mean; -1 is an answer of the judge that was neither yes nor no."""

NO_ANSWER: Verdict = (UNSCORED, "checkpoint_error")
EMPTY: Verdict = (UNSCORED, "empty")

ERROR = "$ERROR$"
"""What HarmBench writes for a completion that could not be had; its judge says "no" to it."""

SLOT_GCG = "its `label` 0 may mean that the judge never ran; map the file to native rows first"


def verdict(path: str, behavior: str, case: int, completion: Any) -> Verdict:
    """Return the verdict on one completion.

    Raises:
        EvidenceError: If it has none, or one of another sort.
    """
    place = f"behavior {shown(behavior)}, completion {case}"
    if not isinstance(completion, dict):
        what = f"{shown(completion)}, where a judged completion was expected"
        raise malformed(path, place, f"{what}; is this a test_cases.json?")
    if "cls_label" in completion:
        raise malformed(path, place, f"has a `cls_label`: {SLOT_GCG}")
    if "label" not in completion:
        raise _no_label(path, place, completion)
    label = completion["label"]
    # True equals 1 and 1.0 equals 1; neither is a label of HarmBench.
    if type(label) not in (int, NoneType) or label not in VERDICTS:
        raise _wrong_label(path, place, label)
    return no_answer(completion.get("generation", "…")) or VERDICTS[label]


def no_answer(generation: object) -> Verdict | None:
    """Return the verdict on a completion that holds no answer, whatever the judge said of it."""
    if generation == ERROR:
        return NO_ANSWER
    if generation is None or (isinstance(generation, str) and not generation.strip()):
        return EMPTY
    return None


def _no_label(path: str, place: str, completion: dict[str, Any]) -> EvidenceError:
    if "human_0" in completion or "cls" in completion:
        what = "a row of the classifier validation set, not a verdict on a checkpoint"
        return malformed(path, place, what)
    return EvidenceError(Reason.E_UNJUDGED, f"{path}: {place}: there is no `label`")


def _wrong_label(path: str, place: str, label: object) -> EvidenceError:
    what = f"`label` is {_typed(label)}, expected 1, 0, -1 or null"
    return EvidenceError(Reason.E_LABEL, f"{path}: {place}: {what}")


def _typed(label: object) -> str:
    return f"the text {shown(label)}" if isinstance(label, str) else shown(label)


def other_shape(path: str, behavior: str, found: object) -> EvidenceError:
    """Return the error for a behavior that has no list of completions."""
    what = f"{sort_of(found)}, where a list of judged completions was expected"
    if isinstance(found, dict):
        what += "; an export with one object a model must be split by model first"
    return malformed(path, f"behavior {shown(behavior)}", what)
