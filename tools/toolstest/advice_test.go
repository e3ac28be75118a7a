package toolstest_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/tools/toolstest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestAdviceFaults_AreNoneForGoodAdvice(t *testing.T) {
	require.Empty(t, toolstest.AdviceFaults([]schemas.Advice{
		{Say: "The sender sees what is unmet and may return it."},
		schemas.AdviseCall(schemas.GetIn{HandoffID: "ho_1", WaitSeconds: schemas.MaxWait}, "waits for a change").WithAgent("qa"),
		schemas.AdviseCall(schemas.TokenListIn{}, "shows which there are"),
	}))
}

func TestAdviceFaults_ReportBadAdvice(t *testing.T) {
	call := func(tool, args string) schemas.Advice {
		return schemas.Advice{Say: "does it", Tool: tool, Args: json.RawMessage(args)}
	}
	for name, bad := range map[string]schemas.Advice{
		"no words":              {},
		"no sentence":           {Say: "takes the next one"},
		"no predicate":          schemas.AdviseCall(schemas.ClaimIn{}, "Take the next one."),
		"a tool in the words":   {Say: "Call claim_handoff."},
		"a path in the words":   {Say: "Use options.force."},
		"a flag in the words":   {Say: "Add --agent."},
		"JSON in the words":     {Say: `Give {"met": true}.`},
		"no such tool":          call("claim", `{}`),
		"no such argument":      call("claim_handoff", `{"handof_id":"ho_1"}`),
		"an argument missing":   call("complete_handoff", `{"handoff_id":"ho_1"}`),
		"a call without id":     schemas.AdviseCall(schemas.GetIn{}, "shows it"),
		"no such choice":        call("get_handoff", `{"handoff_id":"ho_1","view":"…"}`),
		"no JSON":               call("complete_handoff", `{"handoff_id":"ho_1","summary":…}`),
		"cancelling":            schemas.AdviseCall(schemas.UpdateIn{HandoffID: "ho_1", Action: schemas.ActCancel}, "ends it"),
		"forcing":               call("send_handoff", `{"to":"x","task":"x","options":{"force":true}}`),
		"answering for another": call("complete_handoff", `{"handoff_id":"ho_1","summary":"…","verification":{"criteria":[{"criterion":"1","met":true}]}}`),
		"keeping the workspace": call("token_revoke", `{"name":"ci"}`),
	} {
		require.Len(t, toolstest.AdviceFaults([]schemas.Advice{bad}), 1, name)
	}
}
