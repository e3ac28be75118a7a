#!/bin/sh
# A swarm: one send makes three parts, which agents do at the same time, and one handoff that joins their results.
set -eu
. "$(dirname "$0")/../session.sh"
project "$(dirname "$0")/agents.yaml"

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
