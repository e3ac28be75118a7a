package respell_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/respell"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func ExampleNormalise() {
	args, err := respell.Normalise("send_handoff", map[string]any{
		"from_agent": "architect", "toAgent": "auto-code", "message": "Build the login",
		"urgency": "urgent", "filesModified": []any{"auth.go:1-9"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	canonical, _ := json.Marshal(args)
	fmt.Println(string(canonical))
	// Output:
	// {"context":{"files":[{"lines":"1-9","path":"auth.go"}]},"origin":{"extra":{"priority":"urgent"},"source":{"agent":"architect"}},"priority":"critical","task":"Build the login","to":"auto-code"}
}

// decode reads a JSON object as the tools do.
func decode(t testing.TB, s string) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	var m map[string]any
	require.NoError(t, d.Decode(&m), s)
	return m
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestNormalise_AcceptsEverySpelling(t *testing.T) {
	for _, c := range []struct{ name, tool, args, want string }{
		{"canonical arguments stay", "send_handoff", `{"to":"qa","task":"t","priority":"high","data":{"camelCase":"x"},"tags":["a,b"],"version":2}`, ``},
		{"unknown fields that may decide stay", "send_handoff", `{"to":"qa","tsak":"t","foo":1,"options":{"needs_approvel":true},"expectations":{"foo":1},"rollback":{"foo":1}}`, ``},
		{"a message with a header keeps what resembles nothing", "send_handoff", `{"version":1,"needs_approvel":true,"date":"d","options":{"foo":1}}`, `{"version":1,"needs_approvel":true,"options":{"foo":1},"origin":{"extra":{"date":"d"}}}`},
		{"an ending has metadata and a target, too", "fail_handoff", `{"description":"d","metadata":{"timestamp":"t","team":"a"},"target":{"agent":"b","foo":1},"error":{"foo":1}}`, `{"description":"d","origin":{"timestamp":"t","target":{"agent":"b"},"extra":{"metadata":{"team":"a"},"target":{"foo":1},"error":{"foo":1}}}}`},
		{"no other tool keeps anything", "list_handoffs", `{"version":2,"filter":{"foo":1},"metadata":{"a":1}}`, ``},
		{"free maps are not read", "send_handoff", `{"context":{"state":{"handoffId":null,"notes":"n"},"results":{"timeoutMs":1}}}`, ``},
		{"unknown tool", "audit_verify", `{"handoffId":"ho_1"}`, ``},
		{"camelCase inside rows", "send_handoff", `{"expectations":{"deliverables":[{"acceptanceCriteria":["a"]}],"ifStuck":["ask"]}}`, `{"expectations":{"deliverables":[{"acceptance_criteria":["a"]}],"if_stuck":["ask"]}}`},
		{"camelCase of readers", "claim_handoff", `{"handoffId":12,"waitSeconds":5,"maxTokens":"300"}`, `{"handoff_id":"12","wait_seconds":5,"max_tokens":"300"}`},
		{"id and workflow of readers", "handoff_history", `{"id":"ho_1","workflowId":"wf_a"}`, `{"handoff_id":"ho_1","workflow":"wf_a"}`},
		{"camelCase of cards", "register_agent", `{"name":"qa","maxSessionMinutes":60,"maxOpen":2}`, `{"name":"qa","max_session_minutes":60,"max_open":2}`},
		{"null of known fields goes", "send_handoff", `{"to":"qa","title":null,"source":null,"context":{"test_command":null,"reproductionSteps":null},"metadata":{"parent_handoff":null}}`, `{"to":"qa"}`},
		{"null is an output", "complete_handoff", `{"handoff_id":"ho_1","output":null,"summary":null}`, `{"handoff_id":"ho_1","output":null}`},
		{"empty foreign values carry nothing", "send_handoff", `{"to":"qa","source":{},"context":{"known_issues":["a"],"potential_issues":[],"implementation_notes":""}}`, `{"to":"qa","context":{"known_issues":["a"]}}`},
		{"a single text joins a list", "send_handoff", `{"to":"qa","labels":"x","required_skills":["y"]}`, `{"to":"qa","tags":["x","y"],"options":{"requires":["y"]}}`},
		{"an address beside references", "send_handoff", `{"to":"qa","references":[{"url":"a"},{"url":"b"}],"context":{"context_url":"u"}}`, `{"to":"qa","context":{"references":[{"url":"a"},{"url":"b"},{"url":"u"}]}}`},
		{"an address beside another one", "send_handoff", `{"to":"qa","references":[{"url":"a"}],"context":{"context_url":"u"}}`, `{"to":"qa","context":{"references":[{"url":"a"},{"url":"u"}]}}`},
		{"an alias fills an empty field", "send_handoff", `{"to":"","to_agent":"qa"}`, `{"to":"qa"}`},
		{"an equal alias goes", "send_handoff", `{"to":"qa","target":{"agent":"qa"},"expectations":{"timeout":"1h30m","timeoutMs":5400000}}`, `{"to":"qa","expectations":{"timeout":"1h30m"}}`},

		{"JSON as text", "send_handoff", `{"task":"{\"id\":1}","context":"{\"relevantFiles\":\"[\\\"a.go:3\\\"]\"}"}`, `{"task":"{\"id\":1}","context":{"files":[{"path":"a.go","lines":"3"}]}}`},
		{"no JSON as text", "send_handoff", `{"context":{"completedSteps":"[x] done"},"rollback":"{} {}"}`, `{"context":{"completed_steps":["[x] done"]},"rollback":"{} {}"}`},
		{"whole version of a failure", "fail_handoff", `{"version":1,"description":"d"}`, `{"origin":{"version":"1"},"description":"d"}`},

		{"what belongs to a join stays in it", "send_handoff", `{"successCriteria":["a"],"each":["x"],"options":{"join":{"goto":"b","criteria":["c"]}}}`, `{"expectations":{"success_criteria":["a"]},"options":{"each":["x"],"join":{"to":"b","expectations":{"success_criteria":["c"]}}}}`},
		{"a field at the top that belongs below", "send_handoff", `{"successCriteria":["a"],"needs_approval":true,"depends_on":"ho_1"}`, `{"expectations":{"success_criteria":["a"]},"options":{"needs_approval":true,"after":"ho_1"}}`},
		{"a field below that belongs to the top", "send_handoff", `{"expectations":{"deadline":"2h","priority":"urgent"}}`, `{"deadline":"2h","priority":"critical","origin":{"extra":{"priority":"urgent"}}}`},
		{"a field that could belong to several stays", "send_handoff", `{"to":"qa","task":"t","note":"n","path":"a.go"}`, ``},
		{"lists as text that stand elsewhere", "fail_handoff", `{"description":"d","done":"[\"a\"]"}`, `{"description":"d","partial_progress":{"completed":["a"]}}`},
		{"results at the top", "complete_handoff", `{"commit":"abc","tests_passing":true}`, `{"results":{"commit":"abc"},"verification":{"tests_passing":true}}`},
		{"changes at the top", "update_handoff", `{"task":"t","checkpoint":"at three"}`, `{"changes":{"task":"t","checkpoint":"at three"}}`},
		{"several answers", "update_handoff", `{"answers":["yes","no"]}`, `{"note":"yes\n\nno"}`},
		{"what is required in words", "fail_handoff", `{"description":"d","blockers":[{"description":"no access","required_to_proceed":"A key"}]}`, `{"description":"d","blockers":[{"description":"no access. To proceed: A key","required_to_proceed":true}]}`},
		{"states of other systems", "list_handoffs", `{"status":"In-Progress"}`, ``},
		{"a state of another system", "list_handoffs", `{"status":"TIMEOUT","search":"login"}`, `{"status":"timed_out","query":"login"}`},
		{"an action in other words", "update_handoff", `{"action":"respond"}`, `{"action":"answer"}`},

		{"target capability", "send_handoff", `{"target":{"capability":"security_review","reason":"r"}}`, `{"to":"capability:security_review","options":{"reason":"r"},"task":"r"}`},
		{"target role", "send_handoff", `{"target":{"role":"testing"},"task":"t"}`, `{"to":"role:testing","task":"t"}`},
		{"source and target as names", "send_handoff", `{"source":"a","target":"b"}`, `{"origin":{"source":{"agent":"a"}},"to":"b"}`},
		{"role without a recipient", "send_handoff", `{"context":{"role":"fixing"}}`, `{"to":"role:fixing"}`},
		{"role beside a recipient", "send_handoff", `{"to":"qa","agentRole":"fixing"}`, `{"to":"qa","context":{"state":{"agent_role":"fixing"}}}`},
		{"own parent", "send_handoff", `{"metadata":{"parentHandoff":"ho_12"}}`, `{"origin":{"parent_handoff":"ho_12"},"parent":"ho_12"}`},
		{"foreign parent", "send_handoff", `{"metadata":{"parentHandoff":"ho_012"}}`, `{"origin":{"parent_handoff":"ho_012"}}`},
		{"reason is no task of a plain call", "send_handoff", `{"to":"qa","options":{"reason":"r"}}`, ``},
		{"higher of urgency and importance", "send_handoff", `{"urgency":"normal","importance":"HIGH"}`, `{"priority":"high"}`},
		{"numeric priority", "send_handoff", `{"priority":0,"metadata":{"priority":"0"}}`, `{"priority":"critical","origin":{"extra":{"priority":"0"}}}`},
		{"P and a number", "send_handoff", `{"priority":" P1"}`, `{"priority":"high","origin":{"extra":{"priority":" P1"}}}`},
		{"kebab case and upper case", "send_handoff", `{"HANDOFF-ID":"x1","To Agent":"qa","CONTEXT":{"Known-Issues":["a"]}}`, `{"origin":{"handoff_id":"x1"},"to":"qa","context":{"known_issues":["a"]}}`},
		{"number of an attempt", "send_handoff", `{"metadata":{"attempt":9}}`, `{"options":{"attempt":8},"origin":{"attempt":9}}`},
		{"required role before the next one", "send_handoff", `{"agent_role":"testing","handoff_instructions":{"next_role":"fixing"}}`, `{"to":"role:testing","context":{"state":{"next_role":"fixing"}}}`},
		{"duration of the next role alone", "send_handoff", `{"agent_role":"testing","handoff_instructions":{"next_role":"fixing","expected_duration":"15m"}}`, `{"to":"role:testing","context":{"state":{"next_role":"fixing","next_expected_duration":"15m"}}}`},
		{"duration of the recipient, the next role", "send_handoff", `{"handoff_instructions":{"next_role":"fixing","expected_duration":"15m"}}`, `{"to":"role:fixing","expectations":{"estimated_duration":"15m"}}`},
		{"partly done", "complete_handoff", `{"status":"INCOMPLETE","summary":"s"}`, `{"outcome":"partial","origin":{"status":"INCOMPLETE"},"summary":"s"}`},
		{"chain limit", "send_handoff", `{"maxHandoffs":5,"maxAttempts":2}`, `{"options":{"limits":{"max_handoffs":5},"max_attempts":2}}`},
		{"minutes", "send_handoff", `{"estimatedDurationMinutes":90,"expectations":{"timeout":45}}`, `{"expectations":{"estimated_duration":"1h30m0s","timeout":"45m0s"}}`},
		{"a duration beyond reason is left to its reader", "send_handoff", `{"timeoutMs":1e300}`, `{"expectations":{"timeout":"1e300"}}`},
		{"notes of two agents", "send_handoff", `{"context":{"implementation_notes":"a","notes":["b","c"]}}`, `{"detail":"a\n\nb\n\nc"}`},
		{"lists of two names", "send_handoff", `{"specialistTags":["a","b"],"requiredSkills":["b","c"]}`, `{"tags":["a","b","c"],"options":{"requires":["a","b"]}}`},
		{"test script before command", "send_handoff", `{"test_script":"x","test_command":"y"}`, `{"context":{"test_command":"x"},"origin":{"extra":{"test_command":"y"}}}`},
		{"task object with more", "send_handoff", `{"task":{"description":"d","estimate":3}}`, `{"task":"d","origin":{"extra":{"task":{"estimate":3}}}}`},
		{"context by reference", "send_handoff", `{"context":{"taskId":"t1","contextUrl":"context://x","keyPoints":["k"],"fileReferences":[{"path":"a.go","relevantSections":["f","g"]}]}}`, `{"options":{"task_id":"t1"},"context":{"references":[{"url":"context://x","key_points":["k"]}],"files":[{"path":"a.go","note":"f, g"}]}}`},
		{"key points without a reference", "send_handoff", `{"context":{"keyPoints":["k"]}}`, `{"origin":{"extra":{"context":{"key_points":["k"]}}}}`},
		{"key points beside a reference of ours", "send_handoff", `{"context":{"references":[{"url":"context://x"}],"key_points":["k"]}}`, `{"context":{"references":[{"url":"context://x"}]},"origin":{"extra":{"context":{"key_points":["k"]}}}}`},
		{"key points of changes", "update_handoff", `{"changes":{"context":{"key_points":["k"]}}}`, `{"changes":{"context":{"state":{"key_points":["k"]}}}}`},
		{"steps, memories and decisions in many words", "send_handoff", `{"context":{"completedSteps":[{"step":"built","status":"done","completedAt":"t"},5],"memories":[{"fact":"f","confidence":0.5}],"decisions":[{"choice":"JWT","why":["a","b"],"alternatives":["c"]}]}}`, `{"context":{"completed_steps":["built (completed_at: t; status: done)","5"],"memories":["f (confidence: 0.5)"],"decisions":[{"decision":"JWT","rationale":"a, b (alternatives: c)"}]}}`},
		{"files in many words", "send_handoff", `{"context":{"files":[{"file":"a.go","line":3,"sections":["f"],"language":"go"}]}}`, `{"context":{"files":[{"path":"a.go","lines":"3","note":"f (language: go)"}]}}`},
		{"unknown fields of rows are kept if the row is whole", "send_handoff", `{"context":{"files":[{"path":"a.go","lnies":"1-9"},{"file":"b.go","lnies":"1"}],"decisions":[{"dcision":"x"}],"completed_steps":[{"description":"d","reslt":1}]}}`, `{"context":{"files":[{"path":"a.go"},{"path":"b.go"}],"decisions":[{"dcision":"x"}],"completed_steps":["d (reslt: 1)"]},"origin":{"extra":{"context":{"files[0]":{"lnies":"1-9"},"files[1]":{"lnies":"1"}}}}}`},
		{"wrong kinds of rows stay", "send_handoff", `{"context":{"files":[{"path":["a","b"]},{"file":{"a":"b"}},5],"decisions":[true,{"decision":["x"]},{"reason":"r"}],"completed_steps":[{},true,null]}}`, ``},
		{"what another mailbox filled", "send_handoff", `{"source":{"agent":"a"},"to":"qa","context":{"questions":["q"],"answers":[{"answer":"a"}],"partialProgress":{"completed":["c"]},"checkpoint":{"note":"n"},"test_command":"make"}}`, `{"to":"qa","context":{"test_command":"make"},"origin":{"source":{"agent":"a"},"extra":{"context":{"questions":["q"],"answers":[{"answer":"a"}],"partial_progress":{"completed":["c"]},"checkpoint":{"note":"n"}}}}}`},
		{"what a call says the mailbox filled stays", "send_handoff", `{"to":"qa","context":{"questions":["q"]}}`, ``},
		{"text that is an output", "complete_handoff", `{"output":"[1]","deliverables":"[{\"filesCreated\":[\"a\"]}]"}`, `{"output":"[1]","deliverables":[{"files_created":["a"]}]}`},
		{"context summarized", "send_handoff", `{"context":{"summary":"s","_transferType":"summarized","_originalTokens":9}}`, `{"summary":"s","options":{"strategy":"summary"},"origin":{"extra":{"context":{"_original_tokens":9}}}}`},
		{"rolled back package", "send_handoff", `{"context":{"rollbackReason":"r","partialResult":{"a":1}}}`, `{"context":{"previous_failures":["r"],"results":{"partial_result":{"a":1}}}}`},
		{"a message by another word", "send_handoff", `{"to":"b","task":"t","kind":"Message"}`, `{"to":"b","task":"t","type":"message"}`},
		{"our own stored handoff", "send_handoff", `{"schema":1,"handoff_id":"ho_3","source":{"agent":"a","phase":"p"},"target":{"agent":"b"},"task":"t","task_id":"x","requirements":["r"],"kind":"a_to_b","metadata":{"priority":"low","max_attempts":4,"retry_of":"ho_2","created_at":"2026-01-01T00:00:00Z"}}`, `{"origin":{"extra":{"schema":1,"metadata":{"retry_of":"ho_2"}},"handoff_id":"ho_3","source":{"agent":"a"},"timestamp":"2026-01-01T00:00:00Z"},"options":{"phase":"p","task_id":"x","requirements":["r"],"kind":"a_to_b","max_attempts":4},"to":"b","task":"t","priority":"low"}`},

		{"completion tokens", "complete_handoff", `{"id":"ho_1","claimToken":"x","summary":"s","verification":{"criteria":[{"criterion":2,"met":true}],"testsPassing":true}}`, `{"handoff_id":"ho_1","claim_token":"x","summary":"s","verification":{"criteria":[{"criterion":2,"met":true}],"tests_passing":true}}`},
		{"criteria met as texts", "complete_handoff", `{"verification":{"acceptanceCriteriaMet":["a"]}}`, `{"verification":{"criteria":[{"criterion":"a","met":true}]}}`},
		{"summary of deliverables", "complete_handoff", `{"status":"success","deliverables":[{"type":"code","files_created":["a","b"]},"docs"]}`, `{"origin":{"status":"success"},"outcome":"success","summary":"code (files_created: a, b); docs","deliverables":[{"type":"code","files_created":["a","b"]},{"description":"docs"}]}`},
		{"no summary of a plain call", "complete_handoff", `{"handoff_id":"ho_1","notes":["n"]}`, ``},
		{"continuation is sent", "complete_handoff", `{"summary":"s","continuation":{"toAgent":"qa","message":"test it","reason":"r","suggestedNext":"qa"}}`, `{"summary":"s","continuation":{"to":"qa","task":"test it","reason":"r","suggested_next":"qa"}}`},

		{"failure as text", "fail_handoff", `{"handoff_id":"ho_1","failure":"broke","blockers":["no key"]}`, `{"handoff_id":"ho_1","description":"broke","blockers":[{"description":"no key"}]}`},
		{"reason of a failure", "fail_handoff", `{"handoff_id":"ho_1","reason":"broke"}`, `{"handoff_id":"ho_1","description":"broke"}`},
		{"blockers alone", "fail_handoff", `{"failure":{"blockers":[{"description":"a"},{"description":"b"}]}}`, `{"blockers":[{"description":"a"},{"description":"b"}],"description":"a; b"}`},

		{"conditional acknowledgement", "update_handoff", `{"handoffId":"ho_1","status":"conditional","reason":"r","conditions":{"needsMoreContext":["a"],"needsPermission":["b"],"estimatedCompletionMs":60000}}`, `{"handoff_id":"ho_1","action":"ask","note":"r","conditions":{"needs_more_context":["a"],"needs_permission":["b"],"estimated_completion":"1m0s"}}`},
		{"changes are a message", "update_handoff", `{"changes":{"context":{"filesModified":["a.go:3"],"previousAgent":"x","attempts":1,"role":"fixing"},"requiredSkills":["go"],"requirements":["r"]}}`, `{"changes":{"context":{"files":[{"path":"a.go","lines":"3"}],"state":{"previous_agent":"x","attempts":1,"role":"fixing"}},"tags":["go"],"requirements":["r"]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.args
			}
			got, err := respell.Normalise(c.tool, decode(t, c.args))
			require.NoError(t, err)
			require.JSONEq(t, c.want, encode(t, got))
		})
	}
}

func TestNormalise_RefusesContradictions(t *testing.T) {
	for _, c := range []struct{ name, tool, args, field, other string }{
		{"alias and canonical", "send_handoff", `{"to":"a","to_agent":"b"}`, "to_agent", "to "},
		{"two foreign recipients", "send_handoff", `{"to_agent":"a","target":{"agent":"b"}}`, "to_agent", "target.agent"},
		{"camelCase and snake_case", "get_handoff", `{"handoffId":"ho_1","handoff_id":"ho_2"}`, "handoffId", "handoff_id"},
		{"in a list", "send_handoff", `{"context":{"project":{"techStack":["a"],"tech_stack":["b"]}}}`, "context.project.techStack", "context.project.tech_stack"},
		{"priority and urgency", "send_handoff", `{"priority":"low","urgency":"high"}`, "urgency", "priority"},
		{"in a continuation", "complete_handoff", `{"continuation":{"message":"a","task":"b"}}`, "continuation.message", "continuation.task"},
		{"a failure given to complete", "complete_handoff", `{"status":"failed"}`, "status", "failed"},
		{"a completion given to fail", "fail_handoff", `{"status":"success"}`, "status", "success"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := respell.Normalise(c.tool, decode(t, c.args))
			e := schemas.AsError(err)
			require.NotNil(t, e)
			require.Equal(t, schemas.Invalid, e.Code)
			require.Equal(t, c.field, e.Field)
			require.Contains(t, e.Message, c.other)
			require.NotEmpty(t, e.Hint)
		})
	}
}

func TestNormalise_EmptyMessageStaysEmpty(t *testing.T) {
	got, err := respell.Normalise("send_handoff", nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestNormalise_SplitsFileFromLines(t *testing.T) {
	for text, want := range map[string]string{
		`a.go`:             `{"path":"a.go"}`,
		`a.go:12`:          `{"path":"a.go","lines":"12"}`,
		`a.go:12:5`:        `{"path":"a.go","lines":"12:5"}`,
		`a.go:1-9,20-22`:   `{"path":"a.go","lines":"1-9,20-22"}`,
		`a.go:`:            `{"path":"a.go:"}`,
		`:12`:              `{"path":":12"}`,
		`C:12`:             `{"path":"C:12"}`,
		`C:\a\b.go`:        `{"path":"C:\\a\\b.go"}`,
		`C:\a\b.go:1-9`:    `{"path":"C:\\a\\b.go","lines":"1-9"}`,
		`http://host:8080`: `{"path":"http://host:8080"}`,
	} {
		got, err := respell.Normalise("send_handoff", map[string]any{"context": map[string]any{"files": []any{text}}})
		require.NoError(t, err)
		require.JSONEq(t, `{"context":{"files":[`+want+`]}}`, encode(t, got), text)
	}
}
