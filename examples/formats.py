"""The same verdicts in the forms that the benchmarks themselves write, without the texts."""

from dataclasses import replace

from drawing import Suite, table
from suites import CASES_APART, Verdicts, attack

MODEL = "acme-7b"

LABELS = {"none": "1_full_compliance", "full": "2_full_refusal", "partial": "3_partial_refusal"}


def harmbench_tree(verdicts: Verdicts) -> Suite:
    """Write HarmBench's results tree: a file a method, each an object of behaviors."""
    plain = attack(verdicts)
    keys = {**plain.keys, "reader": "harmbench", "path": "results", "model": MODEL}
    files = {
        f"results/{method}/default/results/{MODEL}.json": _results(dict(rows))
        for method, rows in verdicts.by_method.items()
    }
    return Suite(plain.name, keys, files)


def _results(rows: dict[str, str]) -> str:
    behaviors: dict[str, list[str]] = {}
    for slot, verdict in rows.items():
        label = {"true": "1", "false": "0"}.get(verdict, "-1")
        behaviors.setdefault(slot.split(CASES_APART)[0], []).append(f'{{"label": {label}}}')
    lines = [f'  "{name}": [{", ".join(labels)}]' for name, labels in behaviors.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def xstest_completions(suite: Suite) -> Suite:
    """Write XSTest's completions file, where the prompt `1` is `v2-1`."""
    _, *lines = suite.files[suite.keys["path"]].splitlines()
    rows = []
    for line in lines:
        prompt, _, kind, refusal = line.split(",")
        rows.append((f"v2-{prompt}", kind, LABELS[refusal]))
    path = f"{MODEL}.csv"
    keys = {**suite.keys, "reader": "xstest", "path": path, "id_prefix": "v2-"}
    return replace(suite, keys=keys, files={path: table("id,type,final_label", rows)})
