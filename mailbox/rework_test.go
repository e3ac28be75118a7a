package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func withCriteria(strict bool, texts ...string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) {
		in.Expectations = &schemas.Expectations{SuccessCriteria: texts, Strict: strict}
	}
}

func addingCriteria(texts ...string) func(*schemas.UpdateIn) {
	return mailboxtest.WithChanges(schemas.Changes{Expectations: &schemas.Expectations{SuccessCriteria: texts}})
}

func withOptions(opt schemas.SendOptions) func(*schemas.UpdateIn) {
	return mailboxtest.WithChanges(schemas.Changes{Options: &opt})
}

func withEvidence(names ...string) func(*schemas.CompleteIn) {
	return func(in *schemas.CompleteIn) {
		in.Verification = &schemas.Verification{}
		for _, name := range names {
			in.Verification.Criteria = append(in.Verification.Criteria, schemas.Criterion{Criterion: name, Met: true, Evidence: "seen"})
		}
	}
}

func afterAccepted(ids ...string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{AfterAccepted: ids}
	}
}

// newCompletedWork returns a world in which b has completed ho_1 for a.
func newCompletedWork(t *testing.T, more ...func(*schemas.SendIn)) (w *world, a, b, c schemas.Caller) {
	w = newWorld(t)
	a, b, c = w.Stdio("a"), w.Stdio("b"), w.Stdio("c")
	w.Assigns(a, b, "Write the report", more...)
	names := w.FullView(1).Handoff.Expectations
	if names == nil {
		names = &schemas.Expectations{}
	}
	w.Completes(b, 1, withEvidence(names.SuccessCriteria...))
	return w, a, b, c
}

func TestRework_OfStrictWorkNeedsEvidenceForNewCriteria(t *testing.T) {
	w, a, b, _ := newCompletedWork(t, withCriteria(true, "It has a date", "It has a sum"))
	rework := w.Updates(a, 1, schemas.ActReturn, note("Not yet."), addingCriteria("Rows are sorted", "It has a sum")).Created
	brief := w.Claims(b).Brief
	require.Regexp(t, `(?s)Rework of ho_1, round 2: Write the report.*This is rework of ho_1, round 2: a returned.*Not yet\.`+
		`.*3\. Rows are sorted\n4\. It has a sum \(round 2\)\n.*## Task.*strict.*1\. It has a date\n2\. It has a sum\n`, brief)
	require.NotContains(t, brief, "Previous failures")
	for _, old := range [][]string{{"It has a date", "It has a sum"}, {"1", "2"}} {
		in := schemas.CompleteIn{HandoffID: rework.String(), Result: schemas.Result{Summary: "done"}}
		withEvidence(old...)(&in)
		_, err := w.Complete(t.Context(), b, in)
		refused(t, err, schemas.Invalid, "criteria not answered, 2 of 4: 3: Rows are sorted; 4: It has a sum (round 2)")
	}
	require.Equal(t, schemas.Success, w.Completes(b, rework, withEvidence("1", "2", "3", "4")).Outcome)
}

func TestReturn_ReadsPointsFromNote(t *testing.T) {
	for text, want := range map[string][]string{
		"Two things:\n1. no date\n2. no sum":     {"no date", "no sum"},
		"Please:\n- add a date\n  in UTC\n* sum": {"add a date in UTC", "sum"},
		"No date; and the sum of 1.5 is wrong":   {"Mended: No date; and the sum of 1.5 is wrong"},
	} {
		w, a, _, _ := newCompletedWork(t)
		out := w.Updates(a, 1, schemas.ActReturn, note(text))
		h := w.FullView(out.Created).Handoff
		require.Equal(t, want, h.Expectations.SuccessCriteria)
		require.Equal(t, want, h.Rework.Points)
	}
}

