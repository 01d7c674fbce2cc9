#!/usr/bin/env bash
# The release path without GitHub: see what is unjudged, have it judged, decide, and leave the evidence behind.
#
#   pre_release.sh POLICY BASELINE CANDIDATE [REPORTS] [-- ARGUMENT OF gate judge...]
#
# What else `gate check` takes, it takes from its environment: GATE_CHECK_ANCHOR, GATE_CHECK_HISTORY,
# GATE_CHECK_BASELINE_RECORD, GATE_CHECK_ANCHOR_RECORD.
#
# Exits as the gate does: 0 release, 1 block, 3 inconclusive, 4 unusable evidence, 2 unusable policy or command, 5 a fault
# of the gate, 75 judging was stopped (the same command goes on from there). Only 0 is a release: `pre_release.sh ... && ship`.
set -euo pipefail

usage() {
  echo "usage: ${0##*/} POLICY BASELINE CANDIDATE [REPORTS] [-- ARGUMENT OF gate judge...]" >&2
  exit 2
}

[[ $# -ge 3 ]] || usage
policy=$1 baseline=$2 candidate=$3
shift 3
reports=gate-report
if [[ $# -gt 0 && $1 != -- ]]; then
  reports=$1
  shift
fi
[[ $# -eq 0 || $1 == -- ]] || usage
[[ $# -eq 0 ]] || shift

mkdir -p -- "$reports"
outputs=$(mktemp)
trap 'rm -f -- "$outputs"' EXIT

# Exits 1 where something is unjudged; whatever else is wrong, `gate check` says it better.
gate status --github-output "$outputs" -- "$candidate" "$baseline" || true
if grep -qx 'unjudged=true' "$outputs"; then
  gate judge "$@" -- "$candidate" "$baseline"
fi

# What an earlier release left there is not this one's.
rm -f -- "$reports"/gate.*
code=0
gate check --policy "$policy" --baseline "$baseline" --candidate "$candidate" \
  --report terminal --report "json:$reports/gate.json" || code=$?

if [[ -s $reports/gate.json ]]; then
  gate report "$reports/gate.json" --report "markdown:$reports/gate.md" --report "html:$reports/gate.html" \
    --report "junit:$reports/gate.junit.xml" --report "attestation:$reports/gate.intoto.json" ||
    echo "a report could not be written; the decision stands" >&2
fi
exit "$code"
