"""The readers: one module for each form that verdicts come in."""

from collections.abc import Callable, Mapping

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers import harmbench, jailbreakbench, native, rjudge, table, xstest
from gate.evidence.rows import Rows

Reader = Callable[[Files, Suite, str], Rows]
"""Reads the verdict files of a suite; raises `EvidenceError`. The text is the suite's name."""

READERS: Mapping[str, Reader] = {
    "native": native.read,
    "harmbench": harmbench.read,
    "jailbreakbench": jailbreakbench.read,
    "xstest": xstest.read,
    "rjudge": rjudge.read,
    "table": table.read,
}
