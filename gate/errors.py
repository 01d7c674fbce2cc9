"""Every error the tool raises on purpose; `cli/main.py` turns them into exit codes, once."""

from collections.abc import Sequence

from gate.reasons import Reason


class GateError(Exception):
    """The base of all of them.

    Args:
        message: What is wrong, in one sentence, naming the file and the place in it.
        next_step: What the user can do about it, in one sentence.
    """

    exit_code = 5
    label = "error"
    """What stands before the message."""

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


class UsageError(GateError):
    """The command cannot be carried out as typed."""

    exit_code = 2


class PolicyError(GateError):
    """The policy cannot be used; carries every problem found, not just the first.

    Args:
        problems: One line each: `file:line:column: key: what is wrong (did you mean …?)`.
    """

    exit_code = 2

    def __init__(self, problems: Sequence[str], *, next_step: str = "") -> None:
        super().__init__("\n".join(problems), next_step=next_step)
        self.problems = tuple(problems)


class PublishError(GateError):
    """A service did not take a report: refused, gone, or not to be reached in time."""

    exit_code = 1


class EvidenceError(GateError):
    """Evidence that cannot be used.

    Readers raise it; loading a run turns it into a `Problem`, a value that findings carry,
    so that one broken file never hides what the others say.

    Args:
        reason: The stable reason code.
        message: What is wrong, naming file and row; ids and labels only, never text.
        next_step: What to do about it.
    """

    exit_code = 4

    def __init__(self, reason: Reason, message: str, *, next_step: str = "") -> None:
        super().__init__(message, next_step=next_step or reason.next_step)
        self.reason = reason


class JudgingError(GateError):
    """Judging or generating cannot go on; what was stored until then stays."""

    exit_code = 4


class JudgingInterruptedError(GateError):
    """Stopped before the end, with everything saved: the same command goes on from there."""

    exit_code = 75
    label = "stopped"
