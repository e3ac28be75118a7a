package contract_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

// Statements of a completion against itself: about a verification, and about the work.
func TestDoubts_DependOnNameAndValueOfField(t *testing.T) {
	for _, text := range []string{
		`{"tests_failed":3}`, `{"tests_failed":"3"}`, `{"testsFailed":1}`, `{"failed_tests":["TestLogin"]}`, `{"tests":{"failed":3,"passed":9}}`,
		`{"tests":[{"name":"TestLogin","status":"FAILED"}]}`, `{"tests":{"TestLogin":"failed"}}`, `{"tests":"3 failed, 9 passed"}`,
		`{"tests":"failing"}`, `{"tests":false}`, `{"tests_passing":false}`, `{"testsPass":"no"}`, `{"all_tests_passed":false}`,
		`{"test_status":"skipped"}`, `{"test_result":"not run"}`, `{"unit_tests_passed":false}`, `{"e2e":"red"}`,
		`{"validation":{"status":"failed","tests_passing":true}}`, `{"validation":{"checks":[{"name":"lint","passed":false}]}}`,
		`{"verification":{"commands":[{"command":"make","exit_code":2}]}}`, `{"build":"failed"}`, `{"build_status":"broken"}`,
		`{"build":{"exit_code":1}}`, `{"ci":{"conclusion":"failure"}}`, `{"ci":"red"}`, `{"lint_errors":4}`, `{"type_errors":"2"}`,
		`{"exit_code":1}`, `{"exitCode":"2"}`, `{"returncode":-1}`, `{"return_code":1}`, `{"exit_status":137}`, `{"run":{"exit_code":1}}`,
		`{"checks":{"lint":"fail","test":"pass"}}`, `{"quality_gate":"ERROR"}`, `{"results":{"tests_failed":1}}`,
		`{"metrics":{"tests":{"passed":3,"total":5}}}`, `{"verification":{"tests":"3/5"}}`, `{"exit":2}`,
		`{"results":[{"tests_failed":1}]}`, `{"report":"{\"tests\":{\"failed\":2}}"}`, `{"pipeline":{"state":"canceled"}}`,
	} {
		done := foreignCompletion(t, text)
		require.NotEmpty(t, contract.Doubts(done), text)
		require.Equal(t, schemas.Partial, contract.CompletionOutcome(done, ""), text)
		require.NoError(t, checkContradiction(done, ""), text)
		require.Error(t, contract.CheckStrictCompletion(&schemas.Expectations{Strict: true}, done), text)
		require.NoError(t, contract.CheckStrictCompletion(&schemas.Expectations{}, done), text)
	}
	for _, text := range []string{
		`{"passed":false}`, `{"success":false}`, `{"success":"false"}`, `{"success":0}`, `{"ok":false}`, `{"OK":"no"}`, `{"isError":true}`,
		`{"is_error":"true"}`, `{"errors":["build broken"]}`, `{"errors":2}`, `{"errors":{"lint":1}}`, `{"error":"no key"}`,
		`{"error":{"code":1}}`, `{"error_message":"x"}`, `{"failures":1}`, `{"failed":true}`, `{"conclusion":"failure"}`,
		`{"conclusion":"action_required"}`, `{"conclusion":"neutral"}`, `{"state":"pending"}`, `{"outcome":"not_done"}`, `{"verdict":"no-go"}`,
		`{"acceptance":"rejected"}`, `{"completed":false}`, `{"done":false}`, `{"approved":false}`, `{"requires_human":true}`,
		`{"needs_human_review":true}`, `{"human_required":"yes"}`, `{"needs_clarification":["which?"]}`, `{"blocked":true}`,
		`{"blockers":["no key"]}`, `{"partial":true}`, `{"incomplete":true}`, `{"timed_out":true}`, `{"status":{"state":"failed"}}`,
		`{"decision":"reject"}`, `{"recommendation":"do not merge"}`, `{"go":false}`, `{"subtasks":[{"status":"done"},{"status":"failed"}]}`,
		`{"stop_reason":"max_tokens"}`, `{"subtype":"error_max_turns"}`, `{"resolution":"unresolved"}`, `{"unresolved":["x"]}`, `{"grade":"F"}`,
		`{"envelope":{"status":"failed"}}`, `{"metadata":{"success":false}}`, `{"result":"failed"}`, `{"status":false}`,
	} {
		done := foreignCompletion(t, text)
		require.Error(t, checkContradiction(done, ""), text)
		require.Error(t, checkContradiction(done, schemas.Success), text)
		require.NoError(t, checkContradiction(done, schemas.Partial), text)
	}
	for _, text := range []string{
		`{"tests_failed":0,"tests_passed":12}`, `{"tests_failed":"0"}`, `{"tests":{"failed":0,"passed":9,"skipped":1}}`, `{"tests":"12 passed, 0 failed"}`,
		`{"tests":"added in auth_test.go"}`, `{"tests":[{"name":"refuses a failed login","status":"passed"}]}`, `{"tests":{"flaky":false}}`,
		`{"tests_passed":0,"tests_failed":0}`, `{"validation":{"status":"passed","notes":"none failed"}}`, `{"build":"1.2.3"}`, `{"build":4711}`,
		`{"exit_code":0}`, `{"exit_code":"0"}`, `{"rc":"1.2.0-rc1"}`, `{"errors":[]}`, `{"errors":0}`, `{"errors":"none"}`, `{"errors":null}`,
		`{"errors":{"count":0,"items":[]}}`, `{"error":""}`, `{"error":null}`, `{"is_error":false}`, `{"success":true}`, `{"ok":"yes"}`,
		`{"passed":12}`, `{"conclusion":"success"}`, `{"state":"merged"}`, `{"requires_human":false}`, `{"errors_fixed":12}`,
		`{"fixed_errors":3}`, `{"error_handling":"retries"}`, `{"error_rate":"2%"}`, `{"success_rate":0.2}`, `{"failed_logins":7}`,
		`{"known_issues":["slow"]}`, `{"next_steps":[{"status":"pending"}]}`, `{"history":[{"status":"failed"},{"status":"passed"}]}`,
		`{"confidence_score":0.2}`, `{"branch":"fix/errors"}`, `{"pr_state":"open"}`, `{"test_command":"go test ./..."}`, `{"blockers":[]}`,
		`{"conclusion":"The race was in the cache, and a lock mends it"}`, `{"verdict":"Use bbolt, as the faster of both"}`,
		`{"report":"3 failed logins a day"}`, `{"tests":"1 failed as expected before, 12 passed after"}`,
		`{"decision":"Use bbolt"}`, `{"stop_reason":"end_turn"}`, `{"is_valid":false}`, `{"tests":{"passed":5,"total":6,"skipped":1}}`, `{"tests":"5/5"}`,
		`{"completed":["schema","routes"]}`, `{"coverage":"81%"}`, `{"commands":[{"command":"false || true","exit_code":0}]}`,
	} {
		done := foreignCompletion(t, text)
		require.Empty(t, contract.Doubts(done), text)
		require.NoError(t, checkContradiction(done, ""), text)
		require.Equal(t, schemas.Success, contract.CompletionOutcome(done, ""), text)
	}
}

