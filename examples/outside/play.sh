#!/bin/sh
# A tracker and a chat send webhooks, an agent asks about the work, and the tracker gets the question.
set -eu
cd "$(dirname "$0")"
state=$(mktemp -d) running=
trap leave EXIT
trap 'exit 1' HUP INT PIPE TERM
for variable in $(env | sed -n 's/^\(HANDOFF_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export XDG_STATE_HOME="$state" HANDOFF_WORKSPACE=example WEBHOOK_SECRET=s

leave() {
  kill $running 2>"$state/null" || :
  wait
  rm -rf "$state"
}

# post NAME HEADER BODY sends a webhook, and prints the answer.
post() {
  echo "> POST /$1 $3"
  python3 -c '
import sys, urllib.error, urllib.request
address, header, body = sys.argv[1:]
try:
    answer = urllib.request.urlopen(urllib.request.Request(address, body.encode(), dict([header.split(": ")])))
except urllib.error.HTTPError as refused:
    answer = refused
lines = answer.read().decode().split("\n")
print(answer.status, *(line for line in lines if "pending" in line), sep="\n")
' "$to/$1" "$2" "$3"
}

mkfifo "$state/address" "$state/tracker" "$state/came"
./webhook.py 0 >"$state/address" 2>"$state/log" & running=$!
read -r to <"$state/address"

# This server stands in for the tracker: it prints the requests that it gets.
python3 -c '
import http.server
class Tracker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(201); self.end_headers()
        print("<", self.path, body, flush=True)
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Tracker)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()' >"$state/tracker" & running="$running $!"
exec 3<"$state/tracker"
read -r tracker <&3
TRACKER="$tracker/repos/me/shop" handoff status --exec ./tracker.py 2>"$state/log2" & running="$running $!"

opened='{"action": "opened", "issue": {"number": 12, "title": "Login fails", "body": "$(touch owned)", "html_url": "https://tracker/12"}}'
sign() { printf %s "$opened" | python3 -c 'import hmac, sys; print(hmac.new(b"s", sys.stdin.buffer.read(), "sha256").hexdigest())'; }
post issue 'X-Hub-Signature-256: sha256=00' "$opened"
post issue "X-Hub-Signature-256: sha256=$(sign)" "$opened"
post issue 'Authorization: Bearer s' "$opened"
post issue 'Authorization: Bearer s' '{"action": "closed"}'
post slack-escalation 'Authorization: Bearer s' '{"text": "500 on login"}'
post webhook 'Authorization: Bearer s' x

echo '$ handoff claim 2'
handoff claim 2 --agent triage | sed -n '/A Slack/p'
echo '$ handoff claim 1'
handoff claim 1 --agent triage | head -1
echo '$ handoff update 1 --needs-permission'
handoff update 1 --agent triage --needs-permission 'Log in as @admin; "$(id)"'
read -r said <&3
printf '%s\n' "$said"
