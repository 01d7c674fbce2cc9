# shellcheck shell=bash
# What the steps share. Kept to bash 3.2, which is what macOS runners have.

# set_output NAME VALUE: the value may be anything. Its last line is random, so that no value can end itself.
set_output() {
  local end
  end="gate-$(random)"
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

random() {
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

# annotate SORT MESSAGE: an annotation; what ends or starts a workflow command in the message is escaped.
annotate() {
  local message=$2
  message=${message//'%'/%25}
  message=${message//$'\r'/%0D}
  message=${message//$'\n'/%0A}
  printf '::%s title=gate::%s\n' "$1" "$message"
}

# What is read, as the words of a page: nothing in it is Markdown, HTML, a link or a mention.
verbatim() {
  printf '<pre>\n'
  head -c 20000 | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
  printf '\n</pre>\n'
}

# Between these two, nothing that is printed is read as a workflow command: names from files are printed there.
begin_untrusted() {
  STOPPED=$(random)
  printf '::stop-commands::%s\n' "$STOPPED"
}

end_untrusted() {
  printf '\n::%s::\n' "$STOPPED"
}

# Whoever calls the action may have set these for a Python or a gate of their own.
clean_environment() {
  unset PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIREMENT
  local name
  for name in $(compgen -v GATE_CHECK_) $(compgen -v GATE_STATUS_) $(compgen -v GATE_JUDGE_) \
    $(compgen -v GATE_REPORT_) $(compgen -v GATE_COMMENT_); do
    unset "$name"
  done
  # The checkout may bring a [tool.gate] of its own: policy, anchor, history and reports of its choice.
  export GATE_NO_CONFIG=1
  [[ ${IN_CONFIG:-} != true ]] || unset GATE_NO_CONFIG
  export PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
}
