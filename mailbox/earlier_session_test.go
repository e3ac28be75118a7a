package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// The next holder of a handoff reads the traces of earlier sessions.

func (w *world) checkpoint(by schemas.Caller, id schemas.ID, c schemas.Checkpoint) {
	w.Updates(by, id, schemas.ActProgress, mailboxtest.WithChanges(schemas.Changes{Checkpoint: &c}))
}

// interruptedHandoff returns a handoff whose session did half of the work before it was killed.
func interruptedHandoff(w *world) (schemas.ID, schemas.Caller) {
	lead, coder := w.Stdio("lead"), w.Stdio("coder")
	sent := w.Sends(lead, "coder", "write report.go")
	w.Claims(coder)
	w.Updates(coder, sent.HandoffID, schemas.ActProgress, func(in *schemas.UpdateIn) {
		in.Note, in.Percent = "Write is next", 50
		in.Changes = &schemas.Changes{Checkpoint: &schemas.Checkpoint{State: map[string]any{"step": 3}, Note: "at three"}}
	})
	w.Leaves(coder)
	return sent.HandoffID, coder
}

// reconnect returns the same agent over its next connection.
func (w *world) reconnect(by schemas.Caller) schemas.Caller {
	by.Conn += "-again"
	mailboxtest.Must(w.t, w.Attach, by, schemas.ConnIn{Conn: by.Conn})
	return by
}

func requireEarlierSession(t *testing.T, brief string, more ...string) {
	t.Helper()
	for _, text := range append(more, "An earlier session of coder had ", "The working tree may hold its work", "at three", "step: 3") {
		require.Contains(t, brief, text)
	}
}

func TestBrief_OfHandoffClaimedAgainShowsEarlierSession(t *testing.T) {
	w := newWorld(t)
	id, coder := interruptedHandoff(w)
	w.Pass(time.Minute)
	got := w.Claims(w.reconnect(coder))
	require.Equal(t, id, got.HandoffID)
	requireEarlierSession(t, got.Brief, "had ho_1 until 2026-01-11T20:30:00Z, when its connection ended",
		"Last report, 50% done, by coder at 2026-01-11T20:30:00Z: Write is next")
	require.Equal(t, schemas.Working, w.Status(id))
}

func TestBrief_ShowsThatLeaseEnded(t *testing.T) {
	w := newWorld(t)
	id, _ := interruptedHandoff(w)
	w.Pass(3 * time.Minute)
	w.Updates(w.Stdio("lead"), id, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{To: "other"}))
	requireEarlierSession(t, w.Claims(w.Stdio("other")).Brief, "when its lease ended")
}

func TestBrief_OfReleasedHandoffShowsProgressNotesAndCheckpoint(t *testing.T) {
	w := newWorld(t)
	id, coder := interruptedHandoff(w)
	coder = w.reconnect(coder)
	w.Claims(coder)
	w.Updates(coder, id, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To, in.Note = "other", "mind the gap" })
	requireEarlierSession(t, w.Claims(w.Stdio("other")).Brief, "when it was released", "mind the gap", "Write is next")
}

func TestBrief_OfFirstHolderShowsNoEarlierSession(t *testing.T) {
	w := newWorld(t)
	w.Sends(w.Stdio("lead"), "coder", "x")
	require.NotContains(t, w.Claims(w.Stdio("coder")).Brief, "earlier session")
}

func TestFail_AddsToCheckpointForNextHolder(t *testing.T) {
	for _, then := range []schemas.FailureContinuation{schemas.ThenRetry, schemas.ThenRollback, schemas.ThenStop} {
		t.Run(string(then), func(t *testing.T) {
			w, lead, coder := newPair(t, "lead", "coder")
			sent := w.Sends(lead, "coder", "x")
			w.Claims(coder)
			w.checkpoint(coder, sent.HandoffID, schemas.Checkpoint{State: map[string]any{"step": 3}, Note: "at three"})
			failure := because("boom")
			failure.PartialProgress = &schemas.PartialProgress{Completed: []string{"half of it"}}
			w.Fails(coder, schemas.FailIn{HandoffID: sent.HandoffID.String(), FailureDetail: failure, Then: then})
			if then == schemas.ThenStop {
				w.Updates(lead, sent.HandoffID, schemas.ActRetry)
			}
			w.PassBackoff()
			next := coder
			if then == schemas.ThenRollback {
				next = lead
			}
			requireEarlierSession(t, w.Claims(next).Brief, "half of it", "when it failed")
		})
	}
}

