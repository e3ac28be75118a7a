package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Webhooks of a tracker and of a chat become work, once for each body that the secret proves, and a question about the
// work becomes a comment on its issue.
func TestOutside_WebhooksSendWorkAndTrackerGetsQuestions(t *testing.T) {
	for _, program := range []string{"python3", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not there")
		}
	}
	address, got := received(t)
	out := runExample(t, `export WEBHOOK_SECRET=s TRACKER=`+address+`/repos/me/shop HANDOFF_WORKSPACE=w
mkfifo "$HOME/address"
outside/webhook.py 0 >"$HOME/address" 2>"$HOME/log" & receiver=$!
trap 'kill $receiver' EXIT
read -r to <"$HOME/address"
post() { curl -sS -o "$HOME/answer" -w "%{http_code}: " -d "$3" -H "$2" "$to/$1"; cat "$HOME/answer"; echo; }
opened='{"action": "opened", "issue": {"number": 12, "title": "Login fails", "body": "$(touch owned)", "html_url": "https://tracker/12"}}'
post issue 'X-Hub-Signature-256: sha256=efba9b90b3c5b83bac9aa0b6eb6ddcd3a5d1ff5d25a9c7c1f5dbd1a2c0d2f7a1' "$opened" >"$HOME/refused"
grep '^403' "$HOME/refused"
signature=$(printf %s "$opened" | python3 -c 'import hmac, sys; print(hmac.new(b"s", sys.stdin.buffer.read(), "sha256").hexdigest())')
post issue "X-Hub-Signature-256: sha256=$signature" "$opened"
post issue 'Authorization: Bearer s' "$opened"
post issue 'Authorization: Bearer s' '{"action": "closed"}'
post slack-escalation 'Authorization: Bearer s' '{"text": "500 on login"}'
post ../webhook 'Authorization: Bearer s' x | head -c 3
kill $receiver; wait $receiver || trap - EXIT
handoff claim --agent triage; handoff claim --agent triage
`+onNeed("./outside/tracker.sh", `handoff update 1 --needs-permission "Log in as $TEXT" --agent triage >"$HOME/null"`))
	require.Regexp(t, `^403.*\n200: ho_1 pending, (.*\n)+200: ho_1 pending(.*\n)+200: \n200: ho_2 pending`, out)
	for _, told := range []string{"404", "Issue 12: Login fails, from tracker", "$(touch owned)", `A Slack escalation was received: {"text": "500 on login"}`} {
		require.Contains(t, out, told)
	}
	r := <-got
	require.Equal(t, "/repos/me/shop/issues/12/comments", r.URL.Path)
	require.Regexp(t, `^\{\s*"body": "triage: \S+ ho_1\\n\\n    .*Log in as @/etc/passwd`, bodyOf(t, r))
}
