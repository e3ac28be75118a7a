#!/bin/sh
# Five agents, one send: agents implement, test, fix, test again and verify. Only the rules in agents.yaml pass the work from
# one to the next.
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

# Rules of a repository send nothing before a person has allowed them. At a terminal handoff allow asks; here a file of the
# person allows this workspace to act without the question.
mkdir -p "$state/handoff"
echo example >"$state/handoff/approvals"
handoff allow

# as AGENT COMMAND... claims the next handoff of the agent, and ends it with the command.
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
