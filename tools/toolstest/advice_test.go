package toolstest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools/toolstest"
)

func TestFaults_ReturnsNoneForGoodAdvice(t *testing.T) {
	require.Empty(t, toolstest.Faults([]schemas.Advice{
		{Say: "The sender sees what is unmet and may return it."},
		schemas.Call(schemas.GetIn{HandoffID: "ho_1", WaitSeconds: schemas.MaxWait}, "waits for a change").As("qa"),
		schemas.Call(schemas.TokenListIn{}, "shows which there are"),
	}))
}

func TestFaults_FindsBadAdvice(t *testing.T) {
	call := func(tool, args string) schemas.Advice {
		return schemas.Advice{Say: "does it", Tool: tool, Args: json.RawMessage(args)}
	}
	for name, bad := range map[string]schemas.Advice{
		"no words":              {},
		"no sentence":           {Say: "takes the next one"},
		"no predicate":          schemas.Call(schemas.ClaimIn{}, "Take the next one."),
		"a tool in the words":   {Say: "Call claim_handoff."},
		"a path in the words":   {Say: "Use options.force."},
		"a flag in the words":   {Say: "Add --agent."},
		"JSON in the words":     {Say: `Give {"met": true}.`},
		"no such tool":          call("claim", `{}`),
		"no such argument":      call("claim_handoff", `{"handof_id":"ho_1"}`),
		"an argument missing":   call("complete_handoff", `{"handoff_id":"ho_1"}`),
		"a call without id":     schemas.Call(schemas.GetIn{}, "shows it"),
		"no such choice":        call("get_handoff", `{"handoff_id":"ho_1","view":"…"}`),
		"no JSON":               call("complete_handoff", `{"handoff_id":"ho_1","summary":…}`),
		"cancelling":            schemas.Call(schemas.UpdateIn{HandoffID: "ho_1", Action: schemas.ActCancel}, "ends it"),
		"forcing":               call("send_handoff", `{"to":"x","task":"x","options":{"force":true}}`),
		"answering for another": call("complete_handoff", `{"handoff_id":"ho_1","summary":"…","verification":{"criteria":[{"criterion":1,"met":true}]}}`),
		"keeping the workspace": call("token_revoke", `{"name":"ci"}`),
	} {
		require.Len(t, toolstest.Faults([]schemas.Advice{bad}), 1, name)
	}
}
