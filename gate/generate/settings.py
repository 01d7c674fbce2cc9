"""How to run the checkpoint: as a judge's weights are run, in other words."""

from pydantic import Field

from gate.judge.settings import EngineSettings


class CheckpointSettings(EngineSettings):
    """The settings of an engine that generates."""

    weights: str | None = Field(
        None, description="The checkpoint: a folder or a Hugging Face hub id."
    )
    batch_tokens: int | None = Field(
        None,
        ge=1,
        description="The most tokens in one batch, answers included; by default what the memory "
        "holds (transformers).",
    )
