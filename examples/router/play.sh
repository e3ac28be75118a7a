#!/bin/sh
# A router: the answer of one agent decides which agent gets the work. No agent names the next one.
set -eu
. "$(dirname "$0")/../session.sh"
project "$(dirname "$0")/agents.yaml"

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
  handoff "$@" --agent "$agent" | head -2
}

handoff workflow start triage "The login hangs" --agent planner --constraint "Keep the API" --silent
as dispatcher complete 1 --summary "It hangs since the last release." --data kind=bug
as fixer complete 2 --summary "A lock was taken twice."

handoff workflow start triage "Log in with a passkey" --agent planner --parent none --silent
as dispatcher complete 3 --summary "There is no such way yet." --data kind=feature
as builder complete 4 --summary "Passkeys work."

handoff workflow start triage "Which licence have the icons?" --agent planner --parent none --silent
as dispatcher complete 5 --summary "A question."
as generalist complete 6 --summary "MIT."
handoff history wf_1
