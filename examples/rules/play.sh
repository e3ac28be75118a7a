#!/bin/sh
# Five agents, one send: agents implement, test, fix, test again and verify. Only the rules in agents.yaml pass the work from
# one to the next.
set -eu
. "$(dirname "$0")/../session.sh"
project "$(dirname "$0")/agents.yaml"

handoff rules test .handoff/agents.yaml

# Rules of a repository send nothing before a person has allowed them. At a terminal handoff allow asks; here a file of the
# person allows this workspace to act without the question.
mkdir -p "$state/handoff"
echo example >"$state/handoff/approvals"
handoff allow

# brief ID prints the brief of a handoff, without what differs from one run to the next, and notes its bytes.
brief() {
  handoff show "$1" --brief | sed 's| /[^ ]*/project,|,|' >"$state/brief"
  echo $(($(wc -c <"$state/brief"))) >"$state/bytes$1"
  sed -e '1,/^<handoff/d' -e '/^<.handoff/d' -e 's/ until [^ ]*Z,/,/' -e 's/, [^ ]*Z)/)/' "$state/brief"
}

# as AGENT COMMAND... claims the next handoff of the agent, and ends it with the command.
as() {
  agent=$1
  shift
  handoff claim --agent "$agent" | head -1
  handoff "$@" --agent "$agent"
}

# figures ID ROLE prints the bytes of the brief of a handoff, and of its stored result.
figures() {
  handoff call get_handoff "{\"handoff_id\": \"ho_$1\", \"view\": \"outcome\"}" --agent planner |
    sed -e 's/,"inbox".*//' -e 's/.*"failure":{"handoff_id"/{"handoff_id"/' -e 's/.*"outcome":{"timestamp"/{"timestamp"/' >"$state/result"
  echo "ho_$1, $2: brief $(cat "$state/bytes$1") bytes, result $(($(wc -c <"$state/result"))) bytes"
}

handoff send role:implementation "Detect the operating mode" --type implementation --agent planner \
  --detail "Add code to detect Spec-Fed or Direct mode. Without the MCP server the mode is Direct." \
  --constraint "Add no dependency" --criterion "The flag --direct is read" --context '{"test_command": "./test-operating-mode.sh"}'
brief 1
as implementation-specialist-BlueLake complete 1 --summary "It reads the mode from the flags." --met 1=droids/orchestrator.md:465 \
  --result branch=mode --result files_modified=droids/orchestrator.md:465-513
brief 2
as testing-specialist-RedStone fail 2 "The flag --direct is ignored." --type test_failure --result failed=3 --result passed=9 \
  --detail "panic: nil map at mode.go:42" --reproduce "./test-operating-mode.sh --direct"
handoff rules test .handoff/agents.yaml 2
brief 3
as fixing-specialist-GreenCastle complete 3 --summary "The flag is read first." --met 1=mode.go:40 --result branch=mode
brief 4
as testing-specialist-RedStone complete 4 --summary "12 tests passed." --met "1=TestDirect" --result passed=12
brief 5
as verification-specialist-WhiteHill complete 5 --summary "Approved." --met "1=TestDirect"
figures 1 implementation
figures 2 testing
figures 3 fixing
figures 4 'testing again'
figures 5 verification
handoff history wf_1


handoff workflow start triage "The login hangs" --agent planner
handoff show 6 | head -3
