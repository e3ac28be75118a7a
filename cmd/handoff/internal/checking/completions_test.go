package checking_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/cmd/handoff/internal/consent"
	"handoff/cmd/handoff/internal/git"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/tools"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// testRepository is a repository with one check, which a person allowed. The check runs until a certain file exists.
type testRepository struct {
	*mailboxtest.World
	*checking.CompletionChecker
	t    *testing.T
	dir  string
	gate string // the file
	head string
}

func newTestRepository(t *testing.T) testRepository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	program, err := exec.LookPath(commandtest.Program)
	require.NoError(t, err)
	s := testRepository{World: mailboxtest.New(t), t: t, dir: filepath.Join(t.TempDir(), "shop"), gate: filepath.Join(t.TempDir(), "open")}
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, ".handoff"), 0o700))
	list := "checks:\n  slow: {run: \"touch " + s.gate + ".begun; while ! test -e " + s.gate + "; do sleep 0.05; done; test -e done\", always: true}\n"
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, checks.File), []byte(list), 0o600))
	s.git("init", "-q", "-b", "main")
	s.commit()
	runner := checks.Runner{Dir: t.TempDir(), Executable: program, Getenv: os.Getenv, Now: time.Now}
	repository, ok := git.FindRepository(s.dir, func(string) bool { return false })
	require.True(t, ok)
	read, err := runner.ReadList(t.Context(), repository, s.head)
	require.NoError(t, err)
	require.NoError(t, runner.Permissions(repository).Allow(consent.Checks, read.Digest, consent.Permission{Path: os.Getenv("PATH")}))
	s.CompletionChecker = &checking.CompletionChecker{
		Invoker: tools.LocalInvoker{Mailbox: s.Service}, ProjectChecks: checking.ProjectChecks{Runner: runner, Dir: s.dir},
	}
	t.Cleanup(s.Stop)
	return s
}

func (s *testRepository) git(args ...string) {
	cmd := exec.CommandContext(s.t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, string(out))
}

func (s *testRepository) commit() {
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "x")
	r, _ := git.FindRepository(s.dir, func(string) bool { return false })
	_, s.head = r.Head()
}

func (s *testRepository) write(path string) { require.NoError(s.t, os.WriteFile(path, nil, 0o600)) }

// call makes a call beside the checkout, by qa.
func (s *testRepository) call(tool string, in any) (out map[string]any, err error) {
	args, err := json.Marshal(in)
	require.NoError(s.t, err)
	by := schemas.Caller{Agent: "qa", Via: schemas.ViaCLI, Tree: &schemas.Tree{Path: s.dir, Commit: s.head}}
	raw, err := s.Invoke(s.t.Context(), tools.Call{Caller: by, Tool: tool, Args: args})
	if err == nil {
		require.NoError(s.t, json.Unmarshal(raw, &out))
	}
	return out, err
}

// elsewhere is qa, where no checkout is.
var elsewhere = schemas.Caller{Agent: "qa", Via: schemas.ViaCLI}

func (s *testRepository) sendAndClaim() string {
	out, err := s.call("send_handoff", schemas.SendIn{To: "qa", Task: "Do it"})
	require.NoError(s.t, err)
	id, _ := out["handoff_id"].(string)
	_, err = s.call("claim_handoff", schemas.ClaimIn{HandoffID: id})
	require.NoError(s.t, err)
	return id
}

func TestCompletions_LongChecksOutliveCall(t *testing.T) {
	s := newTestRepository(t)
	id := s.sendAndClaim()
	s.write(filepath.Join(s.dir, "done"))
	s.commit()
	done := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "It is done."}}
	s.Patience = 50 * time.Millisecond
	for range 2 {
		_, err := s.call("complete_handoff", done)
		e := schemas.AsError(err)
		require.NotNil(t, e)
		require.Equal(t, schemas.Unavailable, e.Code)
		require.Contains(t, e.Message, "nothing is recorded yet: its checks run")
	}
	got, err := s.call("get_handoff", schemas.GetIn{HandoffID: id, View: "full"})
	require.NoError(t, err)
	require.Equal(t, "working", got["status"])
	got, err = s.call("get_handoff", schemas.GetIn{HandoffID: id, View: "checkpoint"})
	require.NoError(t, err)
	require.Contains(t, commandtest.AsJSON(t, got), "It is done.", "whoever goes on finds what was handed in")

	s.write(s.gate)
	s.Patience = 0
	out, err := s.call("complete_handoff", done)
	require.NoError(t, err)
	require.Equal(t, "success", out["outcome"])
	again, err := s.call("complete_handoff", done)
	require.NoError(t, err, "a repetition runs nothing")
	require.Equal(t, out["completion_id"], again["completion_id"])
}

// A completion at another commit ends the checks of the first completion. Without finished checks, no completion is
// recorded.
func TestCompletions_StoppedChecksRecordNothing(t *testing.T) {
	s := newTestRepository(t)
	id, bad := s.sendAndClaim(), s.head
	s.write(filepath.Join(s.dir, "done"))
	s.commit()
	complete := func(commit string) chan error {
		ended := make(chan error)
		go func() {
			_, err := tools.InvokeTyped[schemas.CompleteOut](t.Context(), s.CompletionChecker, tools.Call{Caller: elsewhere, Tool: "complete_handoff"},
				schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "It is done.", Results: map[string]any{"commit": commit}}})
			ended <- err
		}()
		return ended
	}
	first := complete(bad)
	require.Eventually(t, func() bool { return os.Remove(s.gate+".begun") == nil }, commandtest.Patience, time.Millisecond)
	second := complete(s.head)
	require.ErrorContains(t, <-first, "nothing is recorded: the checks at "+bad[:10])
	s.write(s.gate)
	require.NoError(t, <-second)
}

