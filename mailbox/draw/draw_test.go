package draw_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/draw"
	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/schemas/golden"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

var (
	sent           = time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC)
	escapeMarkdown = display.Style{Now: sent.Add(2 * time.Hour)}
)

// taskManagerSteps is the chain of six handoffs in the picture of the handoff protocol agent.
func taskManagerSteps() []schemas.HistoryStep {
	return []schemas.HistoryStep{
		{HandoffID: 1, From: "human", To: "architect", Holder: "architect", Title: "Design authentication module", Status: schemas.Completed, Outcome: schemas.Success, Seconds: 900},
		{HandoffID: 2, Parent: 1, From: "architect", To: "auto-code", Holder: "auto-code", Title: "Implement auth module", Status: schemas.Completed, Outcome: schemas.Success, Seconds: 1680, FilesCreated: 4, FilesModified: 1},
		{HandoffID: 3, Parent: 2, From: "auto-code", To: "qa", Holder: "qa", Title: "Test auth implementation", Status: schemas.Failed, Seconds: 45, Reason: "Missing test fixtures", RollbackTo: "auto-code"},
		{HandoffID: 4, Parent: 3, From: "qa", To: "auto-code", Holder: "auto-code", Title: "Add test fixtures", Status: schemas.Completed, Outcome: schemas.Success, Seconds: 480},
		{HandoffID: 5, Parent: 4, From: "auto-code", To: "qa", Holder: "qa", Title: "Retest auth implementation", Status: schemas.Completed, Outcome: schemas.Success, Seconds: 0, TestsPassed: 12},
		{HandoffID: 6, Parent: 5, From: "qa", To: "ciso", Holder: "ciso", Title: "Security review", Status: schemas.Working, SentAt: sent, Seconds: 300},
	}
}

// fanOutSteps is a swarm of three parallel handoffs, one of them retried, one with children.
func fanOutSteps() []schemas.HistoryStep {
	return []schemas.HistoryStep{
		{HandoffID: 1, From: "human", To: "planner", Holder: "planner", Title: "Plan the release", Status: schemas.Completed, Outcome: schemas.Partial, Unmet: 1, Seconds: 7500},
		{HandoffID: 2, Parent: 1, From: "planner", To: "docs", Holder: "docs", Title: "Write the notes", Status: schemas.Completed, Outcome: schemas.Success, Seconds: 12},
		{HandoffID: 3, Parent: 1, From: "planner", To: "capability:code", Holder: "auto-code", Title: "Bump the version", Status: schemas.TimedOut, Seconds: 3600, Attempt: 3},
		{HandoffID: 4, Parent: 1, From: "planner", To: "role:testing", Title: "Run the long tests", Status: schemas.Pending, SentAt: sent},
		{HandoffID: 5, Parent: 1, RetryOf: 3, From: "planner", To: "fixer", Holder: "fixer", Title: "Bump the version", Status: schemas.Waiting, SentAt: sent},
		{HandoffID: 6, Parent: 2, From: "docs", To: "qa", Holder: "qa", Title: "Read the notes", Status: schemas.Rejected, Reason: "not my job"},
		{HandoffID: 7, Parent: 2, From: "docs", To: "ciso", Holder: "ciso", Title: "Check what the notes reveal", Status: schemas.Returned, Seconds: 61},
		{HandoffID: 9, Parent: 8, From: "human", To: "qa", Title: "Of a parent that is not here", Status: schemas.Cancelled},
	}
}

const hostile = "\x1b[2J\u202eevil\u200b\"]; click x \"javascript:alert(1)\"\n    ▼\nroot ───▶ </title>\r`%%{init}%%`"

func hostileSteps() []schemas.HistoryStep {
	steps := taskManagerSteps()[:3]
	for i := range steps {
		steps[i].Title, steps[i].Reason = hostile, strings.Repeat("長い題名", 40)
	}
	steps[1].Holder, steps[1].To = "", schemas.Address(hostile)
	return steps
}

func TestTree_MatchesGolden(t *testing.T) {
	golden.RequireEqual(t, "chain.txt", draw.Tree("wf_conductor_123", "TaskManager Implementation", taskManagerSteps(), escapeMarkdown))
	golden.RequireEqual(t, "fanout.txt", draw.Tree("wf_release", "", fanOutSteps(), escapeMarkdown))
	narrow := escapeMarkdown
	narrow.Width = 48
	golden.RequireEqual(t, "fanout-narrow.txt", draw.Tree("wf_release", "Release", fanOutSteps(), narrow))
	golden.RequireEqual(t, "hostile.txt", draw.Tree(hostile, hostile, hostileSteps(), escapeMarkdown))
	require.Equal(t, "Handoff Chain: wf_none\n", draw.Tree("wf_none", "", nil, escapeMarkdown))
}

