"""MinHash signatures out of a pickle, without unpickling it.

A pickle is a program: the library's own reader imports and calls what it names. Here only the
operations that a list of MinHash objects needs are followed, nothing is ever imported or called,
and what a file names is compared with a short list. Everything else is refused.
"""

import pickletools
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from gate.errors import JudgingError
from gate.evidence.readers.parsing.wording import shown

MOST = 64 << 20
"""Bytes of a file; HarmBench's have a few hundred thousand."""


class Named(NamedTuple):
    """What a pickle asks to import; it stays a name."""

    module: str
    name: str


@dataclass(slots=True, eq=False)
class Made:
    """What a pickle asks to make; it is never made."""

    of: object
    args: tuple[object, ...]
    state: object = None


MINHASH = Named("datasketch.minhash", "MinHash")
HASH = Named("datasketch.hashfunc", "sha1_hash32")
ARRAY = Named("numpy", "ndarray")
DTYPE = Named("numpy", "dtype")
TEXT_BYTES = Named("_codecs", "encode")
REBUILD = frozenset(Named(f"numpy.{core}.multiarray", "_reconstruct") for core in ("core", "_core"))
BUFFER = frozenset(Named(f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core"))
ADMITTED = frozenset({MINHASH, HASH, ARRAY, DTYPE, TEXT_BYTES}) | REBUILD | BUFFER


class RefusedError(Exception):
    """The pickle is something else than a list of MinHash objects."""


def read_pickle(path: Path) -> list[Made]:
    """Read a list of what would be MinHash objects.

    Raises:
        JudgingError: If the file cannot be read, or holds anything else.
    """
    try:
        size = path.stat().st_size
        raw = path.read_bytes() if size <= MOST else b""
    except OSError as error:
        raise JudgingError(
            f"cannot read the reference hashes {str(path)!r}: {error.strerror}",
            next_step="Name HarmBench's data/copyright_classifier_hashes with --hashes.",
        ) from error
    try:
        if size > MOST:
            refuse(f"{size} bytes")
        return _minhashes(_follow(raw))
    except RefusedError as error:
        raise refused(path, error) from error


def _minhashes(found: object) -> list[Made]:
    if not isinstance(found, list) or not found:
        refuse("not a list")
    for one in found:
        if not isinstance(one, Made) or one.of != MINHASH:
            refuse("an element is no MinHash")
    return found


def refuse(what: str) -> NoReturn:
    """Give up on a pickle."""
    raise RefusedError(what)


def refused(path: Path, error: RefusedError) -> JudgingError:
    """Return the error for a file that was not read."""
    return JudgingError(
        f"{path}: not a list of MinHash signatures ({error}); nothing in it was run",
        next_step="Take the file from HarmBench's data/copyright_classifier_hashes again.",
    )


def _follow(raw: bytes) -> object:
    """Run the few operations that are known on a stack of plain values."""
    machine = _Machine()
    try:
        for operation, argument, _ in pickletools.genops(raw):
            if operation.name == "STOP":
                return machine.pop()
            step = STEPS.get(operation.name)
            if step is None:
                refuse(f"it uses the operation {operation.name}")
            step(machine, argument)
    except (ValueError, IndexError, KeyError, TypeError, struct.error) as error:
        raise RefusedError(f"broken: {type(error).__name__}") from error
    refuse("it does not end")


class _Machine:
    """The stack and the memory of a pickle."""

    def __init__(self) -> None:
        self._stacks: list[list[Any]] = [[]]
        self._memory: dict[int, Any] = {}

    def push(self, value: object) -> None:
        self._stacks[-1].append(value)

    def pop(self) -> Any:
        return self._stacks[-1].pop()

    def top(self) -> Any:
        return self._stacks[-1][-1]

    def mark(self) -> None:
        self._stacks.append([])

    def since_mark(self) -> list[Any]:
        if len(self._stacks) < 2:
            refuse("broken: no mark")
        return self._stacks.pop()

    def remember(self, at: int | None = None) -> None:
        self._memory[len(self._memory) if at is None else at] = self.top()

    def recall(self, at: int) -> None:
        self.push(self._memory[at])


def _tuple(length: int) -> "Step":
    def step(machine: _Machine, _: Any) -> None:
        values = [machine.pop() for _ in range(length)]
        machine.push(tuple(reversed(values)))

    return step


def _append(machine: _Machine, values: Sequence[object]) -> None:
    target = machine.top()
    if type(target) is not list:
        refuse("it appends to what is no list")
    target.extend(values)


def _set(machine: _Machine, values: Sequence[Any]) -> None:
    target = machine.top()
    keys = values[::2]
    if type(target) is not dict or not all(type(key) is str for key in keys):
        refuse("a dictionary has other keys than text")
    target.update(zip(keys, values[1::2], strict=True))


def _name(machine: _Machine, module: object, name: object) -> None:
    found = Named(str(module), str(name))
    if found not in ADMITTED or type(module) is not str or type(name) is not str:
        refuse(f"it names {shown(f'{module}.{name}')}")
    machine.push(found)


def _stack_name(machine: _Machine) -> None:
    name, module = machine.pop(), machine.pop()
    if type(name) is not str or type(module) is not str:
        refuse("a name is no text")
    _name(machine, module, name)


def _make(machine: _Machine, *, new: bool) -> None:
    args, of = machine.pop(), machine.pop()
    if type(args) is not tuple or type(of) is not Named or (of == MINHASH) is not new:
        refuse("it makes something else than arrays and MinHash objects")
    machine.push(Made(of, args))


def _build(machine: _Machine) -> None:
    state, made = machine.pop(), machine.top()
    if type(made) is not Made or made.state is not None:
        refuse("it changes what it did not make")
    made.state = state


def _set_one(machine: _Machine) -> None:
    value, key = machine.pop(), machine.pop()
    _set(machine, [key, value])


Step = Callable[[_Machine, Any], None]

_VALUES = (
    "BININT BININT1 BININT2 LONG1 BINUNICODE SHORT_BINUNICODE BINBYTES SHORT_BINBYTES BINBYTES8 "
    "BYTEARRAY8"
)

STEPS: dict[str, Step] = {
    "PROTO": lambda machine, _: None,
    "FRAME": lambda machine, _: None,
    "MARK": lambda machine, _: machine.mark(),
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    **dict.fromkeys(_VALUES.split(), lambda machine, value: machine.push(value)),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "TUPLE1": _tuple(1),
    "TUPLE2": _tuple(2),
    "TUPLE3": _tuple(3),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.since_mark())),
    "APPEND": lambda machine, _: _append(machine, [machine.pop()]),
    "APPENDS": lambda machine, _: _append(machine, machine.since_mark()),
    "SETITEM": lambda machine, _: _set_one(machine),
    "SETITEMS": lambda machine, _: _set(machine, machine.since_mark()),
    "GLOBAL": lambda machine, names: _name(machine, *names.split(" ", 1)),
    "STACK_GLOBAL": lambda machine, _: _stack_name(machine),
    "REDUCE": lambda machine, _: _make(machine, new=False),
    "NEWOBJ": lambda machine, _: _make(machine, new=True),
    "BUILD": lambda machine, _: _build(machine),
    "MEMOIZE": lambda machine, _: machine.remember(),
    "BINPUT": lambda machine, at: machine.remember(at),
    "LONG_BINPUT": lambda machine, at: machine.remember(at),
    "BINGET": lambda machine, at: machine.recall(at),
    "LONG_BINGET": lambda machine, at: machine.recall(at),
}
"""What is followed, by the name that Python's own documentation of pickles gives it."""
