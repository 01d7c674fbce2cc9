#!/usr/bin/env bash
# Install the gate that came with this action into an environment of its own. Always exits 0: the outputs say
# `gate` (the command), or `problem` (why there is none).
set -u -o pipefail
# shellcheck source-path=SCRIPTDIR source=shared.sh
. "${BASH_SOURCE[0]%/*}/shared.sh"

fail() {
  annotate error "$1"
  set_output problem "$1"
  exit 0
}

new_enough() {
  "$1" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Caller's pip settings (an index mirror, a proxy) hold here too; what would install elsewhere does not.
install_into() {
  local venv=$1 what=$2 constraints=$GITHUB_ACTION_PATH/constraints.txt
  "$python" -I -m venv --clear "$venv" || return
  local bin=$venv/bin
  [[ -d $bin ]] || bin=$venv/Scripts # Windows
  local pip=("$bin/python" -I -m pip install --quiet --no-input --disable-pip-version-check --constraint "$constraints")
  "${pip[@]}" hatchling && "${pip[@]}" --no-build-isolation "$what" && printf '%s' "$bin/gate" >"$venv/gate-command"
}

clean_environment
extras=${IN_EXTRAS//[[:space:]]/}
[[ $extras =~ ^[a-z0-9,]*$ ]] || fail "the input extras holds more than names and commas"

python=""
for candidate in "${IN_PYTHON:-}" python3 python; do
  if [[ -n $candidate ]] && new_enough "$candidate"; then
    python=$candidate
    break
  fi
done
[[ -n $python ]] || fail "no Python 3.11 or newer was found; name one with the input python"

what="${GITHUB_ACTION_PATH}[github,html${extras:+,$extras}]" # the comment, the page, and what was asked for
# One job may use the action several times, in several versions.
key=$(printf '%s\n' "$what" "$(cat "$GITHUB_ACTION_PATH/gate/__init__.py")" | cksum | tr -d ' \n')
venv=$RUNNER_TEMP/checkpoint-gate-$key

if [[ ! -s $venv/gate-command ]]; then
  begin_untrusted
  install_into "$venv" "$what" </dev/null 2>&1
  installed=$?
  end_untrusted
  ((installed == 0)) || fail "the gate could not be installed; the log of this step says why"
fi
set_output gate "$(cat "$venv/gate-command")"