// foreignCompletion is a completion with fields beyond the schema.
func foreignCompletion(t *testing.T, text string) schemas.Completion {
	t.Helper()
	done := schemas.Completion{Origin: &schemas.Origin{}}
	require.NoError(t, json.Unmarshal([]byte(text), &done.Origin.Extra))
	return done
}

func checkContradiction(done schemas.Completion, outcome schemas.Outcome) error {
	return contract.CheckContradiction(schemas.CompleteIn{HandoffID: "ho_1", Result: done.Result, Origin: done.Origin, Outcome: outcome})
}

func TestDoubts_UseLastRunOfCommand(t *testing.T) {
	run := func(codes ...int) schemas.Completion {
		v := &schemas.Verification{}
		for _, code := range codes {
			v.Commands = append(v.Commands, schemas.Command{Command: "go test ./...", ExitCode: code})
		}
		return schemas.Completion{Result: schemas.Result{Verification: v}}
	}
	require.Empty(t, contract.Doubts(run(1, 0)))
	require.Equal(t, []string{`"go test ./..." ended with 1`}, contract.Doubts(run(0, 1)))
	require.Equal(t, schemas.Partial, contract.CompletionOutcome(run(2), ""))
}

func TestDoubts_IncludeFailuresInResultsAndData(t *testing.T) {
	done := schemas.Completion{Result: schemas.Result{
		Results: map[string]any{"branch": "main", "tests_failed": 2}, Data: map[string]string{"exit_code": "1", "tests": `{"failed":1}`},
	}}
	require.Equal(t, []string{"results.tests_failed: 2", "data.exit_code: 1", "data.tests.failed: 1"}, contract.Doubts(done))
	for word, refused := range map[string]bool{"open": false, "PR opened": false, "CA": false, "failed": true, "needs_review": true, "false": true} {
		free := schemas.Result{Results: map[string]any{"state": word}}
		require.Equal(t, refused, contract.CheckContradiction(schemas.CompleteIn{Result: free}) != nil, word)
	}
	require.ErrorContains(t, contract.CheckContradiction(schemas.CompleteIn{Result: schemas.Result{Summary: "Failed."}}), "summary: Failed.")
	require.NoError(t, contract.CheckContradiction(schemas.CompleteIn{Result: schemas.Result{Summary: "Fixed: 3 tests failed, all pass now."}}))
}

func TestDoubts_IncludeFailuresInOutputWithoutSchema(t *testing.T) {
	done := schemas.Completion{Result: schemas.Result{Output: json.RawMessage(`{"verdict":"FAIL","tests":{"failed":1}}`)}}
	require.Equal(t, []string{"output.tests.failed: 1", "output.verdict: FAIL"}, contract.Doubts(done))
	done.Conforms = true
	require.Empty(t, contract.Doubts(done))
}