func TestCheckpoint_MergesByKey(t *testing.T) {
	w, coder := newWorldWith(t, "coder")
	sent := w.Sends(w.Stdio("lead"), "coder", "x")
	w.Claims(coder)
	w.checkpoint(coder, sent.HandoffID, schemas.Checkpoint{
		State: map[string]any{"step": 3, "branch": "b"}, Note: "at three",
		PartialProgress: &schemas.PartialProgress{Completed: []string{"parser"}, Incomplete: []string{"writer", "docs"}},
	})
	w.checkpoint(coder, sent.HandoffID, schemas.Checkpoint{
		State: map[string]any{"step": 4}, PartialProgress: &schemas.PartialProgress{Completed: []string{"writer"}},
	})
	out := mailboxtest.Must(t, w.Get, coder, schemas.GetIn{HandoffID: sent.HandoffID.String(), View: "checkpoint"})
	require.Equal(t, map[string]any{"step": 4.0, "branch": "b"}, out.Checkpoint.State)
	require.Equal(t, "at three", out.Checkpoint.Note)
	require.Equal(t, []string{"writer", "parser"}, out.Checkpoint.PartialProgress.Completed)
	require.Equal(t, []string{"docs"}, out.Checkpoint.PartialProgress.Incomplete)
}

func TestBrief_OfRetryDoesNotAskQuestionsOfFailedHolder(t *testing.T) {
	w, lead, coder := newPair(t, "lead", "coder")
	sent := w.Sends(lead, "coder", "x")
	w.Claims(coder)
	w.Fails(coder, schemas.FailIn{
		HandoffID: sent.HandoffID.String(), FailureDetail: because("boom"), Questions: []string{"Which port?"}, Then: schemas.ThenStop,
	})
	w.Updates(lead, sent.HandoffID, schemas.ActRetry)
	brief := w.Claims(coder).Brief
	require.NotContains(t, brief, "Questions for you")
	require.Contains(t, brief, "coder asked, and it is not answered: Which port?")
}

func TestContinuation_CarriesContextForNextAgent(t *testing.T) {
	w, coder := newWorldWith(t, "coder")
	sent := w.Sends(w.Stdio("lead"), "coder", "x")
	w.Claims(coder)
	w.Completes(coder, sent.HandoffID, func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{
			SendIn: schemas.SendIn{To: "qa", Task: "test it", Context: &schemas.Context{State: map[string]any{"a": 1}}},
			ContextForNext: map[string]any{
				"focus_areas": []any{"auth", "limits"}, "known_issues": []any{"slow"}, "questions": []any{"q"},
			},
		}
	})
	brief := w.Claims(w.Stdio("qa")).Brief
	for _, text := range []string{`focus_areas: ["auth","limits"]`, `known_issues: ["slow"]`, "a: 1", `questions: ["q"]`} {
		require.Contains(t, brief, text)
	}
}

func TestRetry_KeepsDeadlineAndTimeout(t *testing.T) {
	w, lead, coder := newPair(t, "lead", "coder")
	sent := w.Sends(lead, "coder", "x", func(in *schemas.SendIn) { in.Deadline = "2h" })
	timed := w.Sends(lead, "coder", "y", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Timeout: "1h"} })
	for _, id := range []schemas.ID{sent.HandoffID, timed.HandoffID} {
		w.Claims(coder)
		w.Fails(coder, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("boom"), Then: schemas.ThenStop})
	}
	w.Pass(10 * time.Minute)
	for id, due := range map[schemas.ID]time.Duration{sent.HandoffID: 2 * time.Hour, timed.HandoffID: time.Hour} {
		again := w.Updates(lead, id, schemas.ActRetry).Created
		require.Equal(t, mailboxtest.StartTime().Add(due), w.FullView(again).Handoff.Metadata.Deadline.UTC())
	}
}

func TestRetry_DoesNotCountReleasedAttempt(t *testing.T) {
	w, lead, coder := newPair(t, "lead", "coder")
	for want, end := range map[int]func(schemas.ID){
		1: func(id schemas.ID) {
			w.Updates(coder, id, schemas.ActRelease)
			w.Updates(lead, id, schemas.ActCancel)
		},
		2: func(id schemas.ID) {
			w.Fails(coder, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("boom"), Then: schemas.ThenStop})
		},
	} {
		sent := w.Sends(lead, "coder", "x")
		w.Claims(coder)
		end(sent.HandoffID)
		w.Updates(lead, sent.HandoffID, schemas.ActRetry)
		require.Equal(t, want, w.Claims(coder).Attempt)
	}
}

func TestComplete_LateResultKeepsItsOutcome(t *testing.T) {
	w, lead, coder := newPair(t, "lead", "coder")
	sent := w.Sends(lead, "coder", "x")
	got := w.Claims(coder)
	w.Updates(lead, sent.HandoffID, schemas.ActCancel)
	_, err := w.Complete(context.Background(), coder, schemas.CompleteIn{
		HandoffID: sent.HandoffID.String(), Token: got.Token, Result: schemas.Result{Summary: "done"},
	})
	require.Error(t, err)
	require.Equal(t, schemas.Success, w.FullView(sent.HandoffID).Late[0].Completion.Status)
}
