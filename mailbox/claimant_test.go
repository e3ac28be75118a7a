package mailbox_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// remote is an instance of an agent without a connection that shows when it leaves.
func remote(name schemas.Agent, instance string) schemas.Caller {
	return schemas.Caller{Agent: name, AgentID: instance, Via: schemas.ViaHTTP}
}

// elsewhere is another session under the same name.
func (w *world) elsewhere(by schemas.Caller, conn string) schemas.Caller {
	w.t.Helper()
	by.AgentID, by.Conn = conn, conn
	mailboxtest.Must(w.t, w.Attach, by, schemas.ConnIn{Conn: conn})
	return by
}

func (w *world) detach(by schemas.Caller) schemas.ConnOut {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.Detach, by, schemas.ConnIn{Conn: by.Conn})
	return out
}

// accepts registers agents that take one kind of work.
func (w *world) accepts(kind string, who ...schemas.Caller) {
	w.t.Helper()
	for _, by := range who {
		mailboxtest.Must(w.t, w.Register, by, schemas.RegisterIn{Name: string(by.Agent), Accepts: []string{kind}})
	}
}

func (w *world) claimID(by schemas.Caller, id schemas.ID) schemas.ClaimOut {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.Claim, by, schemas.ClaimIn{HandoffID: id.String()})
	return out
}

// kinds of the notices of an agent about one handoff, newest first.
func (w *world) kinds(by schemas.Caller, about schemas.ID) (kinds []string) {
	w.t.Helper()
	for _, n := range w.Notices(by) {
		if n.HandoffID == about {
			kinds = append(kinds, n.Kind)
		}
	}
	return kinds
}

// interrupted is a backend after whose next Update something happens.
type interrupted struct {
	store.Backend
	then func()
}

func (b *interrupted) Update(ctx context.Context, fn func(store.Writer) error) error {
	err := b.Backend.Update(ctx, fn)
	if then := b.then; then != nil {
		b.then = nil
		then()
	}
	return err
}

// damage spoils the record of a handoff on disk until the test ends.
func damage(t testing.TB, b store.Backend, id schemas.ID) {
	spoil(t, b, store.Records, binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// damageSaid spoils what was said with an event of a handoff until the test ends.
func damageSaid(t testing.TB, b store.Backend, id schemas.ID, event uint64) {
	key := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(id)), event)
	spoil(t, b, store.Bodies, append(key, 0, 0))
}

func spoil(t testing.TB, b store.Backend, space store.Space, key []byte) {
	var was []byte
	write := func(row []byte) {
		require.NoError(t, b.Update(context.Background(), func(w store.Writer) error {
			v, err := w.Get(space, key)
			was = append([]byte{}, v...)
			if err != nil {
				return err
			}
			return w.Put(space, key, row)
		}))
	}
	write([]byte("{"))
	whole := was
	t.Cleanup(func() { write(whole) })
}

// Without a connection only the instance proves who claimed; where instances cannot be told apart, nothing does.
func TestWithoutAConnectionTheInstanceIsTheClaimant(t *testing.T) {
	w := newWorld(t)
	a, here, there, nobody := w.Stdio("a"), remote("b", "session:1"), remote("b", "session:2"), remote("b", "")
	w.Sends(a, "b", "x")
	w.Sends(a, "b", "y")
	w.claimID(here, 1)
	w.claimID(nobody, 2)
	for _, by := range []schemas.Caller{there, nobody} {
		mailboxtest.Refuses(t, w.Claim, by, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "ho_1 is accepted")
		_, err := w.Complete(context.Background(), by, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}})
		refused(t, err, schemas.Invalid, "claim_token is needed")
	}
	mailboxtest.Refuses(t, w.Claim, nobody, schemas.ClaimIn{HandoffID: "2"}, schemas.Conflict, "ho_2 is accepted")
	_, err := w.Complete(context.Background(), nobody, schemas.CompleteIn{HandoffID: "2", Result: schemas.Result{Summary: "s"}})
	refused(t, err, schemas.Invalid, "nothing proves the claim: a may release it")
	w.claimID(here, 1)
	w.Completes(here, 1)
	require.Equal(t, schemas.Completed, w.Status(1))
}

// A client that acts under the name of a person at the keyboard gets no advice that does not work.
func TestAClientIsNotSentToClaimWhatAPersonHolds(t *testing.T) {
	w, client := newWorldWith(t, "b")
	w.Sends(w.Stdio("a"), "b", "x")
	w.claimID(schemas.Caller{Agent: "b", Via: schemas.ViaCLI}, 1)
	_, err := w.Complete(context.Background(), client, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}})
	require.Empty(t, refused(t, err, schemas.Invalid, "nothing proves the claim: a may release it").Next)
	mailboxtest.Refuses(t, w.Claim, client, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "ho_1 is accepted")
}
