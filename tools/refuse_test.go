package tools_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/respell"
	"handoff/tools"
	"handoff/tools/toolstest"
)

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestDecode_AcceptsNestingOf32(t *testing.T) {
	_, err := canonicalArgs(t, "send_handoff", fmt.Sprintf(`{"to":"qa","task":"x","context":{"state":{"a":%s}}}`, nested(29)))
	require.NoError(t, err)
}

func TestUnknownField_ErrorListsFieldsAndNamesClosest(t *testing.T) {
	e := refusalOf(t, "claim_handoff", `{"wait_secs":5}`)
	require.Equal(t, []string{"handoff_id", "wait_seconds", "tags", "view", "max_tokens", "agent"}, e.Known)
	require.Equal(t, "Closest: wait_seconds. Nothing was claimed.", e.Hint)
}

func TestUnknownField_ErrorSuggestsNoHiddenFieldsAndNoneFilledByMailbox(t *testing.T) {
	require.NotContains(t, refusalOf(t, "send_handoff", `{"orign":1}`).Known, "origin")
	require.NotContains(t, refusalOf(t, "update_handoff", `{"handoff_id":"1","action":"progress","tre":1}`).Known, "tree")
}

func TestDecode_RefusesDuplicateFieldWithTwoValues(t *testing.T) {
	e := refusalOf(t, "send_handoff", `{"to":"qa","task":"x","context":{"state":{"a":[{"b":1,"b":2}]}}}`)
	require.Equal(t, "context.state.a[0].b", e.Field)
	require.Contains(t, e.Message, "comes twice, with different values")
}

func TestInvoke_ErrorStaysShortForLongInput(t *testing.T) {
	e := refusalOf(t, "send_handoff", `{"to":"qa","task":"x","priority":"`+strings.Repeat("x", 5000)+`"}`)
	require.Less(t, len(e.Message), 200)
	e = refusalOf(t, "send_handoff", `{"`+strings.Repeat("x", 5000)+`":1}`)
	require.Less(t, len(e.Field), 100)
}

func TestDecode_ErrorNamesAllWrongFields(t *testing.T) {
	e := refusalOf(t, "send_handoff", `{"tsk":"x","budget":9,"priority":"soon","tags":{},"context":{"files":[{"path":7},{"lnies":"1"}],"foo":1},"options":{"foo":1}}`)
	require.Equal(t, "budget: there is no such field (Give it as options.limits.cost_usd or options.limits.tokens); tsk: there is no such field (Closest: task); to: required, and so is task "+
		"(to: Agent, capability:NAME, role:NAME, workflow:NAME or human. task: What to do (≤4 KiB)); context.files[1].lnies: there is no such field (Closest: lines); "+
		`context.files[1].path: required; options.foo: there is no such field (Leave it out, or write it into detail, or for programs into data or context.state); `+
		`priority: "soon" is not one of low, normal, high, critical (also P0 (critical), P1, P2, P3 and P4 (low), or 0 to 4); `+
		"tags: must be a list of text, not an object (It takes: text[])", e.Error())
	require.Equal(t, "Nothing was sent.", e.Hint)
	e = refusalOf(t, "claim_handoff", `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1}`)
	require.Contains(t, e.Message, "j: there is no such field (Leave it out: a claim takes the given handoff, or the next one for you); and 2 more")
}

func TestUnknownTool_ErrorNamesClosestTool(t *testing.T) {
	_, err := invoke(t, "send_handof", `{}`)
	require.Equal(t, schemas.NotFound, err.Code)
	require.Contains(t, err.Known, "send_handoff")
	require.Equal(t, "Closest: send_handoff.", err.Hint)
	require.NotContains(t, err.Known, "audit_verify")
}

func TestUnknownTool_ErrorAdvisesWhatNameSays(t *testing.T) {
	for name, want := range map[string]string{
		"delete_handoff": "cancels", "handoff_cancel": "cancels", "undo": "cancels", "close_handoff": "ends it as done", "createTask": "sends work",
		"get_inbox": "takes nothing", "task.reply": "answers", "accept-result": "accepts", "get_status": "shows one handoff", "fetch_thing": "shows one",
		"reject_task": "returns a result", "unregister_agent": "away", "list_agent": "who is here", "wait_for_reply": "waits", "log_progress": "reports on it",
	} {
		_, err := invoke(t, name, `{}`)
		require.Empty(t, err.Hint, name)
		require.Contains(t, schemas.RenderAdvice(err.Next), want, name)
	}
	table, err := os.ReadFile("../schemas/respell/meanings.txt")
	require.NoError(t, err)
	fields, err := os.ReadFile("../schemas/respell/fields.txt")
	require.NoError(t, err)
	for word := range strings.FieldsSeq(string(table) + string(fields)) {
		require.Empty(t, toolstest.AdviceFaults(respell.MeantCalls(word, respell.Standing{ID: "ho_1"}, nil)), word)
		for _, tool := range tools.Table() {
			_, next := respell.FieldAdvice(tool.Name, strings.TrimPrefix(word, "~"), "ho_1")
			require.Empty(t, toolstest.AdviceFaults(next), word)
		}
	}
}

func TestDecode_ErrorAboutObjectShowsItsForm(t *testing.T) {
	for _, c := range []struct{ tool, args, shows string }{
		{"complete_handoff", `{"handoff_id":"1","summary":"x","verification":{"criteria":["green"]}}`, "{criterion: number or text, met: bool, evidence: text}"},
		{"update_handoff", `{"handoff_id":"1","action":"ask","conditions":"now"}`, "estimated_completion: '20m'"},
		{"send_handoff", `{"to":"qa","task":"x","context":{"project":"shop"}}`, "{name: text, path: text, tech_stack: text[]"},
		{"send_handoff", `{"to":"qa","task":"x","options":{"limits":7}}`, "{workflow_handoffs|rounds|"},
	} {
		require.Contains(t, refusalOf(t, c.tool, c.args).Hint, c.shows)
	}
}
