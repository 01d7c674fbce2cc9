"""`run.yaml`: what a run says of itself."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from gate.evidence.rows import Kind

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""A name that a report can show on one line; readers of reports escape it."""


class Strict(BaseModel):
    """Frozen, no unknown keys, no conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Checkpoint(Strict):
    """A model at one moment."""

    name: Name
    revision: str | None = Field(None, description="Commit, tag or digest of the weights.")
    chat_template_sha256: str | None = Field(None, description="Of the chat template used.")
    system_prompt_sha256: str | None = Field(None, description="Of the system prompt used.")


class Judge(Strict):
    """What turned completions into verdicts."""

    id: Name
    revision: str | None = None
    template_sha256: str | None = None
    rubric_sha256: str | None = Field(None, description="Of the rubrics that the judge was given.")
    decoding: str | None = Field(None, description="How the judge answered, as `gate judge` did.")
    dtype: str | None = Field(None, description="The precision of the judge's arithmetic.")
    depends: dict[str, str] = Field(
        {}, description="What else decided verdicts, as `gate judge` found it: digests by name."
    )


class Judging(Strict):
    """What `gate judge` counted; every number is of completions."""

    completions: int = Field(ge=0, description="How many there are.")
    marks: dict[str, int] = Field({}, description="Of them: `empty`, `clipped`, `near_ties`, ….")
    notes: dict[str, str] = Field({}, description="Where the judge's prompt came from, and more.")
    files: dict[str, str] = Field(
        {}, description="The completions judged: sha256 by path; other ones there are unjudged."
    )


class Generation(BaseModel):
    """How completions were generated; further decoding settings are compared as they stand."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    max_new_tokens: int | None = Field(None, ge=1)
    temperature: float | None = Field(None, ge=0)


class Suite(Strict):
    """One benchmark run in one way."""

    kind: Literal["attack", "refusal", "judgment", "rubric"]
    reader: Name = Field(description="How the verdict files are read: see `gate schema run`.")
    path: str | list[str] | dict[str, str] | None = Field(
        None,
        description="A file, a tree, a list of files, or a file a method; relative to run.yaml.",
    )
    judge: Judge
    generation: Generation = Generation()
    methods: list[Name] | None = Field(None, description="The attack methods to read.")
    model: Name | None = Field(None, description="The file stem in a HarmBench tree.")
    experiments: dict[str, str] = Field({}, description="HarmBench experiment folder a method.")
    split: Literal["test", "val", "all"] | None = None
    id_prefix: str | None = Field(None, description="Stripped from the start of every id.")
    columns: dict[str, str] = Field({}, description="Our column name: the file's column name.")
    labels: dict[str, str | None] = Field(
        {}, description="The file's label: ours; null or a reason for unscored. Exact matches."
    )
    label_column: str | None = Field(None, description="Which column of the file is the verdict.")
    constants: dict[str, str] = Field({}, description="Columns that are the same in every row.")
    encoding: str = "utf-8"
    taxonomy: str | None = Field(
        None, description="In rubric suites: a file with the tree of labels, l1 to l2 to l3."
    )
    completions: str | dict[str, str] | None = Field(
        None, description="Completions for `gate judge`: a file, a tree, or a file a method."
    )
    judging: Judging | None = Field(None, description="Written by `gate judge`.")

    @model_validator(mode="after")
    def _attack_suites_fix_a_length(self) -> "Suite":
        if self.kind == "attack" and self.generation.max_new_tokens is None:
            raise ValueError("an attack suite must declare generation.max_new_tokens")
        return self

    @property
    def suite_kind(self) -> Kind:
        """The kind as an enumeration."""
        return Kind(self.kind)


class Manifest(Strict):
    """The whole of run.yaml."""

    schema_: Literal["gate.run/v1"] = Field(alias="schema")
    checkpoint: Checkpoint
    suites: dict[Name, Suite] = Field(min_length=1)
    notes: Any = Field(None, description="Yours; never read.")
