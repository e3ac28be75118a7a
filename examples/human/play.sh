#!/bin/sh
# A person approves the work of an agent, and answers its question. The person types commands.
set -eu
. "$(dirname "$0")/../session.sh"

# No person sits at a terminal here, so this file allows approval without the question.
export XDG_CONFIG_HOME="$state/config"
mkdir -p "$XDG_CONFIG_HOME/handoff"
echo "$HANDOFF_WORKSPACE" >"$XDG_CONFIG_HOME/handoff/approvals"

notices() {
  echo '$ handoff list --box notices'
  handoff list --box notices --agent human | awk 'BEGIN { FS = OFS = "\t" } NR > 1 { $5 = "…" } 1'
}

open 1 claude-code one
open 2 codex-mcp-client two

call 1 send_handoff '{"to": "codex", "title": "Drop the table sessions_2024", "task": "Drop it.", "options": {"needs_approval": true}}' handoff_id status
hook codex two prompt

notices
echo '$ handoff approve 1'
handoff approve 1 --agent human --reason "The backup of Sunday is good"

hook codex two prompt
call 2 claim_handoff '{}' handoff_id from

# Only a person may answer a question for a permission. Other questions go to the sender.
call 2 update_handoff '{"handoff_id": "ho_1", "action": "ask", "conditions": {"needs_permission": ["Drop it though the report of May reads it"]}}' status
hook codex two stop # a session that waits for an answer may stop

notices
echo '$ handoff answer 1 "Drop it: that report is gone"'
handoff answer 1 --agent human "Drop it: that report is gone"

hook codex two prompt
call 2 claim_handoff '{"handoff_id": "ho_1"}' handoff_id
call 2 complete_handoff '{"handoff_id": "ho_1", "summary": "Dropped, 4 GB are free"}' status outcome

echo '$ handoff wait 1'
handoff wait 1
