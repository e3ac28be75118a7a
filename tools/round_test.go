package tools_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/toolstest"
)

// office is a workspace in memory whose clients are as strict as the strictest real ones.
type office struct {
	*testing.T
	tools.Invoker
}

func open(t *testing.T) office {
	t.Helper()
	return office{T: t, Invoker: toolstest.AdviceChecker{Invoker: tools.LocalInvoker{Mailbox: mailboxtest.New(t).Service}, TB: t}}
}

// as calls a tool under a name and checks the result against the published schema.
func (o office) as(agent schemas.Agent, tool, args string) map[string]any {
	o.Helper()
	b, err := o.Invoke(o.Context(), tools.Call{
		Caller: schemas.Caller{Agent: agent, Via: schemas.ViaStdio, Conn: "of-" + string(agent)}, Tool: tool, Args: json.RawMessage(args),
	})
	require.NoError(o, err, "%s %s", tool, args)
	row, err := tools.FindTool(tool)
	require.NoError(o, err)
	if !row.Admin {
		require.NoError(o, compiled(o.T, row.OutputSchema()).Validate(parsed(o.T, b)), "%s", b)
	}
	result, ok := parsed(o.T, b).(map[string]any)
	require.True(o, ok)
	return result
}

// next returns the advice of a result, as text, with arguments by name.
func (o office) next(result map[string]any) string {
	o.Helper()
	b, err := json.Marshal(result["next"])
	require.NoError(o, err)
	var next []schemas.Advice
	require.NoError(o, json.Unmarshal(b, &next))
	return schemas.RenderAdvice(next)
}

func compiled(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("row", parsed(t, schema)))
	s, err := c.Compile("row")
	require.NoError(t, err)
	return s
}

func parsed(t *testing.T, b []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return v
}

func TestInvoke_ResultsMatchPublishedSchema(t *testing.T) {
	o := open(t)
	o.as("qa", "list_handoffs", `{}`)
	o.as("qa", "list_agents", `{"capability":"nobody_has_it"}`)
	o.as("qa", "claim_handoff", `{}`)
	o.as("qa", "register_agent", `{"name":"qa","accepts":["testing"]}`)
	o.as("boss", "send_handoff", `{"to":"qa","task":"never","dry_run":true}`)
	o.as("boss", "send_handoff", `{"to":"qa","task":"read me","type":"message"}`)
	o.as("boss", "send_handoff", `{"to":"capability:testing","task":"test it","type":"testing","expectations":{"success_criteria":["green"]}}`)
	o.as("qa", "claim_handoff", `{"view":"full"}`)
	o.as("qa", "update_handoff", `{"handoff_id":1,"action":"progress","percent":50,"note":"half","changes":{"checkpoint":{"state":{"at":1},"note":"half"}}}`)
	for _, view := range []string{"brief", "full", "outcome", "events", "checkpoint"} {
		o.as("boss", "get_handoff", `{"handoff_id":1,"view":"`+view+`"}`)
	}
	o.as("qa", "complete_handoff", `{"handoff_id":1,"summary":"done","verification":{"criteria":[{"criterion":1,"met":false,"evidence":"red"}]}}`)
	o.as("boss", "update_handoff", `{"handoff_id":1,"action":"return","note":"make it green"}`)
	o.as("qa", "fail_handoff", `{"handoff_id":2,"description":"cannot","outcome":"rejected"}`)
	for _, box := range []string{"inbox", "claimed", "sent", "notices", "all"} {
		o.as("boss", "list_handoffs", `{"box":"`+box+`"}`)
	}
	for _, format := range []string{"tree", "rows", "mermaid"} {
		o.as("boss", "handoff_history", `{"handoff_id":1,"format":"`+format+`"}`)
	}
	o.as("boss", "list_agents", `{}`)
}

func TestInvoke_ResultCountsInboxAndAdvisesNextCall(t *testing.T) {
	o := open(t)
	sent := o.as("boss", "send_handoff", `{"to":"qa","task":"test it"}`)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","view":"outcome","wait_seconds":50} waits for outcome or question.`, o.next(sent))
	listed := o.as("qa", "list_handoffs", `{}`)
	require.Equal(t, json.Number("1"), listed["inbox"].(map[string]any)["pending"])
	o.as("", "connection_open", `{"conn":"of-qa"}`)
	claimed := o.as("qa", "claim_handoff", `{}`)
	require.Contains(t, o.next(claimed), `"handoff_id":"ho_1","summary":"…"} completes it.`)
	require.Equal(t, json.Number("0"), claimed["inbox"].(map[string]any)["pending"])
	empty := o.as("qa", "claim_handoff", `{}`)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","view":"brief"} shows what you hold: test it. `+
		`claim_handoff {"wait_seconds":50} waits for mail.`, o.next(empty))
}

// A caller that follows the advice reads all of a reference.
func TestGetHandoff_AdvisesReferencesUntilAllAreRead(t *testing.T) {
	o := open(t)
	o.as("boss", "send_handoff", `{"to":"qa","task":"test it","detail":"`+strings.Repeat("x", 10_000)+`","options":{"strategy":"reference"}}`)
	part := o.as("qa", "get_handoff", `{"handoff_id":1,"view":"reference","reference":"context://ho_1"}`)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","offset":6000,"reference":"context://ho_1","view":"reference"} gives the rest.`, o.next(part))
	rest := o.as("qa", "get_handoff", `{"handoff_id":"ho_1","view":"reference","reference":"context://ho_1","offset":6000}`)
	require.NotContains(t, rest, "next")
	require.Contains(t, part["content"].(string)+rest["content"].(string), strings.Repeat("x", 10_000))
}

func TestGetHandoff_OfNoticeAdvisesNothing(t *testing.T) {
	o := open(t)
	o.as("boss", "send_handoff", `{"to":"qa","task":"read me","type":"message"}`)
	require.NotContains(t, o.as("qa", "get_handoff", `{"handoff_id":"no_1"}`), "next")
}

func TestInvoke_AllowsReadingWithoutAgentName(t *testing.T) {
	o := open(t)
	o.as("boss", "send_handoff", `{"to":"qa","task":"test it"}`)
	result := o.as("", "get_handoff", `{"handoff_id":1}`)
	require.NotContains(t, result, "inbox")
}

func TestInvoke_ActsAsAgentInArguments(t *testing.T) {
	o := open(t)
	o.as("", "send_handoff", `{"to":"qa","task":"test it","agent":"boss"}`)
	require.Equal(t, "boss", o.as("qa", "claim_handoff", `{}`)["from"])
}

func TestInvoke_AdminResultHasNoInbox(t *testing.T) {
	o := open(t)
	o.as("", "connection_open", `{"conn":"c"}`)
	o.as("", "connection_close", `{"conn":"c"}`)
	require.NotContains(t, o.as("boss", "audit_verify", `{}`), "inbox")
}
