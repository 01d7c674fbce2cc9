"""Policies: what a release must meet, as YAML, read once and trusted after."""

from gate.policy.json_schema import policy_schema, run_schema
from gate.policy.load import load
from gate.policy.schema import Policy, SuiteRules
from gate.policy.sources import SHIPPED, resolve
from gate.policy.waivers import Waiver, apply_waivers

__all__ = [
    "SHIPPED",
    "Policy",
    "SuiteRules",
    "Waiver",
    "apply_waivers",
    "load",
    "policy_schema",
    "resolve",
    "run_schema",
]
