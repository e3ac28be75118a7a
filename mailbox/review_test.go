package mailbox_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func withReview(by string, more ...func(*schemas.SendIn)) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) {
		in.Expectations = &schemas.Expectations{SuccessCriteria: []string{"It builds"}, Review: by}
		for _, m := range more {
			m(in)
		}
	}
}

func withVerdict(v string, points ...string) func(*schemas.CompleteIn) {
	return func(in *schemas.CompleteIn) { in.Output, _ = json.Marshal(schemas.Verdict{Verdict: v, Points: points}) }
}

func (w *world) reason(id schemas.ID) string { return w.FullView(id).Standing.Reason }

// claimsNext claims the next handoff of an agent.
func (w *world) claimsNext(by schemas.Caller) schemas.ID { w.t.Helper(); return w.Claims(by).HandoffID }

func TestReview_AcceptanceUnblocksDependents(t *testing.T) {
	w := newWorld(t)
	a, b, c, d := w.Stdio("a"), w.Stdio("b"), w.Stdio("c"), w.Stdio("d")
	work := w.Sends(a, "b", "Write the store", withReview("c")).HandoffID
	w.Sends(a, "d", "Use the store", mailboxtest.NoParent, mailboxtest.After("1"))
	require.Contains(t, w.Claims(b).Brief, "Your result counts once it was reviewed by c")
	passOn := func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "e", Task: "Document it"}}
	}
	done := w.Completes(b, work, withEvidence("1"), passOn)
	require.Equal(t, schemas.Address("c"), done.Forwarded.To)
	require.Equal(t, done.Forwarded, w.Completes(b, work, withEvidence("1"), passOn).Forwarded)
	require.Equal(t, "acceptance pending: under review by c (ho_3), round 1 of 3", w.reason(work))
	require.True(t, w.Claims(d).Empty)

	review := w.Claims(c)
	require.JSONEq(t, `{"verdict": "…"}`, string(review.ToDo.Output), "only the reviewer knows")
	require.Regexp(t, `(?s)round 1 of 3.*"verdict":"rework","points".*Asked: Write the store.*1\. It builds – met: seen`, review.Brief)
	in := schemas.CompleteIn{HandoffID: "ho_3", Result: schemas.Result{Summary: "Not yet"}}
	withVerdict("rework")(&in)
	require.Equal(t, "output.points", mailboxtest.RequireRefusal(t, w.Complete, c, in, schemas.Invalid, "").Field)
	back := w.Completes(c, review.HandoffID, withVerdict("rework", "It logs", "It has tests"))
	require.Equal(t, schemas.Address("b"), back.Forwarded.To)
	require.Equal(t, schemas.Returned, w.Status(work))
	require.True(t, w.Claims(d).Empty)

	again := w.Claims(b)
	require.Equal(t, back.Forwarded.HandoffID, again.HandoffID)
	require.Equal(t, schemas.Agent("a"), again.From, "the work stays its sender's")
	require.Regexp(t, `(?s)round 2: c returned.*2\. It logs\n3\. It has tests`, again.Brief)
	w.Completes(b, again.HandoffID, withEvidence("1", "2", "3"), passOn)
	w.Completes(c, w.claimsNext(c), withVerdict("accept"))
	require.Empty(t, w.reason(again.HandoffID))
	require.NotNil(t, w.FullView(again.HandoffID).Standing.AcceptedAt)
	require.Equal(t, schemas.ID(2), w.claimsNext(d))
	e := w.Stdio("e")
	next := w.FullView(w.claimsNext(e)).Handoff
	require.Equal(t, schemas.Agent("b"), next.Source.Agent)
	require.True(t, w.Claims(e).Empty, "it is passed on once")
}

