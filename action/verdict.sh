#!/usr/bin/env bash
# Exit with the gate's own code, last of all; where no code was kept, nothing was shown to hold.
set -u -o pipefail

if [[ ! ${CODE:-} =~ ^[0-9]{1,3}$ ]] || ((CODE > 255)); then
  printf 'NO DECISION: the gate did not come to an end.\n'
  exit 5
fi
printf 'exit code %s\n' "$CODE"
exit "$CODE"
