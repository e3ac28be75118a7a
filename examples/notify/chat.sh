#!/bin/sh
# A line in a chat, by an incoming webhook of Slack, Mattermost or a compatible chat: handoff status --exec ./chat.sh
# CHAT_WEBHOOK is its address. The script escapes texts of agents for JSON, and & < > for the chat, so that they mention nobody.
set -eu
printf '%s' "$HANDOFF_NEED_FROM: $HANDOFF_NEED_KIND $HANDOFF_NEED_ID: $HANDOFF_NEED_TEXT ($HANDOFF_NEED_COMMAND)" |
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/[\\"]/\\&/g; s/^/{"text": "/; s/$/"}/' |
	curl -fsS --max-time 20 -H 'Content-Type: application/json' --data-binary @- "$CHAT_WEBHOOK" >/dev/null
