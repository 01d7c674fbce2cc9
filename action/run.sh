#!/usr/bin/env bash
# Run the gate in one mode, write its reports, and set every output. Always exits 0: the output `code` is the gate's
# own, for the last step to exit with.
set -u -o pipefail
# shellcheck source-path=SCRIPTDIR source=shared.sh
. "${BASH_SOURCE[0]%/*}/shared.sh"

FORMS=(
  markdown:md html:html junit:junit.xml sarif:sarif attestation:intoto.json vsa:vsa.json badge:badge.json
  github:github.txt
)

gate_id=${IN_GATE_ID//[^A-Za-z0-9._-]/-}
gate_id=${gate_id:0:64}
gate_id=${gate_id:-gate}

# finish CODE [HEADLINE]: without a decision file, every output is set all the same.
finish() {
  set_output code "$1"
  set_output gate-id "$gate_id"
  if [[ $# -gt 1 ]]; then
    set_output decision none
    set_output exit-code "$1"
    set_output headline "$2"
    local count
    for count in pass block inconclusive unusable waived warned findings suites; do
      set_output "count-$count" 0
    done
  fi
  exit 0
}

refuse() {
  annotate error "$1"
  finish 2 "NO DECISION: $1"
}

# Every argument a line, as it is: nothing is split, expanded or run.
read_arguments() {
  arguments=()
  local line
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%$'\r'}
    [[ -z $line ]] || arguments+=("$line")
  done <<<"$IN_ARGS"
}

# run_gate ARGUMENT...: what it prints cannot be a workflow command; its errors are kept for the summary.
run_gate() {
  begin_untrusted
  "$GATE" "$@" </dev/null 2>"$scratch/errors.txt"
  local code=$?
  cat "$scratch/errors.txt" # the runner reads both streams, and keeps no order between them
  end_untrusted
  return "$code"
}

prepare_reports() {
  reports=$IN_REPORTS
  case $reports in
    '' | -* | *[[:cntrl:]]*) refuse "the input reports must name a folder" ;;
  esac
  refuse_links "$reports"
  mkdir -p -- "$reports" 2>/dev/null || refuse "the folder of the input reports cannot be made"
  # What an earlier run left in the folder, or the checkout brought, is not this run's decision.
  local form file
  for form in json:json "${FORMS[@]}"; do
    file=$reports/gate.${form#*:}
    rm -f -- "$file" 2>/dev/null
    [[ ! -e $file && ! -L $file ]] || refuse "what is in the way in the folder of the input reports cannot be removed"
  done
  # The folder is uploaded, and links in it would be followed.
  local links
  links=$(find "$reports/" -type l 2>/dev/null) || refuse "the folder of the input reports cannot be read"
  [[ -z $links ]] || refuse "the folder of the input reports holds links"
}

# refuse_links PATH: a checkout may bring a link in place of the folder, so that something else is written and uploaded.
refuse_links() {
  local at=$1
  case $at in /* | [A-Za-z]:*) return 0 ;; esac # not in the checkout, or not by its doing
  while [[ $at != . && $at != / ]]; do
    while [[ $at == */ ]]; do at=${at%/}; done
    [[ ! -L $at ]] || refuse "the folder of the input reports is behind a link"
    at=$(dirname -- "$at")
  done
}

# What is only read here lies where nothing from the checkout can be in its way.
prepare_scratch() {
  if ! scratch=$(mktemp -d "$RUNNER_TEMP/gate-scratch.XXXXXX") || ! : >"$scratch/errors.txt"; then
    finish 5 "NO DECISION: no temporary file could be made."
  fi
  set_output errors "$scratch/errors.txt"
}

# render JSON: every form, and the outputs; all at once, or where that fails each by itself, so that a form that fails
# is missed and changes nothing else. Fails where the decision file itself cannot be read back.
render() {
  local json=$1 form all=()
  for form in "${FORMS[@]}"; do
    all+=(--report "${form%%:*}:$reports/gate.${form#*:}")
  done
  render_some "$json" "${all[@]}" --report "outputs:$outputs" && return
  render_some "$json" --report "outputs:$outputs" || return
  for form in "${FORMS[@]}"; do
    render_some "$json" --report "${form%%:*}:$reports/gate.${form#*:}"
  done
  return 0
}

render_some() {
  "$GATE" report "$@" </dev/null >/dev/null 2>>"$scratch/errors.txt"
}