func TestRework_CountsRoundsAndKeepsCriteria(t *testing.T) {
	w, a, b, _ := newCompletedWork(t, withCriteria(false, "one"))
	second := w.Updates(a, 1, schemas.ActReturn, addingCriteria("two")).Created
	w.Claims(b)
	w.Completes(b, second, withEvidence("1", "2"))
	third := w.Updates(a, second, schemas.ActReturn, addingCriteria("three"), func(in *schemas.UpdateIn) {
		in.To, in.Changes.Context = "c", &schemas.Context{KnownIssues: []string{"slow"}}
	})
	require.Equal(t, schemas.Address("c"), third.To)
	h := w.FullView(third.Created).Handoff
	require.Equal(t, "Rework of ho_1, round 3: Write the report", h.Title)
	require.Equal(t, []string{"one", "two", "three"}, h.Expectations.SuccessCriteria)
	require.Equal(t, []string{"three"}, h.Rework.Points)
	require.Equal(t, []string{"slow"}, h.Context.KnownIssues)
	out := mailboxtest.Must(t, w.List, person, schemas.ListIn{Box: "all"})
	require.Equal(t, 3, out.Items[0].Round)
}

func TestReturn_DependentsWaitForRework(t *testing.T) {
	for name, opt := range map[string]func(...string) func(*schemas.SendIn){"completed": mailboxtest.After, "accepted": afterAccepted} {
		t.Run(name, func(t *testing.T) {
			w, a, b, c := newTrio(t, "a", "b", "c")
			w.Sends(a, "b", "first")
			w.Sends(a, "c", "before", mailboxtest.NoParent, opt("1"))
			w.Claims(b)
			w.Completes(b, 1)
			w.Sends(a, "c", "behind", mailboxtest.NoParent, opt("1"))
			out := w.Updates(a, 1, schemas.ActReturn, note("no"))
			w.Sends(a, "c", "late", mailboxtest.NoParent, opt("1"))
			require.Empty(t, out.Warnings)
			require.True(t, w.Claims(c).Empty)
			w.Claims(b)
			w.Completes(b, out.Created, withEvidence("1"))
			if name == "accepted" {
				require.Equal(t, []string{"acceptance of " + out.Created.String()}, w.FullView(2).Standing.BlockedBy)
				require.True(t, w.Claims(c).Empty)
				w.Updates(a, out.Created, schemas.ActAccept)
			}
			for range 3 {
				require.False(t, w.Claims(c).Empty)
			}
		})
	}
}

