package mailbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// The commits of these tests.
var (
	first, second, third = strings.Repeat("1", 40), strings.Repeat("2", 40), strings.Repeat("3", 40)
	left                 = strings.Repeat("b", 40)
)

// inCheckout returns a caller in a checkout at a commit. Base is the commit at which its branch left the target branch.
func inCheckout(by schemas.Caller, commit, base string) schemas.Caller {
	by.Tree = &schemas.Tree{Path: "/shop", Branch: "work", Commit: commit, Base: base}
	return by
}

func basedOn(base string) func(*schemas.UpdateIn) {
	return mailboxtest.WithChanges(schemas.Changes{Expectations: &schemas.Expectations{Base: base}})
}

func (w *world) baseOf(id schemas.ID) string { w.t.Helper(); return w.FullView(id).Standing.Base }

func TestBase_OfRetryAndReworkIsCommitOfSender(t *testing.T) {
	w, boss, dev := newPair(t, "boss", "dev")
	w.Sends(inCheckout(boss, first, ""), "dev", "Do it")
	for _, claimed := range []string{second, third} {
		w.Claims(inCheckout(dev, claimed, claimed))
		require.Equal(t, first, w.baseOf(1))
		w.Updates(dev, 1, schemas.ActRelease)
	}
	w.Claims(inCheckout(dev, third, third))
	w.Completes(inCheckout(dev, third, third), 1)
	w.Updates(inCheckout(boss, third, ""), 1, schemas.ActReturn, note("Not yet"))
	require.Equal(t, first, w.baseOf(2), "of the rework")
	w.Claims(inCheckout(dev, third, third))
	w.Fails(inCheckout(dev, third, third), schemas.FailIn{HandoffID: "ho_2", FailureDetail: because("no"), Then: schemas.ThenRollback})
	require.Equal(t, first, w.baseOf(3), "of the rollback")
	again := w.Updates(inCheckout(boss, third, ""), 2, schemas.ActRetry)
	require.Equal(t, first, w.baseOf(again.Created), "of the retry")
}

func TestBase_IsCommitOfFirstClaimIfSenderHadNoCheckout(t *testing.T) {
	w, boss, dev := newPair(t, "boss", "dev")
	w.Sends(boss, "dev", "Do it", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Review: "boss"} })
	require.Empty(t, w.baseOf(1))
	w.Claims(inCheckout(dev, second, left))
	w.Updates(dev, 1, schemas.ActRelease)
	w.Claims(inCheckout(dev, third, third))
	require.Equal(t, left, w.baseOf(1), "later claims do not change it")
	sent := w.Completes(inCheckout(dev, third, third), 1)
	require.Equal(t, left, w.baseOf(sent.Forwarded.HandoffID), "of the review")
	w.Updates(boss, 1, schemas.ActReturn, note("Not yet"))
	rework := w.FullView(1).Standing.Successor
	w.Claims(inCheckout(dev, third, third))
	require.Equal(t, left, w.baseOf(rework))

	w.Sends(boss, "dev", "Do more")
	w.Claims(inCheckout(dev, second, ""))
	require.Equal(t, second, w.baseOf(rework+1), "where git knows no branch into which it goes")
}

func TestBase_IsUnknownIfFirstClaimHadNoCheckout(t *testing.T) {
	w, boss, dev := newPair(t, "boss", "dev")
	w.Assigns(boss, dev, "Do it")
	require.Equal(t, schemas.UnknownBase, w.baseOf(1))
	w.Updates(dev, 1, schemas.ActRelease)
	w.Claims(inCheckout(dev, second, second))
	require.Equal(t, schemas.UnknownBase, w.baseOf(1), "the second claim may have the work of the first")
	w.Completes(inCheckout(dev, second, second), 1)
	rework := w.Updates(boss, 1, schemas.ActReturn, note("Not yet"))
	w.Claims(inCheckout(dev, second, second))
	require.Equal(t, schemas.UnknownBase, w.baseOf(rework.Created))
	w.Updates(boss, rework.Created, schemas.ActAmend, basedOn(first))
	require.Equal(t, first, w.baseOf(rework.Created))
}

func TestAmend_LetsSenderAndHumanChangeBaseAtAnyTime(t *testing.T) {
	w, boss, dev := newPair(t, "boss", "dev")
	w.Sends(inCheckout(boss, first, ""), "dev", "Do it")
	out := w.Updates(boss, 1, schemas.ActAmend, basedOn(second))
	require.Equal(t, []string{"expectations"}, out.Changed)
	w.Claims(inCheckout(dev, third, third))
	w.Updates(dev, 1, schemas.ActProgress)
	require.Equal(t, schemas.Working, w.Updates(person, 1, schemas.ActAmend, basedOn(third)).Status)
	w.Completes(inCheckout(dev, third, third), 1)
	require.Equal(t, schemas.Completed, w.Updates(boss, 1, schemas.ActAmend, basedOn(second)).Status)
	require.Equal(t, second, w.baseOf(1))
	history := mailboxtest.Must(t, w.History, boss, schemas.HistoryIn{HandoffID: "ho_1"})
	require.Contains(t, history.Tree, "human named another base for its checks")
	returned := w.Updates(boss, 1, schemas.ActReturn, note("Not yet"), basedOn(third))
	require.Equal(t, third, w.baseOf(returned.Created))
}

func TestAmend_RefusesBaseFromAgentThatDoesWork(t *testing.T) {
	w, boss, dev, qa := newTrio(t, "boss", "dev", "qa")
	w.Sends(inCheckout(dev, first, ""), "dev", "Do it myself")
	for range 2 { // pending, and held
		w.RefusesUpdate(dev, 1, schemas.ActAmend, schemas.Denied, "Ask its sender or human", basedOn(second))
		w.Claims(inCheckout(dev, second, second))
	}
	w.Completes(inCheckout(dev, second, second), 1)
	w.RefusesUpdate(dev, 1, schemas.ActReturn, schemas.Denied, "does the work of ho_1", note("Again"), basedOn(second))
	w.Sends(inCheckout(boss, first, ""), "dev", "Do it")
	w.RefusesUpdate(qa, 2, schemas.ActAmend, schemas.Denied, "only", basedOn(second))
	require.Equal(t, first, w.baseOf(2))
}

func TestAmend_RefusesShortCommitOrBranchAsBase(t *testing.T) {
	w, boss := newWorldWith(t, "boss")
	w.Sends(inCheckout(boss, first, ""), "dev", "Do it", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Base: second} })
	require.Equal(t, second, w.baseOf(1))
	for _, movable := range []string{"main", "v1", second[:12], strings.Repeat("x", 40)} {
		e := w.RefusesUpdate(boss, 1, schemas.ActAmend, schemas.Invalid, "git rev-parse", basedOn(movable))
		require.Equal(t, "changes.expectations.base", e.Field)
	}
	require.Equal(t, second, w.baseOf(1))
}
