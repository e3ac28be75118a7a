#!/bin/sh
# A message to a telephone by ntfy, with buttons for approvals: handoff status --exec ./ntfy.sh
# NTFY_TOPIC is the topic that the telephone reads; its token is in ~/.netrc. The buttons write to the topic NTFY_TOPIC-answers,
# which ntfy-answers.sh reads. The text goes over standard input, because curl takes a text that begins with @ for a file.
set -eu
server=${NTFY_URL:-https://ntfy.sh}
case $HANDOFF_NEED_PRIORITY in
high | critical) priority=high ;;
*) priority=default ;;
esac
set -- -H "Title: $HANDOFF_NEED_FROM: $HANDOFF_NEED_KIND $HANDOFF_NEED_ID" -H "Priority: $priority"
if [ "$HANDOFF_NEED_KIND" = approval ]; then
	to="$server/$NTFY_TOPIC-answers"
	set -- "$@" -H "Actions: http, Approve, $to, body=approve $HANDOFF_NEED_ID, clear=true; http, Refuse, $to, body=refuse $HANDOFF_NEED_ID, clear=true"
fi
printf '%s\n%s\n' "$HANDOFF_NEED_TEXT" "$HANDOFF_NEED_COMMAND" |
	curl -fsS --netrc-optional --max-time 20 "$@" --data-binary @- "$server/$NTFY_TOPIC" >/dev/null
