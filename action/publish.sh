#!/usr/bin/env bash
# Show what was decided: on the job's summary, as annotations, and as a comment. Always exits 0: nothing that fails
# here changes what the gate decided.
set -u -o pipefail
# shellcheck source-path=SCRIPTDIR source=shared.sh
. "${BASH_SOURCE[0]%/*}/shared.sh"

MOST=1000000 # bytes; a summary above 1 MiB is not shown at all

summarize() {
  local markdown=$REPORTS/gate.md errors=${ERRORS:-}
  if [[ -n $REPORTS && -s $markdown ]] && (($(wc -c <"$markdown") < MOST)); then
    cat "$markdown"
    return
  fi
  printf '### Checkpoint gate\n\n'
  printf '%s\n' "${HEADLINE:-NO DECISION: the gate did not run.}" | verbatim
  if [[ -n $errors && -s $errors ]]; then
    printf '\n'
    verbatim <"$errors"
  fi
}

comment() {
  local json=$REPORTS/gate.json
  if [[ $IN_COMMENT == off || -z $PULL_REQUEST ]]; then
    return 0
  elif [[ -z $REPORTS || ! -s $json ]]; then
    annotate notice "no comment: there is no decision to show"
  elif [[ -z $GITHUB_TOKEN ]]; then
    annotate notice "no comment: there is no token; the report is on the job's summary"
  elif [[ ! $PULL_REQUEST =~ ^[0-9]{1,18}$ ]]; then
    annotate warning "no comment: the pull request is no number"
  else
    local command=(comment "$json" "--repo=$GITHUB_REPOSITORY" "--pr=$PULL_REQUEST" "--gate-id=$GATE_ID")
    command+=("--mode=$IN_COMMENT")
    [[ -z $ARTIFACT_URL ]] || command+=("--artifact-url=$ARTIFACT_URL")
    local said code
    said=$("$GATE" "${command[@]}" </dev/null 2>&1)
    code=$?
    begin_untrusted
    printf '%s\n' "$said"
    end_untrusted
    # On a pull request from a fork the gate says that it may not write, and ends well.
    case $said in
      *::notice*) annotate notice "no comment: this job has no token that may write; the report is on its summary" ;;
    esac
    ((code == 0)) || annotate warning "the comment could not be written; the report is on the job's summary"
  fi
}

clean_environment
case $IN_MODE:${CODE:-} in status:0 | judge:0) exit 0 ;; esac # they decide nothing
summarize >>"$GITHUB_STEP_SUMMARY" || annotate warning "the job's summary could not be written"
if [[ -n $REPORTS && -s $REPORTS/gate.github.txt ]]; then
  cat "$REPORTS/gate.github.txt" # made of workflow commands only
fi
comment || annotate warning "the comment could not be written"
exit 0
