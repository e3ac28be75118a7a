#!/bin/sh
# Two sessions of Claude Code: the second asks the first for a review, and gets the outcome.
set -eu
. "$(dirname "$0")/../session.sh"

open 1 claude-code one
open 2 claude-code two

call 2 send_handoff '{"to": "claude-code", "title": "Review the login", "task": "Review branch login. Look at the tokens first."}' handoff_id status

# The hook tells the first session at its next prompt, once.
hook claude-code one prompt
hook claude-code one prompt
call 1 claim_handoff '{}' handoff_id from
hook claude-code one stop
call 1 complete_handoff '{"handoff_id": "ho_1", "summary": "Two remarks, both about tokens that never end"}' status outcome

hook claude-code two prompt
call 2 get_handoff '{"handoff_id": "ho_1", "view": "outcome"}' status summary
