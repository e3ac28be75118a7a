#!/bin/sh
# Subagents of one session of Claude Code. They share its connection to handoff, so each call names its agent.
set -eu
. "$(dirname "$0")/../session.sh"

open 1 claude-code one

call 1 send_handoff '{"to": "architect", "title": "Design the login", "task": "Design the login."}' handoff_id status
call 1 claim_handoff '{"agent": "architect"}' handoff_id from
call 1 complete_handoff '{"agent": "architect", "handoff_id": "ho_1", "summary": "Tokens that are rotated"}' status outcome

# The hook keeps a subagent with held work from stopping, once.
call 1 send_handoff '{"to": "qa", "title": "Test the login", "task": "Test what the design says.", "context": {"references": ["ho_1"]}}' handoff_id status
call 1 claim_handoff '{"agent": "qa"}' handoff_id from
hook claude-code one subagent-stop qa
hook claude-code one subagent-stop qa
call 1 complete_handoff '{"agent": "qa", "handoff_id": "ho_2", "summary": "12 tests passed"}' status outcome

hook claude-code one prompt
