package mailbox_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/memory"
	"handoff/store/storetest"
)

// world is one workspace with a clock that stands still until it is moved.
type world struct {
	*mailbox.Service
	t     testing.TB
	store *store.Store
	now   time.Time
	ids   int
}

// backends opens each kind of store. Every closure given to memory runs twice.
var backends = map[string]func(testing.TB) store.Backend{
	"memory": func(testing.TB) store.Backend { return storetest.Twice(memory.New()) },
	"bolt": func(t testing.TB) store.Backend {
		b, err := bolt.Open(context.Background(), bolt.Config{Path: filepath.Join(t.TempDir(), "handoff.db")})
		require.NoError(t, err)
		return b
	},
}

func newWorld(t testing.TB) *world { return newWorldOn(t, backends["memory"](t)) }

func newWorldOn(t testing.TB, b store.Backend) *world {
	w := &world{t: t, store: store.New(b), now: time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC)}
	w.Service = mailbox.New(mailbox.Config{
		Store: w.store,
		Now:   func() time.Time { return w.now },
		NewID: func(prefix string) string { w.ids++; return fmt.Sprintf("%s_%d", prefix, w.ids) },
	})
	t.Cleanup(func() {
		w.intact()
		require.NoError(t, w.store.Close())
	})
	return w
}

// intact checks every index, counter and byte of the store.
func (w *world) intact() {
	w.t.Helper()
	problems, err := w.store.Check(context.Background())
	require.NoError(w.t, err)
	require.Empty(w.t, problems)
	audit, err := w.store.Audit(context.Background())
	require.NoError(w.t, err)
	require.Empty(w.t, audit.Problems)
}

// later moves the clock.
func (w *world) later(d time.Duration) { w.now = w.now.Add(d) }

// stdio is an agent on a connection of its own, which is open.
func (w *world) stdio(name schemas.Agent) schemas.Caller {
	by := schemas.Caller{Agent: name, AgentID: string(name) + "-1", Via: schemas.ViaStdio, Conn: "conn-" + string(name)}
	_, err := w.Attach(context.Background(), by, schemas.ConnIn{Conn: by.Conn})
	require.NoError(w.t, err)
	return by
}

var person = schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI}

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
	require.Contains(t, e.Message+" "+e.Hint, want)
	return e
}

func note(text string) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Note = text }
}

// newConcurrentWorld is one whose clock stands still and whose ids many may ask for at once.
func newConcurrentWorld(t testing.TB, b store.Backend) *world {
	w := newWorldOn(t, b)
	var ids atomic.Int64
	w.Service = mailbox.New(mailbox.Config{
		Store: w.store,
		Now:   func() time.Time { return w.now },
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, ids.Add(1)) },
	})
	return w
}