func TestCompletions_RefuseFailedChecks(t *testing.T) {
	s := newTestRepository(t)
	s.write(s.gate)
	id := s.sendAndClaim()
	done := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "It is done."}}
	_, err := s.call("complete_handoff", done)
	require.ErrorContains(t, err, "the check slow does not pass")
	s.write(filepath.Join(s.dir, "done"))
	s.commit()
	out, err := s.call("complete_handoff", done)
	require.NoError(t, err)
	require.Equal(t, "success", out["outcome"])
}

// Over HTTP the server does not know the caller's checkout, so the commit of the completion counts.
func TestCompletions_RemoteCallerNamesCommit(t *testing.T) {
	s := newTestRepository(t)
	s.write(s.gate)
	s.Remote = true
	id := s.sendAndClaim()
	_, err := s.call("complete_handoff", schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "It is done."}})
	require.ErrorContains(t, err, "The check slow passes (not observed: the completion names no commit", "it is asked of all work")

	_, err = s.call("complete_handoff", schemas.CompleteIn{HandoffID: id, Result: schemas.Result{
		Summary: "It is done.", Results: map[string]any{"commit": strings.ToUpper(s.head[:12])},
	}})
	require.ErrorContains(t, err, "the check slow does not pass")

	s.git("branch", "badc0de")
	out, err := s.call("complete_handoff", schemas.CompleteIn{HandoffID: id, Result: schemas.Result{
		Summary: "It is done.", Results: map[string]any{"commit": "badc0de"},
		Verification: &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true}}},
	}})
	require.NoError(t, err)
	require.Equal(t, "partial", out["outcome"])
	require.Contains(t, commandtest.AsJSON(t, out["warnings"]), "the commit badc0de is not in this repository", "a branch is no commit")
}

// A claim in another repository is checked with the list of the sender's repository.
func TestCompletions_ClaimInOtherRepositoryKeepsBase(t *testing.T) {
	s := newTestRepository(t)
	s.write(s.gate)
	out, err := s.call("send_handoff", schemas.SendIn{To: "qa", Task: "Do it"})
	require.NoError(t, err)
	id, _ := out["handoff_id"].(string)
	other := elsewhere
	other.Tree = &schemas.Tree{Path: t.TempDir(), Commit: strings.Repeat("1", 40)}
	_, err = tools.InvokeTyped[schemas.ClaimOut](t.Context(), s.Invoker, tools.Call{Caller: other, Tool: "claim_handoff"}, schemas.ClaimIn{HandoffID: id})
	require.NoError(t, err)
	_, err = s.call("complete_handoff", schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "It is done."}})
	require.ErrorContains(t, err, "the check slow does not pass")
}

func TestRunLater_RecordsObservations(t *testing.T) {
	s := newTestRepository(t)
	s.write(s.gate)
	id := s.sendAndClaim()
	_, err := tools.InvokeTyped[schemas.CompleteOut](t.Context(), s.Invoker, tools.Call{Caller: elsewhere, Tool: "complete_handoff"},
		schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "It is done.", Results: map[string]any{"commit": s.head}}})
	require.NoError(t, err)
	seen, err := s.RunLater(t.Context(), s.Invoker, elsewhere, id)
	require.NoError(t, err)
	require.False(t, seen.Observation("slow").Passed)
	got, err := s.call("get_handoff", schemas.GetIn{HandoffID: id, View: "outcome"})
	require.NoError(t, err)
	require.Contains(t, commandtest.AsJSON(t, got), `"partial"`)
}

func TestRunLater_UsesBaseThatPersonNamed(t *testing.T) {
	s := newTestRepository(t)
	s.write(s.gate)
	id := s.sendAndClaim()
	s.git("checkout", "-q", "--orphan", "other")
	s.write(filepath.Join(s.dir, "other")) // else it is the same commit
	s.commit()
	base := s.head
	s.write(filepath.Join(s.dir, "done"))
	s.commit()
	done := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "It is done."}}
	_, err := s.call("complete_handoff", done)
	require.ErrorContains(t, err, "does not contain the base")
	require.ErrorContains(t, err, "handoff update "+id+" --base COMMIT")
	done.Verification = &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true, Evidence: "ran it"}}}
	out, err := s.call("complete_handoff", done)
	require.NoError(t, err)
	require.Equal(t, "partial", out["outcome"])
	person := schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}
	_, err = tools.InvokeTyped[schemas.UpdateOut](t.Context(), s.Invoker, tools.Call{Caller: person, Tool: "update_handoff"}, schemas.UpdateIn{
		HandoffID: id, Action: schemas.ActAmend, Changes: &schemas.Changes{Expectations: &schemas.Expectations{Base: base}},
	})
	require.NoError(t, err)
	seen, err := s.RunLater(t.Context(), s.Invoker, elsewhere, id)
	require.NoError(t, err)
	require.True(t, seen.Observation("slow").Passed)
}

// The work changed no file. A check that always runs passes, but a check that the sender named has no observation.
func TestCompletions_WithoutChangesPassAlwaysChecks(t *testing.T) {
	s := newTestRepository(t)
	s.write(s.gate)
	s.write(filepath.Join(s.dir, "done"))
	s.commit()
	out, err := s.call("complete_handoff", schemas.CompleteIn{HandoffID: s.sendAndClaim(), Result: schemas.Result{Summary: "It is explained."}})
	require.NoError(t, err)
	require.Equal(t, "success", out["outcome"])
}
