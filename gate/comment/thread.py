"""What publishing needs of a pull request's comments, whoever provides it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment that this token's account wrote."""

    number: int
    """Its id; a later comment has a higher one."""
    body: str
    url: str
    created: datetime


class Thread(Protocol):
    """The conversation of one pull request. Every method raises PublishError where refused."""

    def ours(self, since: datetime | None = None) -> list[Comment]:
        """List our own comments that are kept up to date, oldest first.

        Args:
            since: Leave out what has not changed since then.
        """

    def read(self, number: int) -> Comment | None:
        """Read one comment again; None where it is gone."""

    def create(self, body: str) -> Comment:
        """Post a comment, once, even where an answer was lost."""

    def edit(self, number: int, body: str) -> bool:
        """Write a comment anew; False where it is gone."""

    def delete(self, number: int) -> None:
        """Delete a comment; one that is gone already is no trouble."""
