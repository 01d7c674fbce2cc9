"""What every part of the decision file is made of: closed records, and numbers within bounds."""

from typing import Annotated

from msgspec import Meta, Struct

LARGEST = 1e6
"""The largest real number, either way; what is beyond it is written as no number at all."""

Count = Annotated[int, Meta(ge=0, le=10**12)]
Days = Annotated[int, Meta(ge=-(10**7), le=10**7)]
Share = Annotated[float, Meta(ge=0, le=1)]
Real = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)] | None
"""A finite number within -10^6 to 10^6; null where there is none."""


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all parts of the file share: every field is there, and no others are."""
