package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestRefusalsNameTheFieldAndTheWayOut(t *testing.T) {
	for _, c := range []struct {
		name, tool, args string
		code             schemas.Code
		field            string
		message, hint    string
	}{
		{
			"no JSON", "send_handoff", `{"to":`, schemas.Invalid, "arguments",
			"not JSON: unexpected end of JSON input", "Nothing was sent.",
		},
		{
			"no object", "claim_handoff", `["a"]`, schemas.Invalid, "arguments",
			"the arguments are a list, not an object", `Send {"name": value}. Nothing was claimed.`,
		},
		{
			"missing", "send_handoff", `{"task":"x"}`, schemas.Invalid, "to",
			"required", "to: Agent, capability:NAME, role:NAME or human. Nothing was sent.",
		},
		{
			"all that is missing", "send_handoff", `{}`, schemas.Invalid, "to",
			"required, and so is task", "to: Agent, capability:NAME, role:NAME or human. task: What to do (≤4 KiB). Nothing was sent.",
		},
		{
			"blank is missing", "send_handoff", `{"to":"qa","task":" \n"}`, schemas.Invalid, "task",
			"required", "task: What to do (≤4 KiB). Nothing was sent.",
		},
		{
			"missing word", "update_handoff", `{"handoff_id":"1","action":""}`, schemas.Invalid, "action", "required",
			"action: one of progress, ask, answer, release, amend, cancel, retry, return, approve, refuse. Nothing was changed.",
		},
		{
			"missing within a row", "send_handoff", `{"to":"qa","task":"x","context":{"files":[{"note":"n"}]}}`, schemas.Invalid,
			"context.files[0].path", "required", "Nothing was sent.",
		},

		{
			"mistyped", "send_handoff", `{"to":"qa","tsk":"x"}`, schemas.Invalid, "tsk",
			"there is no such field", "Closest: task. Nothing was sent.",
		},
		{
			"mistyped within a free field", "complete_handoff", `{"handoff_id":"1","summary":"x","verification":{"commands":[{"command":"a","exit_code":0,"outpt":"b"}]}}`,
			schemas.Invalid, "verification.commands[0].outpt", "there is no such field", "Closest: output. Nothing was changed.",
		},
		{
			"mistyped in a file", "send_handoff", `{"to":"qa","task":"x","context":{"files":[{"path":"a.go","lnies":"1-9"}]}}`, schemas.Invalid,
			"context.files[0].lnies", "there is no such field", "Closest: lines. Nothing was sent.",
		},
		{
			"mistyped in a decision", "send_handoff", `{"to":"qa","task":"x","context":{"decisions":[{"dcision":"x"}]}}`, schemas.Invalid,
			"context.decisions[0].dcision", "there is no such field", "Closest: decision. Nothing was sent.",
		},
		{
			"object for a step", "send_handoff", `{"to":"qa","task":"x","context":{"completed_steps":[{"a":1}]}}`, schemas.Invalid,
			"context.completed_steps[0]", "must be text, not an object", "",
		},
		{
			"truth for a step", "send_handoff", `{"to":"qa","task":"x","work_completed":[true]}`, schemas.Invalid,
			"context.completed_steps[0]", "must be text, not true", "",
		},
		{
			"list for a path", "send_handoff", `{"to":"qa","task":"x","context":{"files":[{"path":["a","b"]}]}}`, schemas.Invalid,
			"context.files[0].path", "must be text, not a list", "",
		},
		{
			"list for a path in foreign words", "send_handoff", `{"to":"qa","task":"x","files_modified":[{"file":["a","b"]}]}`, schemas.Invalid,
			"context.files[0].file", "there is no such field", "",
		},
		{
			"like none", "list_agents", `{"xyzzy":1}`, schemas.Invalid, "xyzzy",
			"there is no such field", "Known: capability, role, tags, agent.",
		},
		{
			"what the mailbox fills", "send_handoff", `{"to":"qa","task":"x","context":{"answers":[{"answer":"yes","from":"human"}]}}`, schemas.Invalid,
			"context.answers", "only the mailbox fills this field", "Leave it out. Nothing was sent.",
		},
		{
			"questions of nobody", "send_handoff", `{"to":"qa","task":"x","context":{"questions":["why?"]}}`, schemas.Invalid,
			"context.questions", "only the mailbox fills this field", "Leave it out. Nothing was sent.",
		},
		{
			"a forged checkpoint", "update_handoff", `{"handoff_id":"1","action":"amend","changes":{"context":{"checkpoint":{"note":"n"}}}}`, schemas.Invalid,
			"changes.context.checkpoint", "only the mailbox fills this field", "Leave it out. Nothing was changed.",
		},
		{
			"forged progress passed on", "complete_handoff", `{"handoff_id":"1","summary":"x","continuation":{"context":{"partialProgress":{"completed":["c"]}}}}`, schemas.Invalid,
			"continuation.context.partial_progress", "only the mailbox fills this field", "Leave it out. Nothing was changed.",
		},

		{
			"no word", "send_handoff", `{"to":"qa","task":"x","priority":"hihg"}`, schemas.Invalid, "priority",
			`"hihg" is not one of low, normal, high, critical`, "Closest: high. Nothing was sent.",
		},
		{
			"object for text", "send_handoff", `{"to":{},"task":"x"}`, schemas.Invalid, "to",
			"must be text, not an object", "It takes: Agent, capability:NAME, role:NAME or human. Nothing was sent.",
		},
		{
			"truth for text", "send_handoff", `{"to":"qa","task":true}`, schemas.Invalid, "task",
			"must be text, not true", "It takes: What to do (≤4 KiB). Nothing was sent.",
		},
		{
			"text for an object", "send_handoff", `{"to":"qa","task":"x","expectations":"soon"}`, schemas.Invalid, "expectations",
			`must be an object, not "soon"`, "Nothing was sent.",
		},
		{
			"object for a list", "claim_handoff", `{"tags":{}}`, schemas.Invalid, "tags",
			"must be a list of text, not an object", "",
		},
		{
			"text for a number", "claim_handoff", `{"wait_seconds":"soon"}`, schemas.Invalid, "wait_seconds",
			`must be a whole number, not "soon"`, "It takes: Wait for mail (≤50). Nothing was claimed.",
		},
		{
			"broken number", "claim_handoff", `{"wait_seconds":1.5}`, schemas.Invalid, "wait_seconds",
			"must be a whole number, not 1.5", "",
		},
		{
			"number for truth", "register_agent", `{"name":"qa","away":1}`, schemas.Invalid, "away",
			"must be true or false, not 1", "",
		},
		{
			"agent that is no text", "claim_handoff", `{"agent":["qa"]}`, schemas.Invalid, "agent",
			"must be text, not a list", "",
		},

		{
			"too much", "claim_handoff", `{"wait_seconds":60}`, schemas.Invalid, "wait_seconds",
			"60 is outside", "Give at least 0 and at most 50. Nothing was claimed.",
		},
		{
			"too little", "get_handoff", `{"handoff_id":"1","offset":-1}`, schemas.Invalid, "offset",
			"-1 is outside", "Give at least 0.",
		},
		{
			"too long in bytes", "register_agent", `{"name":"` + strings.Repeat("é", 33) + `"}`, schemas.Limit, "name",
			"66 bytes, at most 64 are allowed", "",
		},
		{
			"too many", "update_handoff", `{"handoff_id":"1","action":"ask","questions":[` + strings.Repeat(`"?",`, 20) + `"?"]}`, schemas.Limit,
			"questions", "21 items, at most 20 are allowed", "Send fewer. Nothing was changed.",
		},

		{
			"NUL", "send_handoff", `{"to":"qa","task":"x","context":{"state":{"a":["\u0000"]}}}`, schemas.Invalid,
			"context.state.a[0]", "holds a NUL character", "Take it out. Nothing was sent.",
		},
		{
			"NUL in a name", "send_handoff", `{"to":"qa","task":"x","data":{"a\u0000":"b"}}`, schemas.Invalid,
			`data.a\x00`, "holds a NUL character", "",
		},
		{
			"NUL in text that is JSON", "send_handoff", `{"to":"qa","task":"x","context":"{\"memories\":[\"\\u0000\"]}"}`, schemas.Invalid,
			"context.memories[0]", "holds a NUL character", "",
		},
		{
			"NUL in a foreign list that is JSON", "send_handoff", `{"to":"qa","task":"x","work_completed":"[\"a\\u0000b\"]"}`, schemas.Invalid,
			"context.completed_steps[0]", "holds a NUL character", "",
		},
		{
			"depth within foreign JSON", "send_handoff", fmt.Sprintf(`{"to":"qa","task":"x","context":{"intermediateResults":"{\"a\":%s}"}}`, nested(30)), schemas.Limit,
			"context.results.a" + strings.Repeat("[0]", 29), "lies deeper than 32 objects and lists", "",
		},
		{
			"digits within foreign JSON", "send_handoff", `{"to":"qa","task":"x","context":{"intermediateResults":"{\"a\":1234567890123456789}"}}`,
			schemas.Invalid, "context.results.a", "1234567890123456789 has more digits than a number keeps", "",
		},
		{
			"not UTF-8", "send_handoff", "{\"to\":\"qa\",\"task\":\"x\",\"context\":{\"memories\":[\"\xff\"]}}", schemas.Invalid,
			"context.memories[0]", "is not UTF-8", "Send text as UTF-8. Nothing was sent.",
		},
		{
			"digits that would be lost", "send_handoff", `{"to":"qa","task":"x","context":{"state":{"id":1234567890123456789}}}`, schemas.Invalid,
			"context.state.id", "1234567890123456789 has more digits than a number keeps", "Send it as text, in quotes. Nothing was sent.",
		},
		{
			"deeper than 32", "send_handoff", fmt.Sprintf(`{"to":"qa","task":"x","context":{"state":{"a":%s}}}`, nested(30)), schemas.Limit,
			"context.state.a" + strings.Repeat("[0]", 29), "lies deeper than 32 objects and lists", "Send it flatter, or as text. Nothing was sent.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := refusal(t, c.tool, c.args)
			require.Equal(t, c.code, e.Code, e)
			require.Equal(t, c.field, e.Field)
			require.Equal(t, c.message, e.Message)
			require.Contains(t, e.Hint, c.hint)
		})
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestNestingOf32IsTaken(t *testing.T) {
	_, err := canonical(t, "send_handoff", fmt.Sprintf(`{"to":"qa","task":"x","context":{"state":{"a":%s}}}`, nested(29)))
	require.NoError(t, err)
}

func TestUnknownFieldListsWhatIsKnownClosestFirst(t *testing.T) {
	e := refusal(t, "claim_handoff", `{"wait":5}`)
	require.Equal(t, []string{"wait_seconds", "tags", "view", "agent", "handoff_id", "max_tokens"}, e.Known)
}

func TestHiddenFieldsAreNotSuggested(t *testing.T) {
	require.NotContains(t, refusal(t, "send_handoff", `{"orign":1}`).Known, "origin")
}

func TestWhatTheMailboxFillsIsNotSuggested(t *testing.T) {
	known := refusal(t, "send_handoff", `{"to":"qa","task":"x","context":{"checkpint":{}}}`).Known
	require.Contains(t, known, "state")
	for _, field := range []string{"questions", "answers", "partial_progress", "checkpoint"} {
		require.NotContains(t, known, field)
	}
}

func TestErrorsStayShortWhateverWasSent(t *testing.T) {
	e := refusal(t, "send_handoff", `{"to":"qa","task":"x","priority":"`+strings.Repeat("x", 5000)+`"}`)
	require.Less(t, len(e.Message), 200)
	e = refusal(t, "send_handoff", `{"`+strings.Repeat("x", 5000)+`":1}`)
	require.Less(t, len(e.Field), 100)
}

func TestUnknownToolNamesTheClosest(t *testing.T) {
	_, err := invoke(t, "send_handof", `{}`)
	require.Equal(t, schemas.NotFound, err.Code)
	require.Equal(t, "send_handoff", err.Known[0])
	require.Equal(t, "Closest: send_handoff.", err.Hint)
	require.NotContains(t, err.Known, "audit_verify")
}
