#!/bin/sh
# A line in a chat, by the incoming webhook of Slack, Mattermost or what understands theirs: handoff status --exec ./chat.sh
# CHAT_WEBHOOK is its address. What agents wrote is made text of JSON, and & < > text of the chat, so that it calls nobody.
set -eu
printf '%s' "$HANDOFF_NEED_FROM: $HANDOFF_NEED_KIND $HANDOFF_NEED_ID: $HANDOFF_NEED_TEXT ($HANDOFF_NEED_COMMAND)" |
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/[\\"]/\\&/g; s/^/{"text": "/; s/$/"}/' |
	curl -fsS --max-time 20 -H 'Content-Type: application/json' --data-binary @- "$CHAT_WEBHOOK" >/dev/null
