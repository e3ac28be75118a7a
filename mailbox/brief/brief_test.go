package brief_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/brief"
	"handoff/mailbox/content"
	"handoff/schemas"
	"handoff/schemas/golden"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// richInput is the example message of the handoff protocol agent, with every field of a message.
func richInput() brief.Input {
	deadline := time.Date(2026, 1, 11, 22, 0, 0, 0, time.UTC)
	h := schemas.Handoff{
		ID:     12,
		Source: schemas.Source{Agent: "architect", AgentID: "arch_xyz789", Phase: "design_complete"},
		Target: schemas.Target{Agent: "auto-code", Reason: "Implementation of authentication module"},
		Type:   "specification", Kind: "design_to_implementation",
		Title:        "Implement auth module",
		Task:         "Implement the authentication module of the specification.\nKeep the public API as it is.",
		Requirements: []string{"Refresh tokens rotate", "Rate limiting on auth endpoints"},
		Summary:      "The design is done and reviewed; nothing is implemented yet.",
		Detail:       strings.Repeat("The session table has grown to 40 million rows and is scanned on each login.\n", 12),
		Data:         map[string]string{"severity": "high", "issue_key": "AUTH-7"},
		Context: &schemas.Context{
			OriginalRequest: "Users must be able to log in with e-mail and password",
			CompletedSteps:  []string{"Wrote the specification", "Reviewed it with ciso"},
			Results:         map[string]any{"endpoints": []string{"/login", "/refresh"}, "reviewers": 2},
			Decisions: []schemas.Decision{
				{Decision: "Use JWT with refresh tokens", Rationale: "stateless auth for API consumers"},
				{Decision: "bcrypt, cost 12"},
			},
			Files: []schemas.File{{Path: "src/app.ts", Lines: "1-40", Note: "where the routes are mounted"}},
			Artifacts: []schemas.Artifact{{
				Type: "specification", Path: "/TODO/auth-module.md", Description: "Authentication module specification",
			}},
			State:            map[string]any{"current_phase": "2", "decisions_made": 3},
			Memories:         []string{"User prefers explicit error handling"},
			PreviousFailures: []string{"The first attempt stored tokens in localStorage"},
			KnownIssues:      []string{"ESLint reports 3 warnings in src/app.ts"},
			TestCommand:      "npm test -- auth",
			Project: &schemas.Project{
				Name: "TaskManager", TechStack: []string{"Node.js", "TypeScript", "PostgreSQL"}, Branch: "auth", Dirty: true,
			},
			Answers: []schemas.Answer{{Questions: []string{"Which hash?"}, Answer: "bcrypt", From: "architect"}},
		},
		Expectations: &schemas.Expectations{
			Deliverables: []schemas.Deliverable{{
				Type: "code", Description: "Authentication module implementation", Files: []string{"/src/auth/*.ts"},
			}},
			Constraints:       []string{"Must use existing database schema", "No breaking changes to API"},
			OutputSchema:      []byte(`{ "type": "object", "required": ["branch"] }`),
			IfStuck:           []string{"Leave refresh tokens for later"},
			Timeout:           "2 hours",
			EstimatedDuration: "30 minutes",
			Strict:            true,
		},
		Rollback: &schemas.Rollback{
			OnFailure: "architect", FailureContext: []string{"which requirements couldn't be met"},
		},
		Metadata: schemas.Metadata{Priority: schemas.High, Deadline: &deadline, Attempt: 1, MaxAttempts: 3},
	}
	return brief.Input{
		Handoff: h,
		Standing: schemas.HandoffState{
			Attempt: 2, Percent: 40, Note: "jwt.ts compiles, no tests yet", Questions: []string{"Which token lifetime?"},
		},
		Criteria: []schemas.AnsweredCriterion{
			{Number: 1, Criterion: "Implements all spec requirements"},
			{Number: 2, Criterion: "Includes unit tests"},
			{Number: 3, Criterion: "Passes type checking"},
		},
		Ancestors: []schemas.HistoryStep{
			{HandoffID: 9, From: "human", To: "planner", Holder: "planner", Title: "Plan the login", Status: schemas.Completed},
			{HandoffID: 10, From: "planner", To: "role:design", Holder: "architect", Title: "Design authentication module", Status: schemas.Completed, Outcome: schemas.Partial},
		},
		Nonce: "secret",
	}
}

func TestRender_FitsEachBudget(t *testing.T) {
	for budget, name := range map[int]string{400: "rich-400.md", 700: "rich-700.md", 850: "rich-850.md", 0: "rich.md"} {
		in := richInput()
		in.MaxTokens = budget
		b := brief.Render(in)
		golden.RequireEqual(t, name, b.Text+"\n")
		require.Equal(t, content.CountTokens(b.Text), b.Tokens)
		require.Equal(t, "full", b.Transfer.Strategy)
		require.Equal(t, brief.Render(richInput()).Transfer.OriginalTokens, b.Transfer.OriginalTokens)
		if budget > 0 {
			require.LessOrEqual(t, b.Tokens, budget)
			require.Greater(t, b.Tokens, budget*3/4, "room is used")
		}
	}
}

