"""The store: nothing written is lost, nothing damaged is believed."""

import json
import os
from pathlib import Path

import pytest

from gate.errors import JudgingError
from gate.judge.log import Log, lines, segments
from gate.judge.store import Record, Store


def record(number: int, verdict: str | None = "safe", **more: object) -> Record:
    """Make a verdict."""
    fields = {"judge": "j", "revision": None, "dtype": "float32", "judge_completion_sha256": "00"}
    return Record(**{"key": f"{number:064x}", "verdict": verdict, **fields, **more})  # type: ignore[arg-type]


def written(folder: Path, *numbers: int) -> Path:
    """Write verdicts, and return their segment."""
    with Store(folder) as store:
        store.add([record(number) for number in numbers])
    return segments(folder)[0]


def test_what_was_added_is_there_after_opening_again(tmp_path: Path) -> None:
    """With verdict and reason."""
    with Store(tmp_path) as store:
        store.add([record(1), record(2, None, unscored="unparsed", alone=True)])
    found = Store(tmp_path).get(f"{2:064x}")
    assert len(Store(tmp_path)) == 2
    assert found is not None
    assert (found.verdict, found.unscored, found.alone) == (None, "unparsed", True)


def test_each_line_is_json_for_people_and_tools(tmp_path: Path) -> None:
    """Digests and numbers, and no text."""
    [line] = written(tmp_path, 7).read_text(encoding="utf-8").splitlines()
    assert {"key", "verdict", "judge", "judge_completion_sha256", "crc"} <= json.loads(line).keys()


def test_cut_anywhere_the_whole_lines_before_survive(tmp_path: Path) -> None:
    """A torn line is cut on opening, and the next one is not glued to it."""
    content = written(tmp_path / "whole", 1, 2, 3).read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == 10]
    for size in range(0, len(content) + 1, 7):
        folder = tmp_path / f"cut{size}"
        folder.mkdir()
        (folder / segments(tmp_path / "whole")[0].name).write_bytes(content[:size])
        before = sum(end <= size for end in ends)
        assert len(Store(folder)) == before
        with Store(folder) as store:
            store.add([record(9)])
        assert len(Store(folder)) == before + 1, size


def test_zeros_at_the_end_are_a_torn_line(tmp_path: Path) -> None:
    """As some file systems leave them after a power loss."""
    path = written(tmp_path, 1)
    with path.open("ab") as file:
        file.write(b"\0" * 5000)
    with Store(tmp_path) as store:
        store.add([record(2)])
    assert len(Store(tmp_path)) == 2
    assert b"\0" not in path.read_bytes()


@pytest.mark.parametrize("line", [1, 3])
@pytest.mark.parametrize("offset", [3, 20, 90, -3])
def test_a_flipped_byte_is_seen(tmp_path: Path, offset: int, line: int) -> None:
    """It is an error that names the line, wherever it is; never another verdict."""
    path = written(tmp_path, 1, 2, 3)
    content = [bytearray(text) for text in path.read_bytes().splitlines(keepends=True)]
    content[line - 1][offset] ^= 1
    path.write_bytes(b"".join(content))
    with pytest.raises(JudgingError, match=f"line {line} is not as it was written"):
        Store(tmp_path)


def test_another_file_is_not_taken_for_verdicts(tmp_path: Path) -> None:
    """Rows without checksums, as of a wrong folder, are refused."""
    (tmp_path / "rows.jsonl").write_text('{"behavior_id": "b1"}\n', encoding="utf-8")
    with pytest.raises(JudgingError, match="line 1"):
        Store(tmp_path)


def test_contradictions_are_errors_and_repetitions_are_not(tmp_path: Path) -> None:
    """Within one store, and between segments."""
    with Store(tmp_path) as store:
        store.add([record(1), record(1)])
        store.add([record(1)])
        with pytest.raises(JudgingError, match="two verdicts on one completion"):
            store.add([record(1, "unsafe")])
    assert len(list(lines(segments(tmp_path)[0]))) == 1
    with Log(tmp_path / "other") as log:
        log.append([record(1, "unsafe")])
    os.rename(segments(tmp_path / "other")[0], tmp_path / "zz.jsonl")
    with pytest.raises(JudgingError, match="safe and unsafe"):
        Store(tmp_path)


def test_writers_have_segments_of_their_own(tmp_path: Path) -> None:
    """Two at once do not share one; a later one takes the first that is free."""
    with Log(tmp_path) as first:
        first.append([{"a": 1}])
        with Log(tmp_path) as second:
            second.append([{"b": 2}])
        assert len(segments(tmp_path)) == 2
    with Log(tmp_path) as third:
        third.append([{"c": 3}])
    assert len(segments(tmp_path)) == 2
    assert sum(len(list(lines(path))) for path in segments(tmp_path)) == 3


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """With the way out."""
    (tmp_path / "file").write_text("")
    with pytest.raises(JudgingError) as caught:
        Store(tmp_path / "file" / "store")
    assert "--store" in caught.value.next_step
