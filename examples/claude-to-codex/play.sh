#!/bin/sh
# Claude Code gives work to Codex, with a criterion. Codex does the work and sends the rest back.
set -eu
. "$(dirname "$0")/../session.sh"

open 1 claude-code one
open 2 codex-mcp-client two

call 1 send_handoff '{"to": "codex", "title": "Make the tests pass", "task": "go test ./upload fails since Monday.", "expectations": {"success_criteria": ["go test ./upload passes"]}}' handoff_id status

hook codex two session-start
call 2 claim_handoff '{}' handoff_id from
call 2 complete_handoff '{"handoff_id": "ho_1", "summary": "A reset connection was not retried", "verification": {"criteria": [{"criterion": 1, "met": true, "evidence": "ok upload 0.4s"}]}, "continuation": {"to": "claude-code", "title": "Describe the fix", "task": "Write the entry in CHANGELOG.md."}}' status outcome

hook claude-code one prompt
call 1 claim_handoff '{}' handoff_id from
call 1 complete_handoff '{"handoff_id": "ho_2", "summary": "Described"}' status outcome
handoff history ho_1 | sed 's/Duration: .*/Duration: …/'