func TestReturn_WarnsOfDependentsThatBeganWithResult(t *testing.T) {
	w, a, b, c := newCompletedWork(t)
	w.Sends(a, "c", "begun", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Sends(a, "c", "done", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Completes(c, w.Claims(c).HandoffID)
	w.Claims(c)
	out := w.Updates(a, 1, schemas.ActReturn, note("no"))
	require.Equal(t, []string{
		"ho_2 waited for ho_1 and is completed with the old result, by c",
		"ho_3 waited for ho_1 and was begun with the old result: c holds it",
	}, out.Warnings)
	told := w.Notices(c)
	require.Equal(t, "returned", told[0].Kind)
	require.Contains(t, told[0].Text, "ho_4 does it again")
	require.Equal(t, out.Created, w.Claims(b).HandoffID)
}

func TestAccept_TellsHolderAndShowsAcceptance(t *testing.T) {
	w, a, b, c := newCompletedWork(t)
	look := schemas.GetIn{HandoffID: "1", View: "outcome"}
	got := mailboxtest.Must(t, w.Get, a, look)
	require.True(t, got.MayJudge)
	w.RefusesUpdate(c, 1, schemas.ActAccept, schemas.Denied, "its sender (a)")
	w.Sends(a, "b", "open")
	w.RefusesUpdate(b, 2, schemas.ActAccept, schemas.Conflict, "no result to judge")

	w.Updates(a, 1, schemas.ActAccept, note("Well done."))
	require.Equal(t, []string{"it was accepted before"}, w.Updates(a, 1, schemas.ActAccept).Warnings)
	require.Equal(t, []string{"sent", "claimed", "completed", "accepted"}, w.EventActions(1))
	require.Equal(t, "a accepted the result. Well done.", w.Notices(b)[0].Text)
	require.NotNil(t, w.FullView(1).Standing.AcceptedAt)
	got = mailboxtest.Must(t, w.Get, a, look)
	require.False(t, got.MayJudge)
	story := mailboxtest.Must(t, w.History, a, schemas.HistoryIn{HandoffID: "1"})
	require.Contains(t, story.Tree, "- a accepted the result: Well done.")

	w.Updates(a, 1, schemas.ActReturn, note("It is wrong after all"))
	require.Nil(t, w.FullView(1).Standing.AcceptedAt)
}

func TestAmend_ChangesOptions(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Sends(a, "b", "first")
	w.Sends(a, "b", "second")
	w.Sends(a, "c", "third", mailboxtest.NoParent, mailboxtest.After("1"))
	out := w.Updates(a, 3, schemas.ActAmend, withOptions(schemas.SendOptions{After: []string{"ho_2"}, MaxAttempts: 5}))
	require.Equal(t, []string{"options.after", "options.max_attempts"}, out.Changed)
	require.Equal(t, []string{"ho_1", "ho_2"}, out.BlockedBy)
	require.Equal(t, 5, w.FullView(3).Handoff.Metadata.MaxAttempts)

	_, err := w.TryUpdate(a, 1, schemas.ActAmend, withOptions(schemas.SendOptions{After: []string{"ho_3"}}))
	e := refused(t, err, schemas.Conflict, `ho_1 would wait for itself: ho_1 waits for ho_3 waits for ho_1`)
	require.Equal(t, "changes.options.after", e.Field)
	require.Contains(t, e.Hint, "amend ho_3 first, so that it no longer waits for ho_1")
	_, err = w.TryUpdate(a, 3, schemas.ActAmend, withOptions(schemas.SendOptions{After: []string{"none", "ho_9"}}))
	require.Equal(t, "changes.options.after[1]", refused(t, err, schemas.NotFound, "ho_9").Field)
	require.True(t, w.Claims(c).Empty)

	require.Empty(t, w.Updates(a, 3, schemas.ActAmend, withOptions(schemas.SendOptions{After: []string{"none"}})).BlockedBy)
	w.Updates(a, 3, schemas.ActAmend, withOptions(schemas.SendOptions{NotBefore: "2h"}))
	require.True(t, w.Claims(c).Empty)
	w.Pass(3 * time.Hour)
	require.Equal(t, schemas.ID(3), w.Claims(c).HandoffID)
	w.Updates(c, 3, schemas.ActAsk, mailboxtest.WithQuestions("why?"))
	w.RefusesUpdate(a, 3, schemas.ActAmend, schemas.Conflict, "too late", withOptions(schemas.SendOptions{After: []string{"ho_1"}}))
	w.Updates(a, 2, schemas.ActAmend, withOptions(schemas.SendOptions{Terms: schemas.Terms{NeedsApproval: true}}))
	require.Equal(t, []string{"approval"}, w.FullView(2).Standing.BlockedBy)
	require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
}

func TestRetry_AfterRejectionNeedsRecipient(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "x")
	w.Fails(b, schemas.FailIn{
		HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("no Rust here"), Alternative: "c",
	})
	e := w.RefusesUpdate(a, 1, schemas.ActRetry, schemas.Conflict, "b rejected ho_1: no Rust here")
	require.Equal(t, "to", e.Field)
	require.Contains(t, schemas.RenderAdvice(e.Next), `"to":"c"`)
	out := w.Updates(a, 1, schemas.ActRetry, note("Use the nightly"), addingCriteria("It builds"), func(in *schemas.UpdateIn) { in.To = "c" })
	require.Equal(t, schemas.Address("c"), out.To)
	brief := w.Claims(w.Stdio("c")).Brief
	require.Contains(t, brief, "- Advice for this attempt from a: Use the nightly")
	require.NotContains(t, brief, "Answers to earlier questions")
	require.Contains(t, brief, "1. It builds")

	w.Sends(a, "b", "y")
	w.Fails(b, schemas.FailIn{HandoffID: "3", Outcome: schemas.OutcomeRejected, FailureDetail: because("busy")})
	require.Equal(t, schemas.Address("b"), w.Updates(a, 3, schemas.ActRetry, func(in *schemas.UpdateIn) { in.To = "b" }).To)
}

func TestRetry_KeepsDependencies(t *testing.T) {
	w, a, _ := newPair(t, "a", "b")
	w.Sends(a, "b", "first")
	w.Sends(a, "c", "second", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Updates(a, 2, schemas.ActCancel)
	again := w.Updates(a, 2, schemas.ActRetry).Created
	require.Equal(t, []string{"ho_1"}, w.FullView(again).Standing.BlockedBy)
}

func TestRollback_ContainsContentOfFailedHandoff(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "Build it", withCriteria(true, "It builds"), func(in *schemas.SendIn) {
		in.Context, in.Detail = &schemas.Context{Decisions: []schemas.Decision{{Decision: "Use bolt"}}}, "all of it"
	})
	w.Claims(b)
	out := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("no disk")})
	h := w.FullView(out.RollbackHandoff).Handoff
	require.Equal(t, "Use bolt", h.Context.Decisions[0].Decision)
	require.Equal(t, "Build it", h.Context.OriginalRequest)
	require.Equal(t, []string{"It builds"}, h.Requirements)
	require.Equal(t, "all of it", h.Detail)
	w.Claims(a)
	w.Completes(a, out.RollbackHandoff) // a rollback need not meet the criteria
}

