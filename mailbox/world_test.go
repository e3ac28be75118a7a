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

// later moves the clock.
func (w *world) later(d time.Duration) { w.Pass(d) }

// rested lets the time pass for which work rests after its first attempt.
func (w *world) rested() { w.later(10 * time.Second) }

// stdio is an agent on a connection of its own, which is open.
func (w *world) stdio(name schemas.Agent) schemas.Caller {
	by := schemas.Caller{Agent: name, AgentID: string(name) + "-1", Via: schemas.ViaStdio, Conn: "conn-" + string(name)}
	_, err := w.Attach(context.Background(), by, schemas.ConnIn{Conn: by.Conn})
	require.NoError(w.t, err)
	return by
}

var person = schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}

func (w *world) send(by schemas.Caller, to, task string, more ...func(*schemas.SendIn)) schemas.SendOut {
	w.t.Helper()
	in := schemas.SendIn{To: to, Task: task}
	for _, m := range more {
		m(&in)
	}
	out, err := w.Send(context.Background(), by, in)
	require.NoError(w.t, err)
	return out
}

func (w *world) claim(by schemas.Caller) schemas.ClaimOut {
	w.t.Helper()
	out, err := w.Claim(context.Background(), by, schemas.ClaimIn{})
	require.NoError(w.t, err)
	return out
}

func (w *world) complete(by schemas.Caller, id schemas.ID, more ...func(*schemas.CompleteIn)) schemas.CompleteOut {
	w.t.Helper()
	in := schemas.CompleteIn{HandoffID: id.String(), Result: schemas.Result{Summary: "done"}}
	for _, m := range more {
		m(&in)
	}
	out, err := w.Complete(context.Background(), by, in)
	require.NoError(w.t, err)
	return out
}

func (w *world) fail(by schemas.Caller, in schemas.FailIn) schemas.FailOut {
	w.t.Helper()
	out, err := w.Fail(context.Background(), by, in)
	require.NoError(w.t, err)
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

func (w *world) full(id schemas.ID) schemas.GetOut {
	w.t.Helper()
	out, err := w.Get(context.Background(), person, schemas.GetIn{HandoffID: id.String(), View: "full"})
	require.NoError(w.t, err)
	return out
}

func (w *world) status(id schemas.ID) schemas.Status { w.t.Helper(); return w.full(id).Status }

func (w *world) notices(by schemas.Caller) []schemas.Item {
	w.t.Helper()
	out, err := w.List(context.Background(), by, schemas.ListIn{Box: "notices"})
	require.NoError(w.t, err)
	return out.Items
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
