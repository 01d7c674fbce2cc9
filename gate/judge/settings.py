"""How to judge or generate on this machine: from options, or from a file (`--settings`)."""

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from gate.errors import UsageError
from gate.evidence.manifest import Strict
from gate.yaml_lines import read_tree
from gate.yaml_wording import in_words


class EngineSettings(Strict):
    """How to run a checkpoint or a judge's weights."""

    engine: str = Field(
        "transformers",
        description="What runs the weights: transformers (default), vllm, openai or ray.",
    )
    weights: str | None = Field(
        None,
        description="The weights to run: a folder or a Hugging Face hub id; by default the "
        "judge's own id.",
    )
    revision: str | None = Field(None, description="Which revision of a hub id.")
    tokenizer: str | None = Field(
        None, description="The tokenizer, where the engine has none: a folder or a hub id."
    )
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto", description="Precision of the arithmetic: float32 on a CPU, bfloat16 on a GPU."
    )
    device: str = Field("auto", description="Where to compute: auto, cpu, cuda, cuda:1, balanced.")
    batch_tokens: int | None = Field(
        None, ge=1, description="The most tokens in one batch: 2048 on a CPU, 16384 on a GPU."
    )
    gpus: int = Field(
        1, ge=1, description="GPUs that one copy of the weights is spread over: 1 (vllm, ray)."
    )
    url: str | None = Field(
        None,
        description="An OpenAI-compatible server, as http://localhost:8000/v1 (openai).",
    )
    served: str | None = Field(
        None, description="What the server calls the weights; by default as in weights (openai)."
    )
    key_variable: str | None = Field(
        None, description="The environment variable with the server's key (openai)."
    )
    concurrency: int = Field(16, ge=1, le=1024, description="Requests at once: 16 (openai).")
    rate: float | None = Field(None, gt=0, description="The most requests a minute (openai).")
    timeout: float = Field(
        120, gt=0, description="Seconds for one answer, from connecting to its end: 120 (openai)."
    )
    tries: int = Field(6, ge=1, description="How often one request is tried: 6 (openai).")
    address: str | None = Field(
        None,
        description="A Ray cluster that runs: auto, or host:port; by default Ray starts on this "
        "machine (ray).",
    )
    workers: int | None = Field(
        None,
        ge=1,
        description="Copies of the weights that work at once; by default one for each GPU of the "
        "cluster, or for each machine without GPUs (ray).",
    )
    each: Literal["transformers", "vllm"] = Field(
        "transformers", description="The engine in each worker (ray)."
    )


class JudgeSettings(EngineSettings):
    """How to judge a suite."""

    judge: str | None = Field(
        None,
        description="How completions are judged: harmbench, copyright, refusal, rjudge, rubric, "
        "label-spec, generic-safety or template; by default what run.yaml's judge.id or the "
        "suite's kind implies.",
    )
    behaviors: str | None = Field(
        None, description="HarmBench's behaviors CSV, which holds the texts that the judge reads."
    )
    template: str | None = Field(
        None, description="A file with the judge's prompt; by default its own model card's."
    )
    labels: dict[str, str] = Field(
        {},
        description="What the judge may answer, to what it means; exact after trim and casefold.",
    )
    clip: int = Field(512, ge=1, description="Tokens of a completion that the judge reads.")
    chat: bool = Field(
        False, description="Judge `template`: put the prompt through the chat template."
    )
    answer_tokens: int = Field(
        1,
        ge=1,
        description="Tokens of the judge's answer, which must end within them; by default 1 "
        "(template), 2048 (rubric) or 256 (label-spec, generic-safety).",
    )
    rubric: str | None = Field(
        None, description="In rubric suites: the rubric file (see `gate schema rubric`)."
    )
    specifications: str | None = Field(
        None, description="Judge `label-spec`: the file that defines the labels."
    )
    repairs: int = Field(
        1,
        ge=0,
        le=5,
        description="In rubric suites: how often an answer that cannot be read is asked again.",
    )
    leave_copyright: bool = Field(
        False, description="Leave copyright behaviors unscored, where there are no hashes."
    )
    hashes: str | None = Field(
        None,
        description="The folder of HarmBench's reference hashes, which copyright behaviors are "
        "judged by (data/copyright_classifier_hashes in its repository).",
    )


class SettingsFile(JudgeSettings):
    """The settings of every suite, and those of some suites that differ."""

    suites: dict[str, JudgeSettings] = Field({}, description="By suite: what differs for it.")

    def of(self, suite: str, given: JudgeSettings) -> JudgeSettings:
        """Combine what is said of all suites, of this one, and on the command line, in order."""
        layers = [self.model_dump(exclude={"suites"}, exclude_unset=True)]
        if suite in self.suites:
            layers.append(self.suites[suite].model_dump(exclude_unset=True))
        layers.append(given.model_dump(exclude_unset=True))
        return JudgeSettings.model_validate({k: v for layer in layers for k, v in layer.items()})


def read_settings(path: Path) -> SettingsFile:
    """Read a settings file.

    Raises:
        UsageError: Naming every place that is wrong, by line and column.
    """
    try:
        tree = read_tree(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"cannot read the settings {str(path)!r}: {error.strerror}",
            next_step="Name a YAML file of settings with --settings.",
        ) from error
    mistakes = list(tree.mistakes)
    if not mistakes:
        try:
            return SettingsFile.model_validate(tree.value or {})
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)
            known = [*SettingsFile.model_fields]
            mistakes += [w.placed(tree) for w in in_words(details, tree.value, lambda _: known)]
    lines = dict.fromkeys(mistake.render(str(path)) for mistake in sorted(mistakes))
    raise UsageError("\n".join(lines), next_step="Correct the settings where the lines point.")