func TestTree_DrawsEachStepOnce(t *testing.T) {
	loop := []schemas.HistoryStep{
		{HandoffID: 1, Parent: 2, To: "a", Title: "one"},
		{HandoffID: 2, Parent: 1, To: "b", Title: "two"},
		{HandoffID: 3, Parent: 3, To: "c", Title: "three"},
		{HandoffID: 3, Parent: 1, To: "c", Title: "three again"},
	}
	for _, steps := range [][]schemas.HistoryStep{loop, fanOutSteps(), taskManagerSteps()} {
		picture := draw.Tree("wf", "", steps, escapeMarkdown)
		chart := draw.Mermaid(steps)
		for _, s := range steps {
			require.Equal(t, 1, strings.Count(picture, " "+s.HandoffID.String()+":")+
				strings.Count(picture, " "+s.HandoffID.String()+" (retry"), s.HandoffID)
			require.Equal(t, 1, strings.Count(chart, "    "+s.HandoffID.String()+"["), s.HandoffID)
		}
	}
}

func TestMermaid_MatchesGolden(t *testing.T) {
	golden.RequireEqual(t, "chain.mmd", draw.Mermaid(taskManagerSteps()))
	golden.RequireEqual(t, "fanout.mmd", draw.Mermaid(fanOutSteps()))
	golden.RequireEqual(t, "hostile.mmd", draw.Mermaid(hostileSteps()))
}

func TestTree_PlainFitsWidthWithoutEscapes(t *testing.T) {
	for _, style := range []display.Style{{Width: 60}, {Width: 60, Now: sent}} {
		for _, picture := range []string{
			draw.Tree("wf_x", hostile, hostileSteps(), style),
			draw.Tree("wf_x", "Plan", fanOutSteps(), style),
		} {
			for line := range strings.Lines(picture) {
				require.Equal(t, line, schemas.EscapeHidden(line))
			}
		}
		for line := range strings.Lines(draw.Tree("wf_x", hostile, append(fanOutSteps(), hostileSteps()...), style)) {
			require.LessOrEqual(t, len([]rune(line)), 61, line)
		}
	}
}

func TestTree_ColourOnlyAddsEscapes(t *testing.T) {
	colour := escapeMarkdown
	colour.Colour = true
	picture := draw.Tree("wf_x", "T", taskManagerSteps(), colour)
	require.Contains(t, picture, "\x1b[32m✓ Completed\x1b[0m")
	for _, code := range []string{"0", "1", "31", "32", "33", "36", "90"} {
		picture = strings.ReplaceAll(picture, "\x1b["+code+"m", "")
	}
	require.Equal(t, draw.Tree("wf_x", "T", taskManagerSteps(), escapeMarkdown), picture)
}

func ExampleTree() {
	steps := []schemas.HistoryStep{
		{HandoffID: 1, To: "architect", Holder: "architect", Title: "Design", Status: schemas.Completed, Seconds: 900},
		{HandoffID: 2, Parent: 1, To: "auto-code", Title: "Implement", Status: schemas.Pending},
	}
	fmt.Print(draw.Tree("wf_login", "Login", steps, display.Style{Width: 40}))
	// Output:
	// Handoff Chain: Login (wf_login)
	//
	// architect ─────────────────────▶
	//     │
	//     │ ho_1: Design
	//     │ Status: ✓ Completed
	//     │ Duration: 15 min
	//     ▼
	// auto-code ─────────────────────▶
	//     │
	//     │ ho_2: Implement
	//     │ Status: … Pending
}

func TestMarkdown_MatchesGolden(t *testing.T) {
	steps := taskManagerSteps()
	steps[1].Done = &schemas.Completion{
		Result: schemas.Result{
			Summary: "Done, see `auth`", Notes: []string{"The cache is not tested"}, Results: map[string]any{"branch": "auth", "cost_usd": 1.84},
			Detail: "Tokens live for *an hour*", Data: map[string]string{"severity": "low"},
			Verification: &schemas.Verification{Commands: []schemas.Command{{Command: "go test ./...", ExitCode: 0}}},
		},
		Criteria: []schemas.AnsweredCriterion{
			{Number: 1, Criterion: "Tests pass", Met: true, Evidence: "12 passed"}, {Number: 2, Criterion: "Documented", Evidence: "no time"},
		},
	}
	golden.RequireEqual(t, "chain.md", draw.Markdown("wf_conductor_123", steps, len(steps)))
	golden.RequireEqual(t, "fanout.md", draw.Markdown("wf_release", fanOutSteps(), 8))
	golden.RequireEqual(t, "hostile.md", draw.Markdown("wf_release", hostileSteps(), 3))
}

func TestMarkdown_OmitsOpenPointsOfReturnedWork(t *testing.T) {
	done := &schemas.Completion{Criteria: []schemas.AnsweredCriterion{{Number: 1, Criterion: "Documented"}}}
	steps := []schemas.HistoryStep{{HandoffID: 1, Status: schemas.Returned, Done: done}, {HandoffID: 2, Status: schemas.Completed, ReworkOf: 1}}
	require.NotContains(t, draw.Markdown("wf_a", steps, len(steps)), "Open points")
}
