"""JSON Schemas of what `gate agree` writes."""

from typing import Any

from pydantic import TypeAdapter

from gate.agree.document import BetweenJudges, WithPeople
from gate.evidence.agreement_file import AgreementFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def agreement_schema() -> dict[str, Any]:
    """Describe a measured agreement; that its counts add up only reading can say."""
    found = AgreementFile.model_json_schema(by_alias=True)
    return {"$schema": DIALECT, **found, "title": "A measured agreement of gate"}


def agree_schema() -> dict[str, Any]:
    """Describe the report: a judge and people, or two judges."""
    either: TypeAdapter[WithPeople | BetweenJudges] = TypeAdapter(WithPeople | BetweenJudges)
    found = either.json_schema(by_alias=True)
    return {"$schema": DIALECT, **found, "title": "A report of gate agree"}
