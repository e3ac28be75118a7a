package mailbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

const delivered = "1234567890abcdef1234567890abcdef12345678"

func sightOf(passed bool, checks ...string) *schemas.Sight {
	s := &schemas.Sight{}
	for _, name := range checks {
		s.Observed = append(s.Observed, schemas.Observation{Check: name, List: "5", Passed: passed, Commit: delivered, Why: "it ended with 1"})
	}
	return s
}

func TestWhatChecksShowCountsBeforeWhatTheHolderSays(t *testing.T) {
	w := newWorld(t)
	a, b := w.stdio("a"), w.stdio("b")
	work := w.send(a, "b", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Checks: []string{"test"}} }).HandoffID
	claim := w.claim(b)
	done := schemas.CompleteIn{HandoffID: work.String(), Token: claim.Token, Result: schemas.Result{Summary: "done"}}

	_, err := w.Complete(t.Context(), b, done)
	require.Equal(t, schemas.Invalid, schemas.AsError(err).Code) // nobody looked, and the holder says nothing
	seeing := b
	seeing.Sight = sightOf(false, "test")
	_, err = w.Complete(t.Context(), seeing, done)
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code)
	seeing.Sight = sightOf(true, "test", "lint")
	out, err := w.Complete(t.Context(), seeing, done)
	require.NoError(t, err)
	require.Equal(t, schemas.Success, out.Outcome)

	got, err := w.Get(t.Context(), a, schemas.GetIn{HandoffID: work.String(), View: "outcome"})
	require.NoError(t, err)
	require.Len(t, got.Completion.Criteria, 2, "a check of the repository is one more criterion")
	for _, c := range got.Completion.Criteria {
		require.True(t, c.IsMet())
		require.Equal(t, delivered, c.Observed.Commit)
		require.Empty(t, c.Observed.List, "digests are for the view full")
	}
}

func TestChecksThatRunLaterMayDisproveACompletion(t *testing.T) {
	w := newWorld(t)
	a, b := w.stdio("a"), w.stdio("b")
	work := w.send(a, "b", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Checks: []string{"test"}} }).HandoffID
	claim := w.claim(b)
	observe := func(s *schemas.Sight) (schemas.ObserveOut, error) {
		return w.Observe(t.Context(), b, schemas.ObserveIn{HandoffID: work.String(), Seen: s.Observed})
	}
	_, err := observe(sightOf(true, "test"))
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code) // it is not completed
	out, err := w.Complete(t.Context(), b, schemas.CompleteIn{HandoffID: work.String(), Token: claim.Token, Result: schemas.Result{
		Summary: "done", Results: map[string]any{"commit": delivered[:12]},
		Verification: &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true}}},
	}})
	require.NoError(t, err)
	require.Contains(t, out.Warnings, "the check test is claimed, not observed: no checkout is beside this call")

	other := sightOf(true, "test")
	other.Observed[0].Commit = "ffff" + delivered[4:]
	_, err = observe(other)
	require.Equal(t, schemas.Invalid, schemas.AsError(err).Code)
	seen, err := observe(sightOf(true, "test"))
	require.NoError(t, err)
	require.Equal(t, schemas.Success, seen.Outcome)
	seen, err = observe(sightOf(false, "test"))
	require.NoError(t, err)
	require.Equal(t, schemas.Partial, seen.Outcome)

	got, err := w.Get(t.Context(), a, schemas.GetIn{HandoffID: work.String(), View: "outcome"})
	require.NoError(t, err)
	require.Equal(t, schemas.Partial, got.Completion.Status)
	require.Len(t, contract.Unmet(got.Completion.Criteria), 1)
	require.Contains(t, got.Completion.Basis(got.Completion.Criteria[0]), "does not pass: it ended with 1")
	require.Contains(t, w.kinds(a, work), "observed")
}
