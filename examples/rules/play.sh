#!/bin/sh
# Five agents, one send: what is implemented, tested, fixed, tested again and verified goes from one to the next by the rules
# in agents.yaml alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT PIPE TERM
for variable in $(env | sed -n 's/^\(HANDOFF_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export XDG_STATE_HOME="$state" XDG_CONFIG_HOME="$state" HANDOFF_WORKSPACE=example
mkdir -p "$state/project/.handoff"
cp "$here/agents.yaml" "$state/project/.handoff/"
cd "$state/project"
git init -q

handoff rules test .handoff/agents.yaml

# Rules of a repository send nothing before a person allowed them. At a terminal this asks; here a file of the person's says
# that nobody has to be asked in this workspace.
mkdir -p "$state/handoff"
echo example >"$state/handoff/approvals"
handoff allow

# as AGENT COMMAND... claims what waits for the agent, and ends it so.
as() {
  agent=$1
  shift
  handoff claim --agent "$agent" | head -1
  handoff "$@" --agent "$agent"
}

handoff send role:implementation "Detect the operating mode" --type implementation --agent planner
as implementation-specialist-BlueLake complete 1 --summary "It reads the mode from the flags."
as testing-specialist-RedStone fail 2 "The flag --direct is ignored." --type test_failure
handoff rules test .handoff/agents.yaml 2
as fixing-specialist-GreenCastle complete 3 --summary "The flag is read first."
as testing-specialist-RedStone complete 4 --summary "12 tests passed."
as verification-specialist-WhiteHill complete 5 --summary "Approved."
handoff history wf_1


handoff workflow start triage "The login hangs" --agent planner
handoff show 6 | head -3
