"""Why a promotion is refused or a verification fails: stable codes, as for findings."""

from dataclasses import dataclass
from enum import Enum


class Failure(Enum):
    """One code: its name is the code, its value says what it means and what to do."""

    V_NOT_RELEASED = (
        "The decision is no release, so its candidate does not become the baseline.",
        "Promote a released checkpoint, or say who answers for this one with --override, --owner.",
    )
    V_NO_DECISION = (
        "The decision rests on unusable evidence, which no override makes a baseline.",
        "Decide again on usable evidence.",
    )
    V_UNVERIFIED = (
        "The decision was neither made again nor is it signed by whom you trust.",
        "Name --policy and the runs that it was compared with, or --signature with --key; "
        "--unverified takes the file at its word, and every later report says so.",
    )
    V_DECISION = (
        "The decision file is not as gate wrote it.",
        "Get the file from where it was written, unchanged.",
    )
    V_POLICY = (
        "The policy is not the one that decided.",
        "Check out the policy of that day; a decision is about the bytes it names.",
    )
    V_RUN = (
        "A run cannot be read, or could not be read when it was decided on.",
        "Name the run that was decided on.",
    )
    V_MANIFEST = (
        "run.yaml is not the one that was decided on.",
        "Restore run.yaml; the verdict files are those that were decided on.",
    )
    V_FILE_CHANGED = (
        "A verdict file is not the one that was decided on.",
        "Restore the file, or decide again on what there is now.",
    )
    V_FILE_MISSING = (
        "A verdict file that was decided on is gone.",
        "Restore the file.",
    )
    V_FILE_EXTRA = (
        "There is a verdict file that was not there when it was decided.",
        "Remove the file, or decide again with it.",
    )
    V_RECORD = (
        "The baseline record is not the one that was given when it was decided.",
        "Name the record of that day.",
    )
    V_HISTORY_EDITED = (
        "A line of the history was edited, cut or removed.",
        "Restore the history from where it is kept.",
    )
    V_HISTORY_LACKS = (
        "The history does not hold this decision, or holds another one before it.",
        "Name the history that the decision was written to; its end may have been cut off.",
    )
    V_TOOL_VERSION = (
        "Another version of gate decided, so this one cannot replay it.",
        "Install the version that the message names, and replay with it.",
    )
    V_REPLAY_OUTCOME = (
        "The same files decide otherwise than the decision says.",
        "The decision was edited, or not made from these files by this tool. Do not rely on it.",
    )
    V_REPLAY_WAIVER = (
        "The decision names other waivers than its policy.",
        "The decision was edited. Do not rely on it.",
    )
    V_REPLAY_NUMBER = (
        "The same files give other numbers or words than the decision has.",
        "The decision was edited, or not made from these files by this tool. Do not rely on it.",
    )
    V_SIGNATURE_FORM = (
        "The signature cannot be read: cut, or no signature at all.",
        "Get the signature file from where it was written, unchanged.",
    )
    V_SIGNATURE_KEY = (
        "The signature is by another key or identity than the one that is trusted.",
        "Find out who signed; name the right key with --key only if you trust it.",
    )
    V_SIGNATURE = (
        "The signature does not fit what it signs: one of the two was changed.",
        "Do not rely on it; get both files from where they were written.",
    )
    V_SIGNATURE_OTHER = (
        "The signature is good, but about another decision.",
        "Name the signature of this very decision file.",
    )

    @property
    def meaning(self) -> str:
        """What the code means, in one sentence."""
        return self.value[0]

    @property
    def next_step(self) -> str:
        """What to do about it."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Failed:
    """One thing that does not hold."""

    failure: Failure
    message: str
    """What exactly, naming file, key or number."""
