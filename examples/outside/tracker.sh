#!/bin/sh
# A comment on the issue from which work came, or a new issue: handoff status --exec ./tracker.sh
# TRACKER is the address of a repository in the API of GitHub, Gitea or Forgejo, such as
# https://api.github.com/repos/me/shop; ~/.netrc has the name and the token. Texts of agents become code, which mentions nobody.
set -eu
issue=$(handoff show "$HANDOFF_NEED_ID" --json | jq -r '.handoff.task_id // ""')
case $issue in
'' | *[!0-9]*) to=$TRACKER/issues text='{title: $title, body: $body}' ;;
*) to=$TRACKER/issues/$issue/comments text='{body: $body}' ;;
esac
title="$HANDOFF_NEED_FROM: $HANDOFF_NEED_KIND $HANDOFF_NEED_ID"
jq -n --arg title "$title" --arg body "$title

    $HANDOFF_NEED_TEXT

    $HANDOFF_NEED_COMMAND" "$text" |
	curl -fsS --max-time 20 --netrc-optional -H 'Content-Type: application/json' --data-binary @- "$to" >/dev/null
