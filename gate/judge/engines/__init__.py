"""The engines: one module each, imported when it is asked for."""

from collections.abc import Mapping

ENGINES: Mapping[str, str] = {
    "openai": "gate.judge.engines.openai",
    "ray": "gate.judge.engines.ray",
    "transformers": "gate.judge.engines.transformers",
    "vllm": "gate.judge.engines.vllm",
}
"""By the name of the setting `engine`; each module has `make(settings) -> Engine`."""
