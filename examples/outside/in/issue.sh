#!/bin/sh
# Work from an issue that somebody opened in GitHub, Gitea or Forgejo. Other events of the tracker send nothing.
# The address of the issue is the key, so one issue is sent once.
set -eu
message=$(jq 'select(.action == "opened") | .issue | {
	to: "triage", task: "Triage this issue", title: "Issue \(.number): \(.title[:40])", detail: (.body // .title),
	options: {task_id: "\(.number)"}, key: .html_url, tags: ["issue"]
}')
test -z "$message" || printf '%s\n' "$message" | handoff send --file - --agent tracker
