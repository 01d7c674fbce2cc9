"""Read both runs of a comparison; what the user names must be there."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from gate.errors import EvidenceError, UsageError
from gate.evidence.run import Run, load_run


def load_sides(
    bases: Mapping[str, str], asked: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, Run]]:
    """Read both runs.

    Args:
        bases: By role: where the run is.
        asked: The suites to read; none named means every one of either run.

    Returns:
        The suites, in the order of the manifests, and the runs by role.

    Raises:
        EvidenceError: If a whole run cannot be used: then nothing can be compared.
        UsageError: If no run has a suite that is asked for.
    """
    manifests = (run.manifest for run in _load(bases, ()).values())
    there = dict.fromkeys(name for each in manifests if each is not None for name in each.suites)
    refuse_unknown(asked, there, "suite")
    suites = tuple(asked) or tuple(there)
    return suites, _load(bases, suites)


def refuse_unknown(names: Iterable[str], known: Collection[str], noun: str) -> None:
    """Refuse a name that neither run has.

    Raises:
        UsageError: Naming what there is.
    """
    unknown = [name for name in names if name not in known]
    if unknown:
        there = ", ".join(sorted(filter(None, known))) or "none"
        raise UsageError(f"neither run has a {noun} {unknown[0]!r} (there are: {there})")


def _load(bases: Mapping[str, str], suites: Sequence[str]) -> dict[str, Run]:
    runs = {role: load_run(base, role, suites) for role, base in bases.items()}
    for role, run in runs.items():
        if run.problem is not None:
            problem = run.problem
            message = f"the {role} run: {problem.message}"
            raise EvidenceError(problem.reason, message, next_step=problem.next_step)
    return runs
