"""Bring a section into the one comment, while other jobs bring in theirs.

GitHub cannot be asked to write only if nothing has changed. So a job writes, waits, and reads what
stands there then; if its own section is gone, because another job wrote what it had read before,
it starts over. All jobs keep the same one of two comments and join the sections of both.

What this cannot see: a job that had read before another one wrote, and takes longer to write than
that one waits, drops a section whose job is done. The next run of that job restores it.
"""

import random
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from gate.comment import markers
from gate.comment.body import compose, merged, room_for
from gate.comment.section import Fitting, Section
from gate.comment.thread import Comment, Thread
from gate.errors import PublishError
from gate.reports.markdown import BUDGET

Mode = Literal["update", "recreate", "new", "on-change"]
Action = Literal["posted", "updated", "unchanged", "superseded"]

_AT_ONCE = timedelta(minutes=10)
"""How long before ours a comment may be posted that we had not read: a listing takes a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How patiently others are given way."""

    settle: float = 2.0
    """Seconds from a write to the look at what became of it; up to twice that, by chance."""
    rounds: int = 8

    def wait(self, tries: int) -> None:
        """Wait longer the more often others came in between."""
        time.sleep(self.settle * min(tries, 4) * random.uniform(1, 2))


@dataclass(frozen=True, slots=True)
class Posted:
    """What was done."""

    action: Action
    url: str


def publish(
    thread: Thread, section: Section, within: Fitting, *, mode: Mode, pace: Pace | None = None
) -> Posted:
    """Post or update a gate's section.

    Raises:
        PublishError: If GitHub refuses, or others keep overwriting the section.
        UsageError: If the gates are too many for one comment.
    """
    if mode == "new":
        single = markers.SINGLE.format(nonce=secrets.token_hex(8))
        body = markers.PART.sub("", within(BUDGET - len(single)))
        return Posted("posted", thread.create(single + body).url)
    return _Writer(thread, section, within, mode, pace or Pace()).write()


@dataclass(slots=True)
class _Writer:
    """One attempt after another to leave one comment with every section in it."""

    thread: Thread
    section: Section
    within: Fitting
    mode: Mode
    pace: Pace

    def write(self) -> Posted:
        """Write and look until it stands, or somebody else's newer one does."""
        found = self.thread.ours()
        seen = dict(merged(comment.body for comment in found))
        before = seen.get(self.section.gate_id)
        if self.mode == "on-change" and found and before and before.state == self.section.state:
            return Posted("unchanged", found[-1].url)
        fresh = self.mode == "recreate"
        action: Action = "unchanged"
        for tries in range(1, self.pace.rounds + 1):
            if not fresh and self._stands(found, seen):
                return Posted(action, found[0].url)
            if action != "unchanged" and (newer := self._superseded(found, before)):
                return Posted("superseded", newer)
            if action == "unchanged":
                action = "posted" if fresh or not found else "updated"
            written = self._write(found, seen, fresh)
            fresh = False
            self.pace.wait(tries)
            found = self._look(found, written)
            seen |= merged(comment.body for comment in found)
        raise PublishError(
            "other jobs keep overwriting this section of the comment",
            next_step="Run this step again, or give each job its own --gate-id.",
        )

    def _stands(self, found: list[Comment], seen: Mapping[str, Section]) -> bool:
        """Tell whether there is one comment, with our section and all that were ever seen."""
        if len(found) != 1:
            return False
        there = merged([found[0].body])
        own = there.get(self.section.gate_id)
        return own is not None and own.source == self.section.source and seen.keys() <= there.keys()

    def _superseded(self, found: list[Comment], before: Section | None) -> str:
        """Tell whether another run of this gate has written since; the last one stands."""
        own = merged(comment.body for comment in found).get(self.section.gate_id)
        known = {self.section.source, before.source if before else ""}
        return found[-1].url if own is not None and own.source not in known else ""

    def _write(
        self, found: list[Comment], seen: Mapping[str, Section], fresh: bool
    ) -> Comment | None:
        """Write all sections into one comment and delete the others; None where it was gone."""
        others = [one for one in seen.values() if one.gate_id != self.section.gate_id]
        own = replace(self.section, content=self.within(room_for(self.section, others)))
        body = compose([*others, own])
        keep = self.thread.create(body) if fresh or not found else self._kept(found)
        spare = [comment for comment in found if comment.number != keep.number]
        there = fresh or not found or keep.body == body or self.thread.edit(keep.number, body)
        for comment in spare if there else ():
            self.thread.delete(comment.number)
        return keep if there else None

    def _kept(self, found: list[Comment]) -> Comment:
        return found[-1] if self.mode == "recreate" else found[0]

    def _look(self, found: list[Comment], written: Comment | None) -> list[Comment]:
        """Read what stands there now; after a post also what others posted at the same time."""
        if written is None:
            return self.thread.ours()
        if len(found) == 1 and found[0].number == written.number:
            again = self.thread.read(written.number)
            return self.thread.ours() if again is None else [again]
        return self.thread.ours(since=written.created - _AT_ONCE)
