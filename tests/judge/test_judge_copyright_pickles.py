"""Hostile pickles: nothing that they name is imported, and nothing in them runs."""

import builtins
import copyreg
import os
import pickle
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gate.errors import JudgingError
from tests.judge import hashes
from tests.judge.hashes import BOOK, CORPUS

pytest.importorskip("datasketch", reason="the extra `copyright` is not installed")
pytest.importorskip("spacy", reason="the extra `copyright` is not installed")

from gate.judge.judges import copyright_pickle
from gate.judge.judges.copyright_signatures import references

MARK = "ran"
"""What every hostile file would leave in the working directory if anything in it ran."""


class Calling:
    """Calls something as soon as it is unpickled."""

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self.call = (function, args)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.call


def short(text: str) -> bytes:
    """Write a text as a pickle does."""
    return b"\x8c" + bytes([len(text)]) + text.encode()


def named(module: str, name: str) -> bytes:
    """Import something, as a pickle of protocol 4 does."""
    return b"\x80\x04" + short(module) + short(name) + b"\x93"


OPENED = f"(V{MARK}\nVw\nt".encode()
"""The arguments of `open`, in the oldest form."""

HOSTILE: dict[str, bytes] = {
    "a call": pickle.dumps([Calling(open, MARK, "w")]),
    "a call of the shell": pickle.dumps([Calling(os.system, f"touch {MARK}")]),
    "eval": pickle.dumps([Calling(builtins.eval, f"open({MARK!r}, 'w')")]),
    "a call within a state": pickle.dumps({"hashvalues": Calling(open, MARK, "w")}),
    "an import with a side": named("this", "s") + b".",
    "a dotted name": named("datasketch.minhash", "copy.os.system") + short("x") + b"\x85R.",
    "an old global": b"cposix\nsystem\n(Vtouch ran\ntR.",
    "an instance": b"(V" + MARK.encode() + b"\nVw\nibuiltins\nopen\n.",
    "an object": b"(cbuiltins\nopen\nV" + MARK.encode() + b"\nVw\no.",
    "a persistent id": b"Pplaceholder\n.",
    "an extension": b"\x80\x02\x82\x01.",
    "new with arguments": b"]" + named("datasketch.minhash", "MinHash") + b"K\x01\x85\x81}ba.",
    "a class called": b"]" + named("datasketch.minhash", "MinHash") + b")Ra.",
    "an array made anew": named("numpy", "ndarray") + b")\x81.",
    "a changed class": named("datasketch.minhash", "MinHash") + b"}b.",
    "built twice": b"]" + named("datasketch.minhash", "MinHash") + b")\x81}b}ba.",
    "a number as key": b"]" + named("datasketch.minhash", "MinHash") + b")\x81}K\x01K\x02sba.",
    "a key that never ends hashing": b")q\x00" + b"h\x00h\x00\x86q\x00" * 60 + b"}h\x00K\x01s.",
    "a far memory": b"]r\xff\xff\xff\x7fj\xff\xff\xff\x7fa.",
    "a long text that is not there": b"\x8d" + struct.pack("<Q", 1 << 60) + b".",
    "no mark": b"e.",
    "an empty stack": b".",
    "an unknown operation": b"\xff.",
    "nothing": b"",
    "an empty list": b"].",
    "a number": b"K\x01.",
    "a list of numbers": pickle.dumps([1, 2]),
    "an array alone": pickle.dumps(np.arange(128, dtype=np.uint64)),
    "text": b"placeholder",
    "a registered reducer": pickle.dumps([copyreg.__newobj__], protocol=2),  # type: ignore[attr-defined]
}


def changed(**state: Any) -> bytes:
    """Pickle a MinHash that is not HarmBench's in one respect."""
    (one, *_) = hashes.minhashes(CORPUS[:400].split(), BOOK)
    one.__dict__.update(state)
    return pickle.dumps([one])


def others() -> dict[str, bytes]:
    """Pickle signatures that cannot be compared."""
    from datasketch import MinHash

    objects = np.array([Calling(open, MARK, "w")] * 128, dtype=object)
    return {
        "the form since 2.0": pickle.dumps([MinHash()]),
        "another seed": pickle.dumps([MinHash(seed=2, scheme="legacy")]),
        "fewer permutations": pickle.dumps([MinHash(num_perm=64, scheme="legacy")]),
        "another seed that is not said": changed(
            permutations=MinHash(seed=2, scheme="legacy").permutations
        ),
        "another hash": changed(hashfunc=hash),
        "a flag as seed": changed(seed=True),
        "no values": changed(hashvalues=None),
        "values of another type": changed(hashvalues=np.ones(128)),
        "values in the other order": changed(hashvalues=np.ones(128, dtype=">u8")),
        "too few values": changed(hashvalues=np.ones(127, dtype=np.uint64)),
        "objects": changed(hashvalues=objects),
        "a list": changed(hashvalues=[1] * 128),
    }


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is refused with a message that says so, and leaves no trace."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "reference.pkl"
    path.write_bytes(HOSTILE[name])
    with pytest.raises(JudgingError, match="nothing in it was run"):
        references(path)
    assert not (tmp_path / MARK).exists()


@pytest.mark.parametrize("name", others())
def test_signatures_of_another_kind_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would compare as numbers, and mean nothing."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "reference.pkl"
    path.write_bytes(others()[name])
    with pytest.raises(JudgingError, match="nothing in it was run"):
        references(path)
    assert not (tmp_path / MARK).exists()


def test_the_hostile_files_do_harm_where_they_are_unpickled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the tests above mean something."""
    monkeypatch.chdir(tmp_path)
    for name in ("a call of the shell", "an old global"):
        pickle.loads(HOSTILE[name])
        (tmp_path / MARK).unlink()


def test_a_broken_file_is_an_error_wherever_it_breaks(tmp_path: Path) -> None:
    """Changed and cut bytes are read as they are, or refused; nothing else happens."""
    path = hashes.write(tmp_path, BOOK, CORPUS[:2000].split())
    sound, rng, read = path.read_bytes(), random.Random(5), 0
    for _ in range(400):
        raw = bytearray(sound[: rng.choice([len(sound), rng.randrange(len(sound))])])
        for _ in range(rng.randint(0, 3)):
            at = rng.randrange(len(raw) or 1)
            raw[at : at + 1] = bytes([rng.randrange(256)])
        path.write_bytes(raw)
        try:
            assert references(path).shape[1] == 128
            read += 1
        except JudgingError:
            pass
    assert 0 < read < 400


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HarmBench's have some hundred thousand bytes."""
    path = hashes.write(tmp_path, BOOK, CORPUS[:2000].split())
    monkeypatch.setattr(copyright_pickle, "MOST", 1000)
    with pytest.raises(JudgingError, match="bytes"):
        references(path)
