package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
)

func canonicalArgs(t *testing.T, tool, args string) (string, error) {
	t.Helper()
	row, err := tools.FindTool(tool)
	require.NoError(t, err)
	b, err := row.CanonicalArgs(json.RawMessage(args))
	return string(b), err
}

// Each line is a slip of a model, and its coerced form. Claims, lists and similar tools take no fields of their own
// here, so that the slip stands alone.
func TestDecode_ConvertsValuesToTypesOfSchema(t *testing.T) {
	for _, c := range []struct{ name, tool, args, want string }{
		{"absent arguments", "claim_handoff", ``, `{}`},
		{"null arguments", "claim_handoff", ` null `, `{}`},
		{"empty arguments", "claim_handoff", `{}`, `{}`},
		{"all arguments as text", "claim_handoff", `"{\"wait_seconds\":5}"`, `{"wait_seconds":5}`},
		{"null is absent", "claim_handoff", `{"handoff_id":null,"tags":["a",null]}`, `{"tags":["a"]}`},
		{"the same twice", "claim_handoff", `{"view":"full","view":"full"}`, `{"view":"full"}`},
		{"agent is lifted out", "claim_handoff", `{"agent":"qa"}`, `{}`},

		{"one text for a list", "claim_handoff", `{"tags":"go"}`, `{"tags":["go"]}`},
		{"list as text", "claim_handoff", `{"tags":" [\"go\",\"db\"]"}`, `{"tags":["go","db"]}`},
		{"text that only looks like a list", "claim_handoff", `{"tags":"[ ] open"}`, `{"tags":["[ ] open"]}`},
		{"empty text for a list", "claim_handoff", `{"tags":""}`, `{}`},
		{"numbers for texts", "claim_handoff", `{"handoff_id":12,"tags":[7]}`, `{"handoff_id":"12","tags":["7"]}`},

		{"number as text", "claim_handoff", `{"wait_seconds":"50"}`, `{"wait_seconds":50}`},
		{"whole number with a point", "claim_handoff", `{"wait_seconds":5.0}`, `{"wait_seconds":5}`},
		{"whole number with an exponent", "claim_handoff", `{"wait_seconds":"1e1"}`, `{"wait_seconds":10}`},
		{"empty text for a number", "claim_handoff", `{"wait_seconds":""}`, `{}`},
		{"word in capitals", "claim_handoff", `{"view":"FULL"}`, `{"view":"full"}`},
		{"word with a hyphen", "list_handoffs", `{"status":" Timed-Out"}`, `{"status":"timed_out"}`},
		{"a wait longer than possible", "claim_handoff", `{"wait_seconds":300}`, `{"wait_seconds":50}`},
		{"a brief longer than possible", "get_handoff", `{"handoff_id":"1","max_tokens":1e9}`, `{"handoff_id":"1","max_tokens":100000}`},
		{
			"gist for its object", "fail_handoff", `{"handoff_id":"1","description":"x","checkpoint":"at three"}`,
			`{"checkpoint":{"note":"at three"},"description":"x","handoff_id":"1"}`,
		},
		{
			"texts for what comes and came", "send_handoff",
			`{"to":"qa","task":"x","context":{"artifacts":["a.md"]},"expectations":{"deliverables":["code"]}}`,
			`{"context":{"artifacts":[{"path":"a.md"}]},"expectations":{"deliverables":[{"description":"code"}]},"task":"x","to":"qa"}`,
		},
		{"empty word", "claim_handoff", `{"view":""}`, `{}`},
		{"truth as text", "register_agent", `{"name":"qa","away":"True"}`, `{"away":true,"name":"qa"}`},
		{"untruth as text", "register_agent", `{"name":"qa","away":"false"}`, `{"away":false,"name":"qa"}`},

		{
			"object as text", "send_handoff", `{"to":"qa","task":"x","context":"{\"files\":[{\"path\":\"a.go\"}]}"}`,
			`{"context":{"files":[{"path":"a.go"}]},"task":"x","to":"qa"}`,
		},
		{
			"text within text", "send_handoff", `{"to":"qa","task":"x","context":"{\"files\":\"[{\\\"path\\\":\\\"a\\\"}]\"}"}`,
			`{"context":{"files":[{"path":"a"}]},"task":"x","to":"qa"}`,
		},
		{
			"one object for a list", "fail_handoff", `{"handoff_id":"1","description":"x","blockers":{"description":"no key"}}`,
			`{"blockers":[{"description":"no key"}],"description":"x","handoff_id":"1"}`,
		},
		{
			"text for its object", "send_handoff", `{"to":"qa","task":"x","context":{"files":["a.go"],"decisions":"use JWT"}}`,
			`{"context":{"decisions":[{"decision":"use JWT"}],"files":[{"path":"a.go"}]},"task":"x","to":"qa"}`,
		},
		{
			"criterion by number", "complete_handoff", `{"handoff_id":"1","summary":"x","verification":{"criteria":[{"criterion":1,"met":"true"}]}}`,
			`{"handoff_id":"1","summary":"x","verification":{"criteria":[{"criterion":"1","met":true}]}}`,
		},
		{
			"values for programs", "complete_handoff", `{"handoff_id":"1","summary":"x","results":{"cost_usd":0.25,"merged":true,"pr_url":null}}`,
			`{"handoff_id":"1","results":{"cost_usd":0.25,"merged":true,"pr_url":null},"summary":"x"}`,
		},

		{
			"free objects stay", "send_handoff", `{"to":"qa","task":"x","context":{"state":{"a":null,"b":"[1]","c":"<&>"}}}`,
			`{"context":{"state":{"a":null,"b":"[1]","c":"<&>"}},"task":"x","to":"qa"}`,
		},
		{
			"any output", "complete_handoff", `{"handoff_id":"1","summary":"x","output":[1,"2",{"a":null}]}`,
			`{"handoff_id":"1","output":[1,"2",{"a":null}],"summary":"x"}`,
		},
		{
			"output as text", "complete_handoff", `{"handoff_id":"1","summary":"x","output":"{\"a\":1}"}`,
			`{"handoff_id":"1","output":"{\"a\":1}","summary":"x"}`,
		},
		{
			"output schema as text", "send_handoff", `{"to":"qa","task":"x","expectations":{"output_schema":"{\"type\":\"object\"}"}}`,
			`{"expectations":{"output_schema":{"type":"object"}},"task":"x","to":"qa"}`,
		},
		{
			"rows as text", "complete_handoff", `{"handoff_id":"1","summary":"x","deliverables":["{\"filesCreated\":[\"a\"]}"]}`,
			`{"deliverables":[{"files_created":["a"]}],"handoff_id":"1","summary":"x"}`,
		},
		{"control characters stay", "send_handoff", `{"to":"qa","task":"x\u001b[1m"}`, `{"task":"x\u001b[1m","to":"qa"}`},
		{"another spelling", "send_handoff", `{"to":"qa","message":"hello"}`, `{"task":"hello","to":"qa"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			have, err := canonicalArgs(t, c.tool, c.args)
			require.NoError(t, err)
			require.Equal(t, c.want, have)
			again, err := canonicalArgs(t, c.tool, have)
			require.NoError(t, err)
			require.Equal(t, have, again)
		})
	}
}

func refusalOf(t *testing.T, tool, args string) *schemas.Error {
	t.Helper()
	have, err := canonicalArgs(t, tool, args)
	require.Error(t, err, have)
	return schemas.AsError(err)
}

func TestDecode_RefusesUnfilledPlaceholder(t *testing.T) {
	for tool, args := range map[string]string{
		"complete_handoff": `{"handoff_id": "ho_1", "summary": "…"}`,
		"fail_handoff":     `{"handoff_id": "ho_1", "description": "…"}`,
		"update_handoff":   `{"handoff_id": "ho_1", "action": "ask", "questions": [" … "]}`,
	} {
		row, err := tools.FindTool(tool)
		require.NoError(t, err)
		_, err = row.CanonicalArgs(json.RawMessage(args))
		require.ErrorContains(t, err, "only you can write")
	}
	b, err := canonicalArgs(t, "send_handoff", `{"to": "qa", "task": "x", "data": {"ellipsis": "…"}}`)
	require.NoError(t, err, "data is for programs")
	require.Contains(t, b, `{"ellipsis":"…"}`)
}
