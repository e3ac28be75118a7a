#!/bin/sh
# Work that counts only after its review: implemented, sent back twice with points, accepted. Then dependent work begins.
set -eu
. "$(dirname "$0")/../session.sh"
export XDG_CONFIG_HOME="$state"
cd "$state"

# round ID PROOF... claims the work and completes it, with a proof for each criterion.
round() {
  id=$1
  shift
  handoff claim --agent coder | head -1
  handoff complete "$id" --summary "Round of $id." "$@" --agent coder
}

# judge ID VERDICT claims a review and gives the verdict.
judge() {
  handoff claim --agent critic | head -1
  handoff complete "$1" --summary "I read the diff." --output "$2" --agent critic
}

handoff send coder "Write the store" --criteria "It keeps what it is given" --review critic --agent planner
handoff send writer "Document the store" --after 1 --agent planner
round 1 --met '1=store_test.go'
handoff show 1 --outcome --agent planner | grep -A1 "^Reason"
judge 3 '{"verdict": "rework", "points": ["It survives a crash", "Errors name the file"]}'
round 4 --met 1=store_test.go --met 2=crash_test.go --unmet '3=only some do'
judge 5 '{"verdict": "rework", "points": ["All errors name the file"]}'
handoff claim --agent writer || true
round 6 --met '1=store_test.go' --met '2=crash_test.go' --met '3=errors_test.go' --met '4=errors_test.go'
handoff diff 6
judge 7 '{"verdict": "accept"}'
handoff claim --agent writer | head -1
