package render_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/render"
	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/schemas/golden"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

var (
	sent  = time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC)
	plain = display.Style{Now: sent.Add(2 * time.Hour)}
)

// drawHandoff returns the page of a handoff as text.
func drawHandoff(got schemas.GetOut, end *schemas.Event, style display.Style) string {
	p := &cli.Page{}
	p.Style.Style = style
	render.DrawHandoff(p, got, end)
	return p.String()
}

func authHandoff() schemas.Handoff {
	return schemas.Handoff{
		ID:     2,
		Source: schemas.Source{Agent: "architect"},
		Target: schemas.Target{Capability: "specification"},
		Title:  "Implement auth module",
		Task:   "Implement the authentication module.\nKeep the API.",
		Context: &schemas.Context{
			Artifacts: []schemas.Artifact{{Type: "specification", Path: "/TODO/auth-module.md"}, {Content: "a diagram"}},
			Decisions: []schemas.Decision{{Decision: "JWT"}, {Decision: "refresh tokens"}, {Decision: "bcrypt"}},
			Files:     []schemas.File{{Path: "1"}, {Path: "2"}, {Path: "3"}, {Path: "4"}, {Path: "5"}, {Path: "6"}},
			Project:   &schemas.Project{Name: "TaskManager", TechStack: []string{"Node.js", "TypeScript", "PostgreSQL"}},
		},
		Expectations: &schemas.Expectations{
			Deliverables: []schemas.Deliverable{{
				Type: "code", Files: []string{"/src/auth/*.ts"}, Criteria: []string{"Implement all spec requirements", "Include unit tests"},
			}},
			SuccessCriteria: []string{"Pass type checking"},
			Constraints:     []string{"No breaking changes to API"},
		},
		Metadata: schemas.Metadata{Workflow: "wf_conductor_123", CreatedAt: sent},
	}
}

func newGetOut(h schemas.Handoff, st schemas.HandoffState) schemas.GetOut {
	return schemas.GetOut{HandoffID: h.ID, Handoff: &h, Standing: &st}
}

// A cancelled handoff has no completion or failure: the event has the actor, and the standing the reason.
func TestDrawHandoff_NamesCanceller(t *testing.T) {
	got := newGetOut(authHandoff(), schemas.HandoffState{Status: schemas.Cancelled, Reason: "No longer needed"})
	end := &schemas.Event{Agent: "dev", Action: "cancelled", Said: "3f2a"}
	got.Late = []schemas.LateResult{{Completion: &schemas.Completion{Source: schemas.Source{Agent: "b"}, Result: schemas.Result{Summary: "Done all the same"}}}}
	golden.RequireEqual(t, "show-cancelled.txt", drawHandoff(got, end, plain))
	got.Standing.Reason, got.Standing.Note = "", "Half of it"
	require.NotContains(t, drawHandoff(got, end, plain), "Half of it", "that was said before")
}

func TestDrawHandoff_Pending(t *testing.T) {
	golden.RequireEqual(t, "show-pending.txt", drawHandoff(newGetOut(authHandoff(), schemas.HandoffState{Status: schemas.Pending, BlockedBy: []string{"ho_1"}}), nil, plain))
}

func TestDrawHandoff_Completed(t *testing.T) {
	st := schemas.HandoffState{
		Status: schemas.Completed, Outcome: schemas.Partial, Holder: "auto-code", Attempt: 2,
		ClaimedAt: new(sent), EndedAt: new(sent.Add(28 * time.Minute)),
	}
	done := &schemas.Completion{
		Status: schemas.Partial,
		Result: schemas.Result{
			Summary: "Implemented, one test is flaky.",
			Results: map[string]any{"branch": "auth", "cost_usd": 1.84},
			Deliverables: []schemas.Delivered{{
				FilesCreated:  []string{"/src/auth/jwt.ts", "/src/auth/middleware.ts"},
				FilesModified: []string{"/src/app.ts"},
				TestsCreated:  []string{"/tests/auth.test.ts"},
			}},
			Verification: &schemas.Verification{
				TestsPassing: new(true), TestsPassed: 12, TypeCheckPassing: new(true), LintPassing: new(false),
				Commands: []schemas.Command{
					{Command: "npm test", ExitCode: 0, Output: "12 passed"},
					{Command: "npm run lint", ExitCode: 1},
				},
			},
			Notes:        []string{"Added refresh token rotation for security"},
			Continuation: &schemas.Continuation{SuggestedNext: "qa", Reason: "Integration testing recommended"},
		},
		Criteria: []schemas.AnsweredCriterion{
			{Number: 1, Criterion: "Implement all spec requirements", Met: true, Evidence: "reviewed against the spec"},
			{Number: 2, Criterion: "Include unit tests", Met: true},
			{Number: 3, Criterion: "Pass type checking", Evidence: "tsc: 2 errors"},
		},
	}
	got := newGetOut(authHandoff(), st)
	got.Completion = done
	golden.RequireEqual(t, "show-completed.txt", drawHandoff(got, nil, plain))
}

