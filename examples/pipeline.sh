#!/bin/sh
# A chain of work on the command line: a design, its implementation, a test that cannot run and goes back, and
# the test again. It plays in a workspace of its own, so its handoffs are 1 to 5.
set -eu
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT PIPE TERM
export XDG_STATE_HOME="$state" HANDOFF_WORKSPACE=example

handoff send architect "Design the login" --agent planner --workflow login --criteria "Covers logout"

handoff claim --agent architect
handoff complete 1 --agent architect --summary "Tokens that are rotated" --met "1=section 3" \
  --next auto-code --next-task "Implement the login as docs/login.md says"

handoff claim --agent auto-code
handoff update 2 --agent auto-code --note "Tokens are done" --percent 60
handoff complete 2 --agent auto-code --summary "Login and logout work" --result branch=login \
  --next qa --next-task "Test the login end to end"

# Failed work goes back to its sender, with the finished parts and the obstacles.
handoff claim --agent qa
handoff fail 3 "The fixtures are missing" --agent qa --type blocker --blocker "No users to test with" --done "Unit tests"

handoff claim --agent auto-code
handoff complete 4 --agent auto-code --summary "Added the fixtures" --next qa --next-task "Test the login again"

handoff claim --agent qa
handoff complete 5 --agent qa --summary "12 tests passed"

handoff history wf_login
handoff audit verify
