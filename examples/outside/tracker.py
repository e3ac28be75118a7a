#!/usr/bin/env python3
"""Comments on the issue from which work came, or opens a new issue: handoff status --exec ./tracker.py

TRACKER is the address of a repository in the API of GitHub, Gitea or Forgejo, such as
https://api.github.com/repos/me/shop, and TRACKER_TOKEN is a token that may write issues. Texts of agents become code,
which mentions nobody.
"""
import json, os, subprocess, urllib.request

need = {name: os.environ["HANDOFF_NEED_" + name] for name in ("ID", "KIND", "FROM", "TEXT", "COMMAND")}
shown = json.loads(subprocess.check_output(["handoff", "show", need["ID"], "--json"]))
issue = shown["handoff"].get("task_id", "")

title = "{FROM}: {KIND} {ID}".format(**need)
message = {"body": "\n\n    ".join([title, need["TEXT"], need["COMMAND"]])}
to = os.environ["TRACKER"] + "/issues"
if issue.isdigit():
    to += "/" + issue + "/comments"
else:
    message["title"] = title
headers = {"Content-Type": "application/json"}
if "TRACKER_TOKEN" in os.environ:
    headers["Authorization"] = "Bearer " + os.environ["TRACKER_TOKEN"]
urllib.request.urlopen(urllib.request.Request(to, json.dumps(message).encode(), headers), timeout=20)
