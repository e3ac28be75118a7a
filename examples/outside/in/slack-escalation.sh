#!/bin/sh
# Work from a message of a chat. A stranger wrote it, so it is only a detail: the task and the address stand here.
set -eu
handoff render "$(dirname "$0")/slack-escalation.tmpl" --body - |
	handoff send triage "Triage a Slack escalation" --detail - --tags slack --key "$WEBHOOK_KEY" --agent chat
