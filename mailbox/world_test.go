package mailbox_test

import (
	"os"
	"testing"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// world is a workspace with helpers for the tests of this package.
type world struct {
	*mailboxtest.World
	t testing.TB
}

var person = mailboxtest.Human

var (
	because, note, refused = mailboxtest.FailureBecause, mailboxtest.WithNote, mailboxtest.RequireError
	step, inOrder          = mailboxtest.PlanStep, mailboxtest.StepsInOrder
	remote                 = mailboxtest.RemoteCaller
)

func newWorld(t testing.TB, changes ...func(*mailbox.Config)) *world {
	return &world{mailboxtest.New(t, changes...), t}
}

func newWorldOn(t testing.TB, b store.Backend) *world { return newWorld(t, mailboxtest.InBackend(b)) }

// onEach runs a test in a workspace on each kind of store.
func onEach(t *testing.T, test func(*testing.T, *world)) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) { test(t, &world{w, t}) })
}

func newWorldWith(t testing.TB, name schemas.Agent) (*world, schemas.Caller) {
	w, by := mailboxtest.NewWithAgent(t, name)
	return &world{w, t}, by
}

func newPair(t testing.TB, a, b schemas.Agent) (_ *world, first, second schemas.Caller) {
	w, first, second := mailboxtest.NewWithTwoAgents(t, a, b)
	return &world{w, t}, first, second
}

func newTrio(t testing.TB, a, b, c schemas.Agent) (_ *world, first, second, third schemas.Caller) {
	w, first, second, third := mailboxtest.NewWithThreeAgents(t, a, b, c)
	return &world{w, t}, first, second, third
}
