"""A GitHub workflow that decides with a policy, by the action of this version."""

from collections.abc import Mapping

from gate import __version__
from gate.yaml_text import inline

CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"

TEMPLATE = """\
# Decides whether a checkpoint may be released, and fails on all but a release: exit code 1 is
# block, 3 inconclusive, 4 unusable evidence, 2 an unusable policy or command.
# Make "gate" a required check.
name: gate

on:
  pull_request:
  merge_group:
  workflow_dispatch:
    inputs:
      baseline:
        description: The last released run, a directory or URI
        default: {baseline}
      candidate:
        description: The run to decide on, a directory or URI
        default: {candidate}

permissions: {{}}

concurrency:
  group: gate-${{{{ github.event.pull_request.number || github.ref }}}}
  cancel-in-progress: true

jobs:
  gate:
    name: gate
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    permissions:
      contents: read # checkout
      pull-requests: write # the comment; a pull request from a fork has the summary only
    steps:
      - uses: {checkout}
        with:
          persist-credentials: false
      # A tag can be moved: pin the commit of the release that you reviewed, as above.
      - uses: checkpoint-gate/checkpoint-gate@v{version} # zizmor: ignore[unpinned-uses]
        with:
          policy: {policy}
          baseline: {baseline_input}
          candidate: {candidate_input}
"""


def workflow_text(policy: str, runs: Mapping[str, str]) -> str:
    """Write the workflow.

    Args:
        policy: The policy's path, relative to the repository.
        runs: By role: where the run was, as the user wrote it; none at all for the usual places.
    """
    runs = runs or {"baseline": "runs/baseline", "candidate": "runs/candidate"}
    baseline, candidate = runs.get("baseline", ""), runs.get("candidate", "runs/candidate")
    return TEMPLATE.format(
        checkout=CHECKOUT,
        version=__version__,
        policy=inline(policy),
        baseline=inline(baseline),
        candidate=inline(candidate),
        baseline_input=_input("baseline", baseline),
        candidate_input=_input("candidate", candidate),
    )


def _input(name: str, default: str) -> str:
    """Write the expression for an input; in a GitHub expression a quote is doubled."""
    literal = default.replace("'", "''")
    return inline(f"${{{{ inputs.{name} || '{literal}' }}}}")