func TestCompare_ShowsRoundsAndExpectations(t *testing.T) {
	round := func(id schemas.ID, met bool, files ...string) schemas.GetOut {
		h := authHandoff()
		h.Expectations.OutputSchema = json.RawMessage(`{ "type": "object" }`)
		h.Expectations.Deliverables[0].Files = append(h.Expectations.Deliverables[0].Files, "docs/**/*.md")
		got := newGetOut(h, schemas.HandoffState{Outcome: schemas.Success})
		got.HandoffID, got.Status = id, schemas.Completed
		got.Completion = &schemas.Completion{
			Result:   schemas.Result{Summary: "Done", Output: json.RawMessage(`{"ok":true}`)},
			Criteria: []schemas.AnsweredCriterion{{Number: 1, Criterion: "Include unit tests", Met: met, Evidence: "12 passed"}},
			Tree:     &schemas.Tree{Branch: "auth", Commit: "b", Since: "a", Changed: files},
		}
		return got
	}
	before, now := round(2, false, "src/auth/jwt.ts", "app.ts"), round(3, true, "src/auth/jwt.ts", "docs/a/b.md", "go.mod")
	seen := schemas.Observation{Check: "test", Passed: true, Commit: "b"}
	now.Completion.Criteria = append(now.Completion.Criteria, schemas.AnsweredCriterion{Number: 2, Criterion: "test", Check: "test", Met: true, Observed: &seen})
	p := &cli.Page{}
	p.Style.Style = plain
	render.Compare(now, &before).Draw(p)
	golden.RequireEqual(t, "diff.txt", p.String())
}

func TestDrawHandoff_Failed(t *testing.T) {
	st := schemas.HandoffState{
		Status: schemas.Failed, Outcome: schemas.OutcomeFailed, Holder: "auto-code", Successor: 4, Checkpoint: "chk_partial_123",
		ClaimedAt: new(sent), EndedAt: new(sent.Add(15 * time.Minute)),
	}
	failed := &schemas.Failure{
		Failure: schemas.FailureDetail{
			Type: "blocker", Description: "Cannot implement OAuth without client credentials",
			Blockers:        []schemas.Blocker{{Type: "missing_information", Description: "Google OAuth client ID not provided", RequiredToProceed: true}},
			PartialProgress: &schemas.PartialProgress{Completed: []string{"Local auth"}, Incomplete: []string{"Google OAuth"}},
		},
		RollbackRequest: &schemas.RollbackRequest{
			TargetAgent: "architect", Reason: "Need OAuth credentials", Questions: []string{"Should we skip OAuth for now?"},
		},
		CheckpointID: "chk_partial_123",
		Alternative:  "platform",
	}
	got := newGetOut(authHandoff(), st)
	got.Failure = failed
	golden.RequireEqual(t, "show-failed.txt", drawHandoff(got, nil, plain))
}

// drawHostileHandoff draws a handoff in which agents wrote s wherever they can.
func drawHostileHandoff(s string, style display.Style) string {
	one := []string{s}
	h := schemas.Handoff{
		ID: 2, Source: schemas.Source{Agent: schemas.Agent(s)}, Target: schemas.Target{Role: s}, Title: s, Task: s, Summary: s,
		Context: &schemas.Context{
			OriginalRequest: s, Artifacts: []schemas.Artifact{{Type: s, Path: s}}, KnownIssues: one, CompletedSteps: one,
			Files: []schemas.File{{Path: s}}, Project: &schemas.Project{Name: s, Branch: s, TechStack: one},
		},
		Expectations: &schemas.Expectations{
			Deliverables: []schemas.Deliverable{{Type: s, Description: s, Files: one, Criteria: one}}, Constraints: one,
		},
		Rollback: &schemas.Rollback{CheckpointID: s},
	}
	done := &schemas.Completion{
		Result: schemas.Result{
			Summary: s, Notes: one, Outputs: one,
			Deliverables: []schemas.Delivered{{Type: s, FilesCreated: one}},
			Verification: &schemas.Verification{Commands: []schemas.Command{{Command: s, Output: s}}},
		},
		Criteria: []schemas.AnsweredCriterion{{Criterion: s, Evidence: s}},
	}
	failed := &schemas.Failure{Alternative: s, Failure: schemas.FailureDetail{Type: s, Description: s}}
	got := newGetOut(h, schemas.HandoffState{Status: schemas.Working, Note: s, Reason: s, Percent: 5, Questions: one, BlockedBy: one})
	got.Completion, got.Failure = done, failed
	got.Late = []schemas.LateResult{{Completion: &schemas.Completion{Source: h.Source, Result: schemas.Result{Summary: s}}}, {Failure: &schemas.Failure{Source: h.Source, Failure: failed.Failure}}}
	return drawHandoff(got, &schemas.Event{Agent: h.Source.Agent, Said: "it came with a note"}, style)
}

const repaint = "\x1b[2J\u202eevil\u200b\"]; click x \"javascript:alert(1)\"\n    ▼\nroot ───▶ </title>\r`%%{init}%%`"

func TestDrawHandoff_HostileTextRepaintsNothing(t *testing.T) {
	golden.RequireEqual(t, "show-hostile.txt", drawHostileHandoff(repaint, plain))
	for line := range strings.Lines(drawHostileHandoff(repaint, display.Style{Width: 60})) {
		require.Equal(t, line, schemas.EscapeHidden(line))
	}
}
