package reading_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestBrief_HasNotesOfAmendments(t *testing.T) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Sends(lead, "coder", "x")
	out := w.Updates(lead, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Task: "something else"}), mailboxtest.WithNote("Only the parser"))
	require.ElementsMatch(t, []string{"note", "task", "title"}, out.Changed)
	require.Equal(t, []string{"note"}, w.Updates(lead, 1, schemas.ActAmend, mailboxtest.WithNote("Not the lexer")).Changed)
	w.Updates(lead, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Title: "y"}))
	brief := w.Claims(coder).Brief
	require.Contains(t, brief, "- Amended by lead: Only the parser\n- Amended by lead: Not the lexer\n")
	require.Equal(t, "Only the parser", w.FullView(1).Handoff.Context.Remarks[0].Note)
	var texts []string
	got := mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "1", View: "events"})
	for _, e := range got.Events {
		if e.Action == "amended" {
			texts = append(texts, e.Text)
		}
	}
	require.Equal(t, []string{"Only the parser; task was: x", "Not the lexer", "title was: something else"}, texts)
	old := mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "1", Reference: "events/1/task"})
	require.Equal(t, "x", old.Content)
}

// fillCompletion is a result with a value in each field that the next holder reads.
func fillCompletion(in *schemas.CompleteIn) {
	in.Summary = "The parser is done"
	in.Results = map[string]any{"branch": "parser", "commit": "abc123"}
	in.Notes = []string{"The lexer leaks"}
	in.Deliverables = []schemas.Delivered{{FilesCreated: []string{"parse.go"}, FilesModified: []string{"lex.go"}}}
}

func TestBrief_HasResultOfContinuedOrAwaitedHandoff(t *testing.T) {
	const waited = "- Result of ho_1, x, success by coder: branch parser, commit abc123. The parser is done"
	const head, rest = "- Result of ho_1: branch parser, commit abc123", "\n  - Output: The lexer leaks\n  - Files: parse.go, lex.go\n"
	for name, test := range map[string]struct {
		follow func(*mailboxtest.World, schemas.Caller) // sends ho_2
		more   func(*schemas.CompleteIn)
		want   string
	}{
		"a continuation, whose summary says it": {
			more: func(in *schemas.CompleteIn) {
				in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "coder", Task: "y"}}
			},
			want: head + rest,
		},
		"a dependent": {
			follow: func(w *mailboxtest.World, lead schemas.Caller) {
				w.Sends(lead, "coder", "y", mailboxtest.After("ho_1"))
			},
			want: waited + rest,
		},
		"a dependent, with a short output": {
			follow: func(w *mailboxtest.World, lead schemas.Caller) {
				w.Sends(lead, "coder", "y", mailboxtest.After("ho_1"))
			},
			more: func(in *schemas.CompleteIn) { in.Output = []byte(`{"seconds":16.4}`) },
			want: waited + "\n  - Output: {\"seconds\":16.4}" + strings.Replace(rest, "Output", "Notes", 1),
		},
		"a rework, whose first line says it": {
			follow: func(w *mailboxtest.World, lead schemas.Caller) {
				w.Updates(lead, 1, schemas.ActReturn, mailboxtest.WithNote("Mend the leak"))
			},
			want: head + rest,
		},
		"what is too much": {
			more: func(in *schemas.CompleteIn) { in.Detail, in.Notes = strings.Repeat("more ", 100), nil },
			follow: func(w *mailboxtest.World, lead schemas.Caller) {
				w.Sends(lead, "coder", "y", mailboxtest.After("ho_1"))
			},
			want: `  - More from get_handoff {"handoff_id":"ho_1","view":"outcome"}`,
		},
		"what builds on nothing": {
			follow: func(w *mailboxtest.World, lead schemas.Caller) { w.Sends(lead, "coder", "y") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
			w.Assigns(lead, coder, "x")
			if test.more == nil {
				test.more = func(*schemas.CompleteIn) {}
			}
			w.Completes(coder, 1, fillCompletion, test.more)
			if test.follow != nil {
				test.follow(w, lead)
			}
			brief := w.Claims(coder).Brief
			require.Contains(t, brief, test.want)
			require.Equal(t, test.want != "", strings.Contains(brief, "Result of"))
		})
	}
}

func TestBrief_OfRollbackHasReasonAndDeadline(t *testing.T) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Sends(lead, "coder", "x", func(in *schemas.SendIn) { in.Deadline = "2h" })
	due := w.FullView(1).Handoff.Metadata.Deadline
	for _, then := range []schemas.FailureContinuation{schemas.ThenRetry, schemas.ThenRollback} {
		id := w.Claims(coder).HandoffID
		w.Pass(time.Minute)
		w.Fails(coder, schemas.FailIn{
			HandoffID: id.String(), FailureDetail: mailboxtest.FailureBecause("It does not build"), Reason: "The key is yours", Then: then,
		})
		w.PassBackoff()
	}
	back := w.Claims(lead)
	require.Contains(t, back.Brief, "It does not build (reason: The key is yours)")
	require.Contains(t, back.Brief, "ho_1 failed (coder, 2026-01-11T20:31:00Z): It does not build (reason: The key is yours)")
	require.Equal(t, due, w.FullView(back.HandoffID).Handoff.Metadata.Deadline)
}

func TestBrief_ListsQuestionsBeforeAnswer(t *testing.T) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Assigns(lead, coder, "x")
	w.Updates(coder, 1, schemas.ActAsk, mailboxtest.WithQuestions("Which unit?", "A sum?"))
	w.Updates(lead, 1, schemas.ActAnswer, mailboxtest.WithNote("1. Seconds.\n2. No."))
	require.Contains(t, w.Claims(w.Stdio("coder")).Brief, "- Answers to earlier questions:\n  - Asked:\n    1. Which unit?\n"+
		"    2. A sum?\n  - lead answered: 1. Seconds.\n    > 2. No.\n")
}

func TestRelease_NotifiesSenderOfNewRecipient(t *testing.T) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Sends(lead, "coder", "x")
	w.Sends(w.Stdio("qa"), "human", "so that it is known")
	w.Claims(coder)
	w.Updates(coder, 1, schemas.ActRelease, mailboxtest.WithNote("It is about tests."), func(in *schemas.UpdateIn) { in.To = "qa" })
	told := w.Notices(lead)
	require.Len(t, told, 1)
	require.Equal(t, "coder passed it to qa. It is about tests.", told[0].Text)
	require.Equal(t, "coder passed it to qa", w.FullView(1).Standing.Reason)
	out := mailboxtest.Must(t, w.History, lead, schemas.HistoryIn{HandoffID: "1", Format: "tree"})
	require.Contains(t, out.Tree, "coder passed it to qa: It is about tests.")
	w.Claims(w.Stdio("qa"))
	w.Updates(w.Stdio("qa"), 1, schemas.ActRelease)
	require.Len(t, w.Notices(lead), 1, "given back is no news")
}
