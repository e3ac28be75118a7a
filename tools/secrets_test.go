package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/tools"
)

// Put together here, so that scanners for secrets find none in this file.
var leaked = "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"

func newOfficeWithSecrets(t *testing.T, secrets tools.SecretHandling) office {
	t.Helper()
	return office{T: t, Invoker: tools.LocalInvoker{Mailbox: mailboxtest.New(t).Service, Secrets: secrets}}
}

// Each call in the life of a handoff has a secret in each of its texts. No view returns any of them.
func TestSecretHandling_MasksAndReportsSecretInEachText(t *testing.T) {
	o := newOfficeWithSecrets(t, "")
	told := func(result map[string]any, fields ...string) map[string]any {
		t.Helper()
		for _, field := range fields {
			require.Contains(t, fmt.Sprint(result["warnings"]), field+" held a secret (", "%v", result)
		}
		return result
	}
	say := func(form string) string { return strings.ReplaceAll(form, "SECRET", leaked) }
	told(o.callAs("qa", "register_agent", say(`{"name":"qa","description":"SECRET"}`)), "description")
	sent := told(o.callAs("lead", "send_handoff", say(`{"to":"qa","task":"use SECRET","title":"SECRET","key":"k",
		"tags":["SECRET"],"summary":"SECRET","detail":"SECRET","data":{"n":"SECRET"},
		"context":{"state":{"db_password":"Tr0ub4dor&3","deep":[{"x":"SECRET"}]},"decisions":[{"decision":"SECRET"}],
			"artifacts":[{"content":"SECRET"}],"references":[{"url":"https://SECRET@host/x"},{"name":"log","content":"SECRET"}]},
		"expectations":{"success_criteria":["no SECRET"]}}`)),
		"task", "title", "tags[0]", "summary", "detail", "data.n", "context.state.db_password", "context.state.deep[0].x",
		"context.decisions[0].decision", "context.artifacts[0].content", "context.references[0].url", "context.references[1].content", "expectations.success_criteria[0]")
	id := fmt.Sprint(sent["handoff_id"])
	again := told(o.callAs("lead", "send_handoff", say(`{"to":"qa","task":"use SECRET","title":"SECRET","key":"k2"}`)), "task")
	require.Equal(t, again["handoff_id"], o.callAs("lead", "send_handoff",
		say(`{"to":"qa","task":"use SECRET","title":"SECRET","key":"k2"}`))["handoff_id"], "a repeated call is the same call")
	told(o.callAs("lead", "update_handoff", say(`{"handoff_id":"`+id+`","action":"amend","changes":{"detail":"now SECRET"}}`)), "changes.detail")
	token := o.callAs("qa", "claim_handoff", `{"handoff_id":"`+id+`"}`)["claim_token"]
	held := fmt.Sprintf(`"handoff_id":%q,"claim_token":%q`, id, token)
	told(o.callAs("qa", "update_handoff", say(`{`+held+`,"action":"progress","note":"SECRET",
		"changes":{"checkpoint":{"note":"SECRET"}}}`)), "note", "changes.checkpoint.note")
	told(o.callAs("qa", "update_handoff", say(`{`+held+`,"action":"ask","questions":["SECRET?"]}`)), "questions[0]")
	told(o.callAs("lead", "update_handoff", say(`{"handoff_id":"`+id+`","action":"answer","note":"SECRET"}`)), "note")
	held = fmt.Sprintf(`"handoff_id":%q,"claim_token":%q`, id, o.callAs("qa", "claim_handoff", `{"handoff_id":"`+id+`"}`)["claim_token"])
	told(o.callAs("qa", "complete_handoff", say(`{`+held+`,"summary":"SECRET","notes":["SECRET"],"output":{"api_token":"SECRET"},
		"verification":{"criteria":[{"criterion":"1","met":true,"evidence":"SECRET"}]},
		"continuation":{"to":"lead","task":"SECRET"}}`)), "summary", "notes[0]", "output.api_token", "continuation.task")
	other := o.callAs("qa", "claim_handoff", `{"handoff_id":"`+fmt.Sprint(again["handoff_id"])+`"}`)
	told(o.callAs("qa", "fail_handoff", say(fmt.Sprintf(`{"handoff_id":%q,"claim_token":%q,"description":"SECRET","checkpoint":{"state":{"a":"SECRET"}}}`,
		other["handoff_id"], other["claim_token"]))), "description", "checkpoint.state.a")
	for _, view := range []string{"brief", "full", "outcome"} {
		seen := fmt.Sprint(o.callAs("lead", "get_handoff", `{"handoff_id":"`+id+`","view":"`+view+`"}`))
		require.NotContains(t, seen, leaked)
		require.Contains(t, seen, "[secret: github-token]")
	}
	for _, tool := range []string{"handoff_history", "list_agents", "list_handoffs"} {
		require.NotContains(t, fmt.Sprint(o.callAs("lead", tool, `{}`)), leaked)
	}
}

func TestSecretHandling_KeepsOrRefusesSecretAsConfigured(t *testing.T) {
	args := fmt.Sprintf(`{"to":"qa","task":"use %s"}`, leaked)
	kept := newOfficeWithSecrets(t, tools.WarnOfSecrets)
	sent := kept.callAs("lead", "send_handoff", args)
	require.Contains(t, fmt.Sprint(sent["warnings"]), "it is kept unchanged")
	require.Contains(t, fmt.Sprint(kept.callAs("qa", "claim_handoff", `{}`)), leaked)

	refuses := newOfficeWithSecrets(t, tools.RefuseSecrets)
	require.NotContains(t, refuses.callAs("lead", "list_agents", fmt.Sprintf(`{"capability":%q}`, leaked)), "warnings", "what only reads keeps nothing")
	call := tools.Call{Caller: schemas.Caller{Agent: "lead", Via: schemas.ViaStdio}, Tool: "send_handoff", Args: json.RawMessage(args)}
	_, err := refuses.Invoke(t.Context(), call)
	require.Equal(t, "Say where it is kept instead. Nothing was sent.", schemas.AsError(err).Hint)
	require.Equal(t, "task", schemas.AsError(err).Field)
	call.Args = json.RawMessage(fmt.Sprintf(`{"to":"qa","task":"x","data":{%q:"x"}}`, leaked))
	_, err = newOfficeWithSecrets(t, "").Invoke(t.Context(), call)
	require.Equal(t, "data", schemas.AsError(err).Field)
	require.NotContains(t, err.Error(), leaked)
}
