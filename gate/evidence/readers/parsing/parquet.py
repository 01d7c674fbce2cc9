"""Parquet, where pyarrow is installed."""

from collections.abc import Collection, Iterator
from typing import Any

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.streams import unreadable
from gate.reasons import Reason

ROWS = 1 << 15


def column_batches(
    files: Files, path: str, wanted: Collection[str]
) -> Iterator[tuple[list[str], dict[str, list[Any]], int]]:
    """Yield all column names, the columns wanted, and the number of rows, batch by batch.

    Raises:
        EvidenceError: If pyarrow is missing or the file is damaged.
    """
    try:
        # `pyarrow.parquet.read_table` would import pandas; this class does not.
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise EvidenceError(
            Reason.E_DEPENDENCY,
            f"{path}: reading Parquet needs a package that is not installed",
            next_step="Run: pip install 'checkpoint-gate[parquet]'",
        ) from error
    with files.seekable(path) as source:
        try:
            parquet = ParquetFile(source)
            names = list(parquet.schema_arrow.names)
            kept = [name for name in names if name in wanted]
            for batch in parquet.iter_batches(ROWS, columns=kept):
                columns = {name: batch.column(name).to_pylist() for name in kept}
                yield names, columns, batch.num_rows
        # A damaged file makes pyarrow raise almost anything.
        except Exception as error:
            what = f"is not a readable Parquet file ({type(error).__name__})"
            raise unreadable(path, what) from error
