"""What it would take to judge what is unjudged; no judge is loaded for it."""

from dataclasses import dataclass
from pathlib import Path

from gate.errors import EvidenceError, GateError
from gate.evidence.files import Files
from gate.evidence.run import load_manifest

CLIP = 2048
"""Characters of a completion that a judge reads at most: 512 tokens of 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of one suite."""

    completions: int
    tokens: int
    """Of the completions alone, at four characters a token, clipped at 512."""
    judged: int = 0
    """Completions that have a verdict in the run's store."""
    device: str = ""
    """Where verdicts were judged the last time."""
    rate: float = 0.0
    """Verdicts a second there; 0 where it was not measured."""

    @property
    def left(self) -> int:
        """Completions without a verdict."""
        return self.completions - self.judged


def cost(place: str, name: str) -> Cost | None:
    """Count the completions of a suite; None where they cannot be read."""
    from gate.judge.completions import read_completions

    try:
        manifest, files = load_manifest(place)
        sizes = [
            min(len(one.text), CLIP) // 4
            for one in read_completions(files, manifest.suites[name], name)
        ]
    except EvidenceError:
        return None
    judged, device, rate = _progress(place, name, files)
    return Cost(
        completions=len(sizes),
        tokens=sum(sizes),
        judged=min(judged, len(sizes)),
        device=device,
        rate=rate,
    )


def _progress(place: str, name: str, files: Files) -> tuple[int, str, float]:
    """Say how many completions the run's own store has verdicts on, and how fast that was."""
    from gate.judge.job import read_job
    from gate.judge.speed import read_speed
    from gate.judge.store import Store
    from gate.judge.work import job_file, store_folder

    folder = Path(place)
    if not job_file(folder, name).is_file():
        return 0, "", 0.0
    speed = read_speed(folder, name)
    rate = speed.verdicts / speed.seconds if speed else 0.0
    try:
        store, job = Store(store_folder(folder)), read_job(job_file(folder, name))
        same = all(files.sha256(path) == sha256 for path, sha256 in job.head.files.items())
        judged = sum(row.key in store for row in job.rows) if same else 0
    except GateError:
        return 0, "", 0.0
    return judged, speed.device if speed else "", rate
