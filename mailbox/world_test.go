package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// world is a workspace and what its agents do in it.
type world struct {
	*mailboxtest.World
	t testing.TB
}

// backends opens each kind of store.
var backends = map[string]func(testing.TB) store.Backend{"memory": mailboxtest.Memory, "bolt": mailboxtest.File}

func newWorld(t testing.TB, changes ...func(*mailbox.Config)) *world {
	return &world{mailboxtest.New(t, changes...), t}
}

func newWorldOn(t testing.TB, b store.Backend) *world { return newWorld(t, mailboxtest.On(b)) }

// onEach runs a test in a workspace on each kind of store.
func onEach(t *testing.T, test func(*testing.T, *world)) {
	for name, open := range backends {
		t.Run(name, func(t *testing.T) { test(t, newWorldOn(t, open(t))) })
	}
}

// newWorldWith opens a workspace with an agent on a connection of its own.
func newWorldWith(t testing.TB, name schemas.Agent) (w *world, by schemas.Caller) {
	w = newWorld(t)
	return w, w.stdio(name)
}

// newPair opens a workspace with two agents, each on a connection of its own.
func newPair(t testing.TB, a, b schemas.Agent) (w *world, first, second schemas.Caller) {
	w = newWorld(t)
	return w, w.stdio(a), w.stdio(b)
}

// newTrio is newPair with three agents.
func newTrio(t testing.TB, a, b, c schemas.Agent) (w *world, first, second, third schemas.Caller) {
	w = newWorld(t)
	return w, w.stdio(a), w.stdio(b), w.stdio(c)
}

// later moves the clock.
func (w *world) later(d time.Duration) { w.Pass(d) }

// rested lets the time pass for which work rests after its first attempt.
func (w *world) rested() { w.later(10 * time.Second) }

// stdio is an agent on a connection of its own, which is open.
func (w *world) stdio(name schemas.Agent) schemas.Caller {
	by := schemas.Caller{Agent: name, AgentID: string(name) + "-1", Via: schemas.ViaStdio, Conn: "conn-" + string(name)}
	must(w.t, w.Attach, by, schemas.ConnIn{Conn: by.Conn})
	return by
}

var person = schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}

func (w *world) send(by schemas.Caller, to, task string, more ...func(*schemas.SendIn)) schemas.SendOut {
	w.t.Helper()
	in := schemas.SendIn{To: to, Task: task}
	for _, m := range more {
		m(&in)
	}
	out := must(w.t, w.Send, by, in)
	return out
}

func (w *world) claim(by schemas.Caller) schemas.ClaimOut {
	w.t.Helper()
	out := must(w.t, w.Claim, by, schemas.ClaimIn{})
	return out
}

// assign sends work to another, who claims the next.
func (w *world) assign(by, to schemas.Caller, task string, more ...func(*schemas.SendIn)) schemas.ClaimOut {
	w.t.Helper()
	w.send(by, string(to.Agent), task, more...)
	return w.claim(to)
}

func (w *world) complete(by schemas.Caller, id schemas.ID, more ...func(*schemas.CompleteIn)) schemas.CompleteOut {
	w.t.Helper()
	in := schemas.CompleteIn{HandoffID: id.String(), Result: schemas.Result{Summary: "done"}}
	for _, m := range more {
		m(&in)
	}
	out := must(w.t, w.Complete, by, in)
	return out
}

func (w *world) fail(by schemas.Caller, in schemas.FailIn) schemas.FailOut {
	w.t.Helper()
	out := must(w.t, w.Fail, by, in)
	return out
}

// because is a failure of which only the description is given.
func because(description string) schemas.FailureDetail {
	return schemas.FailureDetail{Description: description}
}

func (w *world) update(by schemas.Caller, id schemas.ID, a schemas.Action, more ...func(*schemas.UpdateIn)) schemas.UpdateOut {
	w.t.Helper()
	out, err := w.tryUpdate(by, id, a, more...)
	require.NoError(w.t, err)
	return out
}

func (w *world) tryUpdate(by schemas.Caller, id schemas.ID, a schemas.Action, more ...func(*schemas.UpdateIn)) (schemas.UpdateOut, error) {
	in := schemas.UpdateIn{HandoffID: id.String(), Action: a}
	for _, m := range more {
		m(&in)
	}
	return w.Update(context.Background(), by, in)
}

// refuses makes a step that is refused with a code, and with an error that speaks of want.
func (w *world) refuses(
	by schemas.Caller, id schemas.ID, a schemas.Action, code schemas.Code, want string, more ...func(*schemas.UpdateIn),
) *schemas.Error {
	w.t.Helper()
	_, err := w.tryUpdate(by, id, a, more...)
	return refused(w.t, err, code, want)
}

func (w *world) full(id schemas.ID) schemas.GetOut {
	w.t.Helper()
	out := must(w.t, w.Get, person, schemas.GetIn{HandoffID: id.String(), View: "full"})
	return out
}

func (w *world) status(id schemas.ID) schemas.Status { w.t.Helper(); return w.full(id).Status }

func (w *world) notices(by schemas.Caller) []schemas.Item {
	w.t.Helper()
	out := must(w.t, w.List, by, schemas.ListIn{Box: "notices"})
	return out.Items
}

// must makes a call of the service that is not refused.
func must[In, Out any](
	t testing.TB, call func(context.Context, schemas.Caller, In) (Out, error), by schemas.Caller, in In,
) Out {
	t.Helper()
	out, err := call(context.Background(), by, in)
	require.NoError(t, err)
	return out
}

// refuses makes a call of the service that is refused with a code, and with an error that speaks of want.
func refuses[In, Out any](
	t testing.TB, call func(context.Context, schemas.Caller, In) (Out, error), by schemas.Caller, in In,
	code schemas.Code, want string,
) *schemas.Error {
	t.Helper()
	_, err := call(context.Background(), by, in)
	return refused(t, err, code, want)
}

// refused checks that err has a code and speaks of want.
func refused(t testing.TB, err error, code schemas.Code, want string) *schemas.Error {
	t.Helper()
	require.Error(t, err)
	e := schemas.AsError(err)
	require.Equal(t, code, e.Code, "%v", e)
	require.Contains(t, e.Message+" "+e.Hint+" "+schemas.Sentences(e.Next), want)
	return e
}

func note(text string) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Note = text }
}
