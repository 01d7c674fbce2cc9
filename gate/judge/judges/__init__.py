"""The judges: one module each, imported when it is asked for."""

from collections.abc import Mapping

JUDGES: Mapping[str, str] = {
    "copyright": "gate.judge.judges.copyright",
    "refusal": "gate.judge.judges.refusal",
    "rjudge": "gate.judge.judges.rjudge",
    "harmbench": "gate.judge.judges.harmbench",
    "template": "gate.judge.judges.template",
    "rubric": "gate.judge.judges.rubric",
    "label-spec": "gate.judge.judges.label_spec",
    "generic-safety": "gate.judge.judges.generic_safety",
}
"""By the name of the setting `judge`; each module has `make(settings, engine) -> Judge`."""
