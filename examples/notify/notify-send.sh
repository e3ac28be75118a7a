#!/bin/sh
# A notification on the desk: handoff status --exec ./notify-send.sh
# Agents write the texts. So the script quotes them, puts them behind --, and escapes markup.
set -eu
case $HANDOFF_NEED_PRIORITY in
high | critical) urgency=critical ;;
*) urgency=normal ;;
esac
text=$(printf '%s' "$HANDOFF_NEED_TEXT" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')
exec notify-send --app-name=handoff --urgency="$urgency" -- "$HANDOFF_NEED_FROM: $HANDOFF_NEED_KIND $HANDOFF_NEED_ID" "$text"