func TestReturn_RefusedReturnChangesNothing(t *testing.T) {
	w, a, _, _ := newCompletedWork(t)
	for name, more := range map[string]func(*schemas.UpdateIn){
		"nothing said": note(" "), "no such agent": func(in *schemas.UpdateIn) { in.Note, in.To = "x", "??" },
		"too large": mailboxtest.WithChanges(schemas.Changes{Context: &schemas.Context{KnownIssues: []string{string(make([]byte, 1<<19))}}}),
		"past":      mailboxtest.WithChanges(schemas.Changes{Deadline: "2001-01-01T00:00:00Z"}),
	} {
		_, err := w.TryUpdate(a, 1, schemas.ActReturn, more)
		require.Error(t, err, name)
		require.Equal(t, schemas.Completed, w.Status(1), name)
	}
}

func TestRetry_RefusesWhileRollbackIsHeld(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	id := w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Rollback = &schemas.Rollback{OnFailure: "c"} }).HandoffID
	w.Claims(b)
	back := w.Fails(b, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("no")}).RollbackHandoff
	w.Claims(c)
	w.RefusesUpdate(a, id, schemas.ActRetry, schemas.Conflict, "have it released or cancelled first")
	w.Updates(c, back, schemas.ActRelease)
	require.NotZero(t, w.Updates(a, id, schemas.ActRetry).Created)
}

func TestRelease_AfterReturnOfDependencyWaitsForRework(t *testing.T) {
	for name, back := range map[string]func(*world, schemas.Caller){
		"released": func(w *world, c schemas.Caller) { w.Updates(c, 2, schemas.ActRelease) },
		"lapsed": func(w *world, c schemas.Caller) {
			mailboxtest.Must(w.t, w.Detach, c, schemas.ConnIn{Conn: c.Conn})
			w.Pass(time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b, c := newCompletedWork(t)
			w.Assigns(a, c, "begun", mailboxtest.NoParent, mailboxtest.After("1"))
			again := w.Updates(a, 1, schemas.ActReturn, note("no")).Created
			back(w, c)
			require.Equal(t, []string{again.String()}, w.FullView(2).Standing.BlockedBy)
			w.Claims(b)
			w.Completes(b, again, withEvidence("1"))
			require.Empty(t, w.FullView(2).Standing.BlockedBy)
		})
	}
}

// Two handoffs that depend on each other could never begin.
func TestRelease_AfterReturnOfDependencyMakesNoCycle(t *testing.T) {
	w, a, _, c := newCompletedWork(t)
	w.Assigns(a, c, "begun", mailboxtest.NoParent, mailboxtest.After("1"))
	again := w.Updates(a, 1, schemas.ActReturn, note("no")).Created
	w.Updates(a, again, schemas.ActAmend, withOptions(schemas.SendOptions{After: []string{"2"}}))
	w.Updates(c, 2, schemas.ActRelease)
	require.Empty(t, w.FullView(2).Standing.BlockedBy)
}
