#!/bin/sh
# Work from an issue that somebody opened in GitHub, Gitea or Forgejo. Other events of the tracker send nothing.
# The address of the issue is the key, so one issue is sent once.
set -eu
message=$(python3 -c '
import json, sys
event = json.load(sys.stdin)
if event["action"] == "opened":
    issue = event["issue"]
    number, title = str(issue["number"]), issue["title"]
    print(json.dumps({
        "to": "triage", "task": "Triage this issue", "title": "Issue " + number + ": " + title[:40],
        "detail": issue.get("body") or title, "options": {"task_id": number}, "key": issue["html_url"], "tags": ["issue"],
    }))')
test -z "$message" || printf '%s\n' "$message" | handoff send --file - --agent tracker
