#!/bin/sh
# Work that a human has to approve, and a question that its sender has to answer. It plays in a workspace of its
# own, so the handoff is number 1.
set -eu
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT PIPE TERM
export XDG_STATE_HOME="$state" XDG_CONFIG_HOME="$state/config" HANDOFF_WORKSPACE=example

# handoff approve asks at the terminal. A script has no terminal, so this file allows approval without the question.
mkdir -p "$XDG_CONFIG_HOME/handoff"
echo "$HANDOFF_WORKSPACE" >"$XDG_CONFIG_HOME/handoff/approvals"

handoff send dba "Drop the table sessions_2024" --agent dev --needs-approval

# No agent gets the work before the approval: exit status 6 means that no handoff waits.
handoff claim --agent dba || test $? -eq 6
handoff list --box notices --agent human
handoff approve 1 --agent human --reason "The backup of Sunday is good"

# A question stops the work until it is answered.
handoff claim --agent dba
handoff update 1 --agent dba --ask "Does anything read it still?"
handoff list --stuck
handoff answer 1 --agent dev "The report of May did, and is gone"

handoff claim 1 --agent dba
handoff complete 1 --agent dba --summary "Dropped, 4 GB are free"
handoff wait 1