# decided CODE: take the outputs from the decision file; a file that cannot be read back decides nothing.
decided() {
  local code=$1 json=$reports/gate.json outputs said form
  outputs=$scratch/outputs.txt
  if [[ ! -s $json ]] || ! render "$json"; then
    without_decision "$code"
  fi
  said=$(sed -n 's/^exit-code=//p' "$outputs" | head -n 1)
  case $IN_MODE:$IN_SHADOW in
    check:true) said=0 ;; # shadow mode
    publish:*) said=$code ;;
  esac
  # Fail closed: a code that is not the decision's is not believed to be one.
  [[ $code == "$said" ]] || without_decision "$code"
  grep -v '^report-' "$outputs" >>"$GITHUB_OUTPUT"
  set_output reports "$reports"
  set_output report-json "$json"
  for form in "${FORMS[@]}"; do
    if [[ -s $reports/gate.${form#*:} ]]; then
      set_output "report-${form%%:*}" "$reports/gate.${form#*:}"
    else
      annotate warning "the report ${form%%:*} could not be written"
    fi
  done
  finish "$code"
}

without_decision() {
  local said code=$1
  case $code in
    0 | 1 | 3) said="the gate wrote no decision that can be read back" code=5 ;;
    2) said="the policy or the command cannot be used" ;;
    4) said="some evidence is unusable" ;;
    5) said="the gate failed; its log says where to report it" ;;
    *) said="the gate was ended before it decided" ;;
  esac
  rm -f -- "$reports/gate.json"
  set_output reports "$reports"
  annotate error "$said (exit code $code)"
  finish "$code" "NO DECISION: $said (exit code $code)."
}

# With the input config, what is not given has its default in [tool.gate] of pyproject.toml, which the gate then says.
check() {
  local command=(check --report terminal --report "json:$reports/gate.json")
  [[ -z $IN_POLICY ]] || command+=("--policy=$IN_POLICY")
  [[ -z $IN_CANDIDATE ]] || command+=("--candidate=$IN_CANDIDATE")
  [[ -z $IN_BASELINE ]] || command+=("--baseline=$IN_BASELINE")
  [[ -z $IN_ANCHOR ]] || command+=("--anchor=$IN_ANCHOR")
  [[ $IN_SHADOW != true ]] || command+=(--exit-zero)
  run_gate "${command[@]}" ${arguments[@]+"${arguments[@]}"}
  decided $?
}

publish() {
  [[ -n $IN_DECISION ]] || refuse "the input decision is empty"
  run_gate report --report terminal --report "json:$reports/gate.json" -- "$IN_DECISION"
  decided $?
}

given_runs() {
  runs=()
  local run
  for run in "$IN_CANDIDATE" "$IN_BASELINE" "$IN_ANCHOR"; do
    [[ -z $run ]] || runs+=("$run")
  done
}

# Unjudged (exit code 1) is this mode's answer, in the output `unjudged`, and no failure. A gate that exits 1 without
# that answer has failed.
status() {
  local command=(status) code said answer=$scratch/answer.txt shown=$scratch/status.txt
  [[ -z $IN_POLICY ]] || command+=("--policy=$IN_POLICY")
  given_runs
  command+=(--github-output "$answer" ${arguments[@]+"${arguments[@]}"} -- "${runs[@]}")
  run_gate "${command[@]}" >"$shown"
  code=$?
  cat "$shown"
  { printf '### What the runs hold\n\n' && grep -v '^::' "$shown" | verbatim; } >>"$GITHUB_STEP_SUMMARY"
  said="gate status exited $code"
  case $code in # 1 without anything unjudged: the policy misses something
    0) answered "$answer" false || code=5 ;;
    1) if answered "$answer" 'true|false'; then code=0; else code=5; fi ;;
    4) answered "$answer" 'true|false' || : ;;
  esac
  ((code != 5)) || said+=" without saying what is unjudged"
  ended "$code" status "$said"
}

# answered FILE WORDS: whether the gate said, in whole and once, what is unjudged; then it becomes the outputs.
answered() {
  [[ -f $1 && $(grep -c '' "$1") == 2 ]] || return 1
  [[ $(grep -c -E "^unjudged=($2)\$" "$1") == 1 && $(grep -c '^suites=\[.*\]$' "$1") == 1 ]] || return 1
  cat "$1" >>"$GITHUB_OUTPUT"
}

judge() {
  local code
  given_runs
  begin_untrusted
  "$GATE" judge ${arguments[@]+"${arguments[@]}"} -- "${runs[@]}" </dev/null 2>&1
  code=$?
  end_untrusted
  ended "$code" judge "gate judge exited $code"
}

# ended CODE MODE SAID: finish a mode that decides nothing, SAID where it failed.
ended() {
  if (($1 == 0)); then
    finish 0 "NO DECISION: mode $2 decides nothing."
  fi
  annotate error "$3; the log of this step says why"
  set_output reports "$reports"
  finish "$1" "NO DECISION: $3."
}

main() {
  if [[ -z ${GATE:-} ]]; then
    finish 5 "NO DECISION: ${PROBLEM:-the gate could not be installed}."
  fi
  clean_environment
  read_arguments
  case ${IN_CONFIG:-} in true | false | '') ;; *) refuse "the input config is true or false" ;; esac
  case $IN_SHADOW in true | false | '') ;; *) refuse "the input shadow is true or false" ;; esac
  case $IN_COMMENT in
    update | recreate | new | on-change | off) ;;
    *) refuse "the input comment is update, recreate, new, on-change or off" ;;
  esac
  case $IN_MODE in
    status | judge) [[ -n $IN_CANDIDATE ]] || refuse "the input candidate is empty" ;;
    check | publish) ;;
    *) refuse "the input mode is check, judge, status or publish" ;;
  esac
  prepare_scratch
  prepare_reports
  "$IN_MODE"
}

main