func TestReview_AfterLastRoundGoesToHuman(t *testing.T) {
	for decision, want := range map[string]schemas.Status{"accept": schemas.Completed, "rework": schemas.Returned} {
		w, a, b, c := newTrio(t, "a", "b", "c")
		w.Sends(a, "b", "x", withReview("c", func(in *schemas.SendIn) { in.Expectations.MaxRounds = 1 }))
		w.Completes(b, w.claimsNext(b), withEvidence("1"))
		w.RefusesUpdate(a, 1, schemas.ActReturn, schemas.Limit, "ho_1 is round 1 of 1", note("no"))
		out := w.Completes(c, w.claimsNext(c), withVerdict("rework", "It is slow"))
		require.Equal(t, schemas.Address("human"), out.Forwarded.To)
		require.Regexp(t, "(?s)It is slow.*round 1 of 1 at most", w.FullView(out.Forwarded.HandoffID).Handoff.Task)
		w.Completes(person, w.claimsNext(person), withVerdict(decision, "It is slow"))
		require.Equal(t, want, w.Status(1))
	}
}

func TestReview_EndedWithoutVerdictGoesToSenderThenHuman(t *testing.T) {
	for name, lose := range map[string]func(*world, schemas.Caller, schemas.ID){
		"failed": func(w *world, c schemas.Caller, id schemas.ID) { w.givesUp(c, id, schemas.FailIn{}) },
		"stopped": func(w *world, c schemas.Caller, id schemas.ID) {
			w.givesUp(c, id, schemas.FailIn{Then: schemas.ThenStop})
		},
		"rejected": func(w *world, c schemas.Caller, id schemas.ID) {
			w.givesUp(c, id, schemas.FailIn{Outcome: schemas.OutcomeRejected})
		},
		"cancelled": func(w *world, _ schemas.Caller, id schemas.ID) {
			out := w.Updates(person, id, schemas.ActCancel)
			require.Equal(w.t, id+1, out.Created)
			require.Contains(w.t, out.Warnings[0], "ho_1 is still to be judged, now by")
		},
		"timed out": func(w *world, _ schemas.Caller, id schemas.ID) {
			w.Updates(person, id, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Deadline: "5m"}))
			w.Pass(6 * time.Minute)
			w.Status(id)
		},
		"refused": func(w *world, _ schemas.Caller, id schemas.ID) {
			w.Updates(person, id, schemas.ActAmend, withOptions(schemas.SendOptions{Terms: schemas.Terms{NeedsApproval: true}}))
			w.Updates(person, id, schemas.ActRefuse)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b, c := newTrio(t, "a", "b", "c")
			w.Sends(a, "b", "x", withReview("c"))
			w.Completes(b, w.claimsNext(b), withEvidence("1"))
			lose(w, c, 2)
			require.Equal(t, schemas.Agent("a"), w.FullView(3).Handoff.Target.Agent)
			require.Contains(t, w.FullView(3).Handoff.Task, "c was to judge it (ho_2)")
			require.Contains(t, w.reason(1), "under review by a (ho_3)")
			lose(w, a, 3)
			require.Contains(t, w.reason(1), "under review by human (ho_4)")
			require.Empty(t, w.Updates(person, 4, schemas.ActCancel).Warnings)
			require.Contains(t, w.reason(1), "a accepts or returns it")
			w.Updates(a, 1, schemas.ActAccept)
		})
	}
}

// givesUp claims a handoff if it needs a claim, and fails it.
func (w *world) givesUp(by schemas.Caller, id schemas.ID, in schemas.FailIn) {
	if in.Outcome == "" {
		require.Equal(w.t, id, w.claimsNext(by))
	}
	in.HandoffID, in.FailureDetail = id.String(), because("no")
	w.Fails(by, in)
}

func TestReview_UnclaimedForLongGoesToSender(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "x", withReview("role:critic"))
	w.Completes(b, w.claimsNext(b), withEvidence("1"))
	w.Pass(16 * time.Minute)
	require.Equal(t, schemas.ID(2), w.claimsNext(a))
	w.Completes(a, 2, withVerdict("accept"))
	require.NotNil(t, w.FullView(1).Standing.AcceptedAt)
}

