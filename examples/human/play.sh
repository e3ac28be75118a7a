#!/bin/sh
# A person allows what an agent is about to do, and answers its question. The person types commands.
set -eu
. "${0%/*}/../session.sh"

open 1 claude-code one
open 2 codex-mcp-client two

call 1 send_handoff '{"to": "codex", "title": "Drop the table sessions_2024", "task": "Drop it.", "options": {"needs_approval": true}}' handoff_id status
hook codex two prompt

echo '$ handoff approve 1'
handoff approve 1 --agent human --reason "The backup of Sunday is good"

hook codex two prompt
call 2 claim_handoff '{}' handoff_id from title
call 2 update_handoff '{"handoff_id": "ho_1", "action": "ask", "to": "human", "questions": ["Does anything read it still?"]}' status
hook codex two stop # who waits for an answer may stop

echo '$ handoff update 1 --answer "The report of May did, and is gone"'
handoff update 1 --agent human --answer "The report of May did, and is gone"

hook codex two prompt
call 2 claim_handoff '{"handoff_id": "ho_1"}' handoff_id
call 2 complete_handoff '{"handoff_id": "ho_1", "summary": "Dropped, 4 GB are free"}' status outcome

echo '$ handoff wait 1'
handoff wait 1
