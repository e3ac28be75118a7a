package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile is a message to the person that a shell, a header, JSON and markup would each read otherwise.
const hostile = `@/etc/passwd -x "; touch "$HOME/owned"; $(touch "$HOME/owned") <b> & \ ` + "`id`"

// onNeed returns shell lines that send the needs of some lines to a recipe.
func onNeed(recipe, made string) string {
	return `export HANDOFF_WORKSPACE=w TEXT='` + strings.ReplaceAll(hostile, "'", `'\''`) + `'
mkfifo "$HOME/told"
handoff status --exec '` + recipe + ` && echo told >"$HOME/told"' & herald=$!
trap 'kill $herald' EXIT
` + made + `
read -r told <"$HOME/told"
kill $herald
wait $herald
trap - EXIT
test ! -e "$HOME/owned"
`
}

const message = `printf %s "$TEXT" | handoff send human - --type message --agent qa -q`

func TestNotifySend_ShowsTextOfAgentAsPlainText(t *testing.T) {
	fake := `mkdir "$HOME/bin"; PATH=$HOME/bin:$PATH
printf '#!/bin/sh\nprintf "[%%s]\\n" "$@"\n' >"$HOME/bin/notify-send"; chmod +x "$HOME/bin/notify-send"
`
	out := runExample(t, fake+onNeed("./notify/notify-send.sh", message))
	text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(hostile)
	require.Contains(t, out, "[--app-name=handoff]\n[--urgency=normal]\n[--]\n[qa: message no_1]\n["+text+"]\n")
}

// received is a server that keeps the requests which it gets.
func received(t *testing.T) (address string, requests <-chan *http.Request) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not there")
	}
	got := make(chan *http.Request, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a missing body fails below
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		got <- r
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func bodyOf(t *testing.T, r *http.Request) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(body)
}

func TestNtfy_SendsTheTextAndTwoButtons(t *testing.T) {
	address, got := received(t)
	env := "export NTFY_URL=" + address + " NTFY_TOPIC=desk\n"
	runExample(t, env+onNeed("./notify/ntfy.sh", message))
	r := <-got
	require.Equal(t, "/desk", r.URL.Path)
	require.Equal(t, "qa: message no_1", r.Header.Get("Title"))
	require.Empty(t, r.Header.Get("Actions"))
	require.Equal(t, hostile+"\nhandoff answer no_1 '…'\n", bodyOf(t, r))

	runExample(t, env+onNeed("./notify/ntfy.sh", `handoff send qa Deploy --needs-approval --priority high --agent dev -q`))
	r = <-got
	require.Equal(t, "dev: approval ho_1", r.Header.Get("Title"))
	require.Equal(t, "high", r.Header.Get("Priority"))
	to := address + "/desk-answers"
	require.Equal(t, "http, Approve, "+to+", body=approve ho_1, clear=true; http, Refuse, "+to+", body=refuse ho_1, clear=true", r.Header.Get("Actions"))
}

func TestNtfyAnswers_AcceptsOnlyTheTwoButtons(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not there")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/desk-answers/raw" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "\ncancel ho_1\napprove ho_1; touch owned\napprove ho_1 ho_2\napprove --help\napprove wf_1\napprove ho_2\nrefuse ho_3\n")
	}))
	t.Cleanup(server.Close)
	out := runExample(t, `export HANDOFF_WORKSPACE=w NTFY_URL=`+server.URL+` NTFY_TOPIC=desk
mkdir -p "$HOME/.config/handoff"; echo w >"$HOME/.config/handoff/approvals"
for n in 1 2 3; do handoff send qa "Deploy $n" --needs-approval --agent dev --parent none -q; done
./notify/ntfy-answers.sh
handoff list --all --agent dev --box sent`)
	require.Regexp(t, `ho_3\tdev\tqa\trejected.*\n`, out)
	require.Regexp(t, `ho_2\tdev\tqa\tpending\t`, out)
	require.Regexp(t, `ho_1\tdev\tqa\t(blocked|needs approval)`, out)
	require.NotContains(t, out, "Usage")
}

func TestChat_SendsTextAsJSONWithoutMentions(t *testing.T) {
	address, got := received(t)
	runExample(t, "export CHAT_WEBHOOK="+address+"/hook\n"+onNeed("./notify/chat.sh", message))
	r := <-got
	require.Equal(t, "application/json", r.Header.Get("Content-Type"))
	var said struct{ Text string }
	require.NoError(t, json.Unmarshal([]byte(bodyOf(t, r)), &said))
	text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(hostile)
	require.Equal(t, "qa: message no_1: "+text+" (handoff answer no_1 '…')", said.Text)
}

// A new need is reported again: a second question, and an approval of changed work. A restart repeats no report, and
// a second program is refused.
func TestStatusExec_RepeatsOpenNeeds(t *testing.T) {
	out := runExample(t, `export HANDOFF_WORKSPACE=w
mkdir -p "$HOME/.config/handoff"; echo w >"$HOME/.config/handoff/approvals"
mkfifo "$HOME/told"
start() { handoff status --exec 'echo "$HANDOFF_NEED_KIND $HANDOFF_NEED_ID $HANDOFF_NEED_TEXT" >"$HOME/told"' & herald=$!; trap 'kill $herald' EXIT; }
came() { read -r told <"$HOME/told"; echo "came: $told"; }
end() { kill $herald; wait $herald; trap - EXIT; }
handoff send qa Test --agent human -q >"$HOME/null"
handoff claim --agent qa >"$HOME/null"
handoff update 1 --ask 'Which?' --agent qa >"$HOME/null"
start; came
handoff status --exec true || echo "refused: $?"
handoff answer 1 'The first' --agent human >"$HOME/null"
handoff claim --agent qa >"$HOME/null"
handoff update 1 --ask 'And now?' --agent qa >"$HOME/null"
came
handoff send qa Deploy --needs-approval --parent none --agent dev -q >"$HOME/null"
came; end
handoff approve 2 --agent human >"$HOME/null"
handoff update 2 --criteria more --agent dev >"$HOME/null"
start; came
handoff send human Last --type message --agent qa -q >"$HOME/null"
came; end`)
	var came []string
	for line := range strings.Lines(out) {
		if said, ok := strings.CutPrefix(line, "came: "); ok {
			came = append(came, strings.TrimSpace(said))
		}
	}
	require.Equal(t, []string{
		"question ho_1 qa asked human: Which?", "question ho_1 qa asked human: And now?", "approval ho_2 Deploy", "approval ho_2 Deploy",
	}, came[:len(came)-1], out)
	require.Regexp(t, `^message no_\d+ Last$`, came[len(came)-1])
	require.Contains(t, out, "refused: 5\n")
}
