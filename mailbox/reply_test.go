package mailbox_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// sendsMessage leaves a message with an agent.
func (w *world) sendsMessage(by schemas.Caller, to, text string, more ...func(*schemas.SendIn)) schemas.NoticeID {
	w.t.Helper()
	in := schemas.SendIn{To: to, Task: text, Type: schemas.TypeMessage, Parent: "none"}
	for _, change := range more {
		change(&in)
	}
	return mailboxtest.Must(w.t, w.Send, by, in).NoticeID
}

// needsYou returns the handoffs of the overview that need a person.
func (w *world) needsYou() []schemas.OverviewEntry {
	return mailboxtest.Must(w.t, w.Overview, schemas.Caller{}, schemas.OverviewIn{}).NeedsYou.Items
}

// answer answers the handoff or notice with an id.
func (w *world) answer(by schemas.Caller, id, text string) (schemas.UpdateOut, error) {
	return w.Update(context.Background(), by, schemas.UpdateIn{HandoffID: id, Action: schemas.ActAnswer, Note: text})
}

func TestAnswer_OfMessageGoesToItsSender(t *testing.T) {
	w, qa := newWorldWith(t, "qa")
	work := w.Sends(w.Stdio("boss"), "qa", "migrate").HandoffID
	w.Claims(qa)
	no := w.sendsMessage(qa, "human", "May I drop the table?", func(in *schemas.SendIn) { in.Parent = work.String() })
	out, err := w.answer(person, no.String(), "Yes, drop it")
	require.NoError(t, err)
	require.Equal(t, no, out.NoticeID)
	require.Equal(t, schemas.Address("qa"), out.To)
	require.Empty(t, w.needsYou())

	got := mailboxtest.Must(t, w.Get, qa, schemas.GetIn{HandoffID: out.Reply.String()})
	require.Equal(t, schemas.Notice{
		ID: out.Reply, To: "qa", From: "human", Kind: "message", About: work, Title: "Handoff: Re: May I drop the table?",
		Text: "Yes, drop it", At: got.Notice.At, Body: got.Notice.Body,
	}, *got.Notice)
	var body schemas.Handoff
	require.NoError(t, json.Unmarshal(got.Notice.Body, &body))
	require.Equal(t, no.String(), body.Data["in_reply_to"])
	require.Equal(t, schemas.Accepted, w.FullView(work).Status, "the work goes on")
}

func TestAnswer_RefusesOtherNotices(t *testing.T) {
	w, qa := newWorldWith(t, "qa")
	no := w.sendsMessage(qa, "human", "May I?")
	w.Assigns(person, qa, "x")
	w.Completes(qa, 1)
	for _, c := range []struct {
		by       schemas.Caller
		id, text string
		code     schemas.Code
	}{
		{qa, no.String(), "yes", schemas.NotFound},
		{person, "no_99", "yes", schemas.NotFound},
		{person, "no_x", "yes", schemas.NotFound},
		{person, no.String(), " ", schemas.Invalid},
		{person, "no_2", "thanks", schemas.Invalid}, // the notice of a completion
	} {
		_, err := w.answer(c.by, c.id, c.text)
		require.Equal(t, c.code, schemas.AsError(err).Code, "%s %v", c.id, err)
	}
	require.Len(t, w.needsYou(), 1, "it stays unanswered")
}

func TestAnswer_OfQuestionNoticeAnswersHandoff(t *testing.T) {
	w, qa := newWorldWith(t, "qa")
	w.Assigns(person, qa, "x")
	w.Updates(qa, 1, schemas.ActAsk, mailboxtest.WithQuestions("Which?"))
	out, err := w.answer(person, "no_1", "The first")
	require.NoError(t, err)
	require.Equal(t, schemas.ID(1), out.HandoffID)
	require.Equal(t, schemas.Pending, w.FullView(1).Status)
}

func TestAnswer_OfWorkForHumanCompletesIt(t *testing.T) {
	w, qa := newWorldWith(t, "qa")
	w.Sends(qa, "human", "May I deploy?")
	w.Sends(qa, "human", "And tomorrow?")
	w.Sends(qa, "human", "Later?", mailboxtest.After("2"))
	_, err := w.answer(person, "3", "yes")
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code, "it waits for another")
	out, err := w.answer(person, "1", "Yes, after six")
	require.NoError(t, err)
	require.Equal(t, schemas.Completed, out.Status)
	_, err = w.answer(person, "2", "No")
	require.NoError(t, err)
	for id, want := range map[schemas.ID]string{1: "Yes, after six", 2: "No"} {
		got := mailboxtest.Must(t, w.Get, qa, schemas.GetIn{HandoffID: id.String(), View: "outcome"})
		require.Equal(t, want, got.Completion.Summary)
		require.Equal(t, schemas.Success, got.Completion.Status)
		require.Equal(t, schemas.Agent("human"), got.Completion.Source.Agent)
	}
	require.Contains(t, w.NoticeKinds(qa, 1), "completed")
}

func TestAnswer_RefusesToCompleteWorkWithCriteriaOrOfOthers(t *testing.T) {
	w, qa := newWorldWith(t, "qa")
	w.Sends(qa, "human", "Review", func(in *schemas.SendIn) {
		in.Expectations = &schemas.Expectations{SuccessCriteria: []string{"It is fast"}}
	})
	w.Sends(person, "qa", "Yours")
	events := len(w.Events())
	_, err := w.answer(person, "1", "yes")
	require.Equal(t, schemas.Invalid, schemas.AsError(err).Code)
	_, err = w.answer(person, "2", "yes")
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code)
	_, err = w.answer(w.Stdio("dev"), "1", "yes")
	require.Error(t, err)
	require.Len(t, w.Events(), events, "nothing was changed")
	require.Equal(t, schemas.Pending, w.FullView(1).Status)
}

func TestEvents_NameApprovalOrPermissionThatPersonMustGive(t *testing.T) {
	w, boss, qa := newPair(t, "boss", "qa")
	w.Sends(boss, "qa", "Deploy", mailboxtest.NeedsApproval)
	w.Updates(person, 1, schemas.ActApprove)
	w.Updates(boss, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Task: "Deploy all"}))
	w.Updates(boss, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Task: "Deploy all of it"}))
	w.Updates(person, 1, schemas.ActApprove)
	w.Claims(qa)
	w.Updates(qa, 1, schemas.ActAsk, func(in *schemas.UpdateIn) { in.Conditions = &schemas.Conditions{NeedsPermission: []string{"root"}} })
	var needs []string
	for _, e := range w.Events() {
		if e.Needs != "" {
			needs = append(needs, e.Action+" "+e.Needs)
		}
	}
	require.Equal(t, []string{"sent approval", "amended approval", "asked permission"}, needs)
}
