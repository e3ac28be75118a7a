#!/bin/sh
# The pipeline of the Kelos TaskHandoff proposal: investigate, fix, open-pr. agent.sh stands for the agents: it
# reads a prompt, and writes its result to a file. It plays in a workspace of its own.
set -eu
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT PIPE TERM
export XDG_STATE_HOME="$state" HANDOFF_WORKSPACE=example
cd "$(dirname "$0")"

handoff send coder "Find out why users get 500 errors on login" --title investigate --workflow lin-423 --agent planner --silent
handoff send coder "Fix it" --title fix --after 1 --workflow lin-423 --agent planner --silent
handoff send coder "Open the pull request" --title open-pr --after 2 --workflow lin-423 --agent planner --silent

id=0
for stage in investigate fix open-pr; do
  id=$((id + 1))
  handoff claim $id --agent coder >"$state/claimed"
  handoff render $stage.tmpl --workflow wf_lin-423 >"$state/prompt"
  sed 's/^/| /; s/ $//' "$state/prompt"
  handoff exec complete $id --agent coder --result branch=fix/lin-423 -- ./agent.sh <"$state/prompt" 2>&1
done
