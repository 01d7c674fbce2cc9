"""A GitHub workflow that decides with a policy and shows the report on the job's summary."""

from collections.abc import Mapping

from gate import __version__
from gate.yaml_text import inline

CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
SETUP_PYTHON = "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0"

TEMPLATE = """\
# Decides whether a checkpoint may be released: exits 0 (release), 1 (block), 3 (inconclusive),
# 4 (unusable evidence) or 2 (unusable policy or command), and fails the job on all but 0.
name: gate

on:
  pull_request:
  workflow_dispatch:
    inputs:
      baseline:
        description: The last released run, a directory or URI
        default: {baseline}
      candidate:
        description: The run to decide on, a directory or URI
        default: {candidate}

permissions:
  contents: read

concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: true

jobs:
  gate:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      # Actions are pinned by commit: a tag can be moved.
      - uses: {checkout}
        with:
          persist-credentials: false
      - uses: {setup_python}
        with:
          python-version: "3.12"
      - run: python -m pip install "checkpoint-gate=={version}"
      - name: Decide
        # Inputs reach the shell as variables only, so that no value of theirs runs as code.
        env:
          POLICY: {policy}
          BASELINE: {baseline_input}
          CANDIDATE: {candidate_input}
        shell: bash
        run: |
          runs=(--candidate "$CANDIDATE")
          if [ -n "$BASELINE" ]; then runs+=(--baseline "$BASELINE"); fi
          code=0
          gate check --policy "$POLICY" "${{runs[@]}}" \\
            --report terminal --report "markdown:$RUNNER_TEMP/gate.md" || code=$?
          # No report is written where the policy or command cannot be used.
          if [ -f "$RUNNER_TEMP/gate.md" ]; then
            cat "$RUNNER_TEMP/gate.md" >> "$GITHUB_STEP_SUMMARY"
          fi
          exit "$code"
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
        setup_python=SETUP_PYTHON,
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