func TestRender_MinimalHandoffIsShort(t *testing.T) {
	b := brief.Render(brief.Input{Handoff: schemas.Handoff{
		ID: 3, Source: schemas.Source{Agent: "qa"}, Target: schemas.Target{Role: "fixing"}, Task: "Add test fixtures",
		Type: schemas.TypeHandoff, Kind: "assignment", Metadata: schemas.Metadata{Priority: schemas.Normal, Attempt: 1},
	}})
	golden.RequireEqual(t, "minimal.md", b.Text+"\n")
	require.Empty(t, b.Omitted)
	require.Less(t, b.Tokens, 170)
}

func TestRender_SummaryReplacesContext(t *testing.T) {
	in := richInput()
	in.Handoff.Metadata.Strategy = "summary"
	b := brief.Render(in)
	golden.RequireEqual(t, "summary.md", b.Text+"\n")
	require.Equal(t, schemas.ContextUsage{
		Strategy: "summary", Tokens: b.Tokens,
		OriginalTokens: brief.Render(richInput()).Transfer.OriginalTokens,
		SummaryTokens:  content.CountTokens("- Summary: " + in.Handoff.Summary),
	}, b.Transfer)
	require.Contains(t, b.Omitted, "detail")
}

func TestRender_MissingSummaryGivesLabelledExtract(t *testing.T) {
	in := richInput()
	in.Handoff.Metadata.Strategy, in.Handoff.Summary = "summary", ""
	b := brief.Render(in)
	golden.RequireEqual(t, "extract.md", b.Text+"\n")
	require.Positive(t, b.Transfer.SummaryTokens)
}

func TestRender_ReferenceNamesCallsForContent(t *testing.T) {
	in := richInput()
	in.Handoff.Metadata.Strategy = "reference"
	in.Handoff.Context.References = []schemas.Reference{{
		URL: "context://ho_9", KeyPoints: []string{"40 million sessions", "login scans them"}, Tokens: 9000,
	}, {URL: "https://example.com/spec"}}
	b := brief.Render(in)
	golden.RequireEqual(t, "reference.md", b.Text+"\n")
	require.Greater(t, b.Transfer.OriginalTokens, 9000)

	in.Handoff.Context.References = nil
	require.Contains(t, brief.Render(in).Text, "Key points:")
	in.Handoff.Context = nil
	require.NotContains(t, brief.Render(in).Text, "Key points:", "there are none")
}

func TestRender_RollbackHasFailure(t *testing.T) {
	b := brief.Render(brief.Input{Handoff: schemas.Handoff{
		ID: 4, Source: schemas.Source{Agent: "auto-code"}, Target: schemas.Target{Agent: "architect"},
		Title: "Rollback of ho_3: Implement auth module", Task: "Decide how to go on",
		Context: &schemas.Context{
			Questions:        []string{"Should we skip OAuth for now?"},
			PreviousFailures: []string{"Cannot implement OAuth without client credentials"},
			PartialProgress:  &schemas.PartialProgress{Completed: []string{"JWT"}, Incomplete: []string{"Google OAuth"}},
			Checkpoint:       &schemas.Checkpoint{ID: "chk_1", Note: "branch auth, 3 commits", State: map[string]any{"step": 2}},
		},
		Metadata: schemas.Metadata{RetryOf: 3},
	}})
	golden.RequireEqual(t, "rollback.md", b.Text+"\n")
}

func TestRender_HasResultsOfDependencies(t *testing.T) {
	in := brief.Input{Handoff: schemas.Handoff{
		ID: 9, Source: schemas.Source{Agent: "lead"}, Target: schemas.Target{Agent: "planner"}, Title: "Merge the reviews",
		Task: "Write one report of the three reviews.", Type: schemas.TypeHandoff, Metadata: schemas.Metadata{Attempt: 1},
	}}
	for i, part := range []string{"api", "web", "cli"} {
		done := schemas.Completion{HandoffID: schemas.ID(8 - i), Status: schemas.Success, Source: schemas.Source{Agent: "r" + schemas.Agent(part)}}
		done.Summary = strings.Repeat("The "+part+" checks its arguments too late. ", 8*(i+1))
		done.Results, done.Data = map[string]any{"branch": "review-" + part}, map[string]string{"found": strconv.Itoa(i)}
		in.Results = append(in.Results, brief.EarlierResult{Completion: done, Title: "Review (" + part + ")"})
	}
	in.Results[1].Status, in.Results[2].Detail = schemas.Partial, "long"
	golden.RequireEqual(t, "joined.md", brief.Render(in).Text+"\n")
	in.MaxTokens = brief.MinTokens
	golden.RequireEqual(t, "joined-400.md", brief.Render(in).Text+"\n")
}