func TestReview_RefusesAuthorAsReviewer(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	for _, name := range []string{"b", "c"} {
		mailboxtest.Must(t, w.Register, person, schemas.RegisterIn{Name: name, Role: "coder"})
	}
	for to, by := range map[string]string{"b": "b", "a": "sender"} {
		in := schemas.SendIn{To: to, Task: "x", Options: &schemas.SendOptions{Force: true}}
		withReview(by)(&in)
		_, err := w.Send(t.Context(), a, in)
		require.Equal(t, "expectations.review", refused(t, err, schemas.Conflict, "would review its own work").Field)
	}
	w.Sends(a, "role:coder", "y", withReview("role:coder"))
	w.Completes(b, w.claimsNext(b), withEvidence("1"))
	require.True(t, w.Claims(b).Empty, "its own")
	for _, do := range []schemas.Action{schemas.ActAmend, schemas.ActRelease} {
		if do == schemas.ActRelease {
			require.Equal(t, schemas.ID(2), w.claimsNext(w.Stdio("c")))
		}
		w.RefusesUpdate(person, 2, do, schemas.Conflict, "did the work", func(in *schemas.UpdateIn) { in.To = "b" })
	}
	_, err := w.TryUpdate(w.Stdio("c"), 1, schemas.ActAccept)
	require.NoError(t, err, "whoever holds the review")
	require.Equal(t, schemas.Cancelled, w.Status(2))

	w = newWorld(t)
	a = w.Stdio("a")
	w.Sends(a, "a", "alone", withReview("sender", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{Force: true} }))
	w.Completes(a, w.claimsNext(a), withEvidence("1"))
	require.Equal(t, schemas.ID(2), w.claimsNext(a))
	w.Updates(a, 1, schemas.ActReturn, note("worse than it was"))
	require.Equal(t, schemas.Cancelled, w.Status(2))
}

func TestReview_AddedByAmendIsRefusedAtWorkflowLimit(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{Limits: map[string]float64{"workflow_handoffs": 1}}
	})
	w.Updates(a, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Expectations: &schemas.Expectations{Review: "sender"}}))
	done := w.Completes(b, w.claimsNext(b))
	require.Contains(t, done.Warnings[0], "nobody was asked to review it")
	require.Contains(t, w.reason(1), "a accepts or returns it, round 1 of 3")
	require.Contains(t, w.Notices(person)[0].Text, "limit")
	require.NotZero(t, w.Updates(person, 1, schemas.ActReturn, note("mend"), withOptions(schemas.SendOptions{Limits: map[string]float64{"workflow_handoffs": 9}})).Created)
	w.Completes(b, w.claimsNext(b), withEvidence("1"))
	require.Equal(t, schemas.ID(3), w.claimsNext(a))
	_, err := w.TryUpdate(person, 3, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Expectations: &schemas.Expectations{Review: "b"}}))
	refused(t, err, schemas.Conflict, "so it cannot be amended")
}

func TestReview_RulesAndJoinsWaitForAcceptance(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.DeclareRules([]schemas.Route{{On: []string{"completed"}, Send: []schemas.SendIn{mailboxtest.RuleSend("next", "go on")}}})
	w.Sends(a, "b", "{{each}}", withReview("c", func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{Each: []string{"one", "two"}, Join: &schemas.Join{To: "joiner", Task: "both"}}
	}))
	joiner, next := w.Stdio("joiner"), w.Stdio("next")
	for range 2 {
		w.Completes(b, w.claimsNext(b), withEvidence("1"))
		require.True(t, w.Claims(joiner).Empty)
		w.Completes(c, w.claimsNext(c), withVerdict("accept"))
		w.claimsNext(next)
	}
	require.Equal(t, schemas.ID(3), w.claimsNext(joiner))
	require.True(t, w.Claims(next).Empty, "no rule fires for a review")
}
