#!/bin/sh
# A swarm: one send makes three parts, which agents do at the same time, and one handoff that joins their results.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT PIPE TERM
for variable in $(env | sed -n 's/^\(HANDOFF_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export XDG_STATE_HOME="$state" XDG_CONFIG_HOME="$state" HANDOFF_WORKSPACE=example
mkdir -p "$state/project/.handoff" "$state/handoff"
cp "$here/agents.yaml" "$state/project/.handoff/"
cd "$state/project"
git init -q

handoff send capability:research "Compare {{each}} for our job queue" --agent planner --detail "10,000 jobs a day." \
  --each Redis --each PostgreSQL --each NATS --join writer --join-task "Recommend one of them"

# Three agents claim at the same time. The agent that joins the parts waits for all of them.
for agent in ada bob cyd; do
  handoff claim --agent $agent | head -1
done
handoff claim --agent writer || true
handoff complete --agent ada --summary "Redis is fast, and loses jobs if its disk is full"
handoff complete --agent bob --summary "PostgreSQL is there already, and 10,000 jobs are few"
handoff complete --agent cyd --summary "NATS is one more server to run"

handoff claim --agent writer | grep -e "Result of" -e "Detail"
handoff complete --agent writer --summary "PostgreSQL"
handoff history wf_1
