package tools_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/tools"
	"handoff/tools/toolstest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// office is a workspace in memory whose clients are as strict as the strictest real ones.
type office struct {
	*testing.T
	tools.Invoker
}

func newOffice(t *testing.T) office {
	t.Helper()
	return office{T: t, Invoker: toolstest.AdviceChecker{Invoker: tools.LocalInvoker{Mailbox: mailboxtest.New(t).Service}, TB: t}}
}

// callAs calls a tool as an agent, and checks the result against the published schema.
func (o office) callAs(agent schemas.Agent, tool, args string) map[string]any {
	o.Helper()
	b, err := o.Invoke(o.Context(), tools.Call{
		Caller: schemas.Caller{Agent: agent, Via: schemas.ViaStdio, Conn: "of-" + string(agent)}, Tool: tool, Args: json.RawMessage(args),
	})
	require.NoError(o, err, "%s %s", tool, args)
	row, err := tools.FindTool(tool)
	require.NoError(o, err)
	if !row.Admin {
		require.NoError(o, compileSchema(o.T, row.OutputSchema()).Validate(parseJSON(o.T, b)), "%s", b)
	}
	result, ok := parseJSON(o.T, b).(map[string]any)
	require.True(o, ok)
	return result
}

// adviceText returns the advice of a result, as text, with arguments by name.
func (o office) adviceText(result map[string]any) string {
	o.Helper()
	b, err := json.Marshal(result["next"])
	require.NoError(o, err)
	var next []schemas.Advice
	require.NoError(o, json.Unmarshal(b, &next))
	return schemas.RenderAdvice(next)
}

func compileSchema(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("row", parseJSON(t, schema)))
	s, err := c.Compile("row")
	require.NoError(t, err)
	return s
}

func parseJSON(t *testing.T, b []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return v
}

func TestInvoke_ResultsMatchPublishedSchema(t *testing.T) {
	o := newOffice(t)
	o.callAs("qa", "list_handoffs", `{}`)
	o.callAs("qa", "list_agents", `{"capability":"nobody_has_it"}`)
	o.callAs("qa", "claim_handoff", `{}`)
	o.callAs("qa", "register_agent", `{"name":"qa","accepts":["testing"]}`)
	o.callAs("boss", "send_handoff", `{"to":"qa","task":"never","dry_run":true}`)
	o.callAs("boss", "send_handoff", `{"to":"qa","task":"read me","type":"message"}`)
	o.callAs("boss", "send_handoff", `{"to":"capability:testing","task":"test it","type":"testing","expectations":{"success_criteria":["green"]}}`)
	o.callAs("qa", "claim_handoff", `{"view":"full"}`)
	o.callAs("qa", "update_handoff", `{"handoff_id":1,"action":"progress","percent":50,"note":"half","changes":{"checkpoint":{"state":{"at":1},"note":"half"}}}`)
	for _, view := range []string{"brief", "full", "outcome", "events", "checkpoint"} {
		o.callAs("boss", "get_handoff", `{"handoff_id":1,"view":"`+view+`"}`)
	}
	o.callAs("qa", "complete_handoff", `{"handoff_id":1,"summary":"done","verification":{"criteria":[{"criterion":1,"met":false,"evidence":"red"}]}}`)
	o.callAs("boss", "update_handoff", `{"handoff_id":1,"action":"return","note":"make it green"}`)
	o.callAs("qa", "fail_handoff", `{"handoff_id":2,"description":"cannot","outcome":"rejected"}`)
	for _, box := range []string{"inbox", "claimed", "sent", "notices", "all"} {
		o.callAs("boss", "list_handoffs", `{"box":"`+box+`"}`)
	}
	for _, format := range []string{"tree", "rows", "mermaid"} {
		o.callAs("boss", "handoff_history", `{"handoff_id":1,"format":"`+format+`"}`)
	}
	o.callAs("boss", "list_agents", `{}`)
}

func TestInvoke_ResultCountsInboxAndAdvisesNextCall(t *testing.T) {
	o := newOffice(t)
	sent := o.callAs("boss", "send_handoff", `{"to":"qa","task":"test it"}`)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","view":"outcome","wait_seconds":50} waits for outcome or question.`, o.adviceText(sent))
	listed := o.callAs("qa", "list_handoffs", `{}`)
	require.Equal(t, json.Number("1"), listed["inbox"].(map[string]any)["pending"])
	o.callAs("", "connection_open", `{"conn":"of-qa"}`)
	claimed := o.callAs("qa", "claim_handoff", `{}`)
	require.Contains(t, o.adviceText(claimed), `"handoff_id":"ho_1","summary":"…"} completes it.`)
	require.Equal(t, json.Number("0"), claimed["inbox"].(map[string]any)["pending"])
	empty := o.callAs("qa", "claim_handoff", `{}`)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","view":"brief"} shows what you hold: test it. `+
		`claim_handoff {"wait_seconds":50} waits for mail.`, o.adviceText(empty))
}

func TestGetHandoff_OfNoticeAdvisesNothing(t *testing.T) {
	o := newOffice(t)
	o.callAs("boss", "send_handoff", `{"to":"qa","task":"read me","type":"message"}`)
	require.NotContains(t, o.callAs("qa", "get_handoff", `{"handoff_id":"no_1"}`), "next")
}

func TestInvoke_AllowsReadingWithoutAgentName(t *testing.T) {
	o := newOffice(t)
	o.callAs("boss", "send_handoff", `{"to":"qa","task":"test it"}`)
	result := o.callAs("", "get_handoff", `{"handoff_id":1}`)
	require.NotContains(t, result, "inbox")
}

func TestInvoke_ActsAsAgentInArguments(t *testing.T) {
	o := newOffice(t)
	o.callAs("", "send_handoff", `{"to":"qa","task":"test it","agent":"boss"}`)
	require.Equal(t, "boss", o.callAs("qa", "claim_handoff", `{}`)["from"])
}

func TestInvoke_AdminResultHasNoInbox(t *testing.T) {
	o := newOffice(t)
	o.callAs("", "connection_open", `{"conn":"c"}`)
	o.callAs("", "connection_close", `{"conn":"c"}`)
	require.NotContains(t, o.callAs("boss", "audit_verify", `{}`), "inbox")
}
