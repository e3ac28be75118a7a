#!/bin/sh
# A notification on the desk: handoff status --exec ./notify-send.sh
# Agents write the texts, so they are quoted, stand behind --, and are no markup.
set -eu
case $HANDOFF_NEED_PRIORITY in
high | critical) urgency=critical ;;
*) urgency=normal ;;
esac
text=$(printf '%s' "$HANDOFF_NEED_TEXT" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')
exec notify-send --app-name=handoff --urgency="$urgency" -- "$HANDOFF_NEED_FROM: $HANDOFF_NEED_KIND $HANDOFF_NEED_ID" "$text"
