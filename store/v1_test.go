package store_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/schemas"
	"handoff/store"
)

// The file of the first version is kept for ever: every later one opens it, reads all of it and goes on
// with it. It is written again only while that version is not yet released.
var writeV1 = flag.Bool("write-v1", false, "write testdata/v1.db")

const v1 = "testdata/v1.db"

func TestWriteV1(t *testing.T) {
	if !*writeV1 {
		t.Skip("it is kept as it is; -write-v1 writes it")
	}
	path := filepath.Join(t.TempDir(), "handoff.db")
	w := over(t, openBolt(t, path))
	w.furnish()
	w.sound()
	require.NoError(t, w.Close())
	compact(t, path, v1)
}

// compact copies a file without the space that it holds in reserve.
func compact(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.RemoveAll(to))
	source, err := bbolt.Open(from, 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(t, err)
	target, err := bbolt.Open(to, 0o644, &bbolt.Options{PageSize: 4096})
	require.NoError(t, err)
	require.NoError(t, bbolt.Compact(target, source, 0))
	require.NoError(t, target.Close())
	require.NoError(t, source.Close())
}

// furnish puts a handoff in each state into a store, with something of everything else.
func (w *world) furnish() {
	w.t.Helper()
	for i, status := range schemas.Statuses {
		w.update(func(tx *store.Tx) error {
			id, err := tx.NewID()
			if err != nil {
				return err
			}
			r := full(id)
			if err := keep(tx, nil, r, "send", `{"task":"of `+id.String()+`"}`); err != nil {
				return err
			}
			if err := tx.PutWords(id, store.ListWords(r.Title, "find it by these words")); err != nil {
				return err
			}
			if status == schemas.Pending {
				return nil
			}
			now := r.Clone()
			now.Status, now.Holder, now.Box, now.After, now.NeedsApproval = status, "auto-code", "", nil, false
			if status.Ended() {
				now.Wakes, now.Ended = 0, minute(50+i)
			}
			return keep(tx, r, &now, "step", `{"note":"it is `+string(status)+`"}`)
		})
	}
	w.update(func(tx *store.Tx) error {
		r := sent(11)
		if _, err := tx.NewID(); err != nil {
			return err
		}
		return keep(tx, nil, r, "send", "")
	})
	w.notify("architect", 3)
	w.update(func(tx *store.Tx) error {
		if err := tx.Read("architect", 2); err != nil {
			return err
		}
		if err := tx.PutAgent(store.Agent{Card: schemas.Card{Name: "auto-code", Registered: true, Skills: []string{"go"}}, Seen: minute(3), Claims: 1}); err != nil {
			return err
		}
		if err := tx.PutWorkflow("wf_login", store.Workflow{Owner: "architect"}); err != nil {
			return err
		}
		if err := tx.PutReceipt(store.ByKey("architect", "key"), store.Receipt{Digest: "abc", Result: []byte(`{"handoff_id":"ho_1"}`), At: minute(1)}); err != nil {
			return err
		}
		return tx.PutReceipt(store.ByRequest("0000019ca8f3e800"), store.Receipt{Result: []byte(`{"out":{}}`), At: minute(2)})
	})
}

// full has every field set.
func full(id schemas.ID) *store.Record {
	return &store.Record{
		ID: id, Workflow: "wf_login", From: "architect", To: "role:coder", Type: "implementation", Title: "Fix the login",
		Tags: []string{"go"}, Priority: schemas.High, Status: schemas.Pending, Outcome: schemas.Success, Box: "auto-code",
		Wakes: minute(600), Created: minute(int(id)), NotBefore: minute(1), Deadline: minute(600), Claimed: minute(2), Touched: minute(3),
		Lease: minute(20), Reserved: minute(10), Ended: minute(50), Parent: 1, RetryOf: 2, Successor: 3, Depth: 2, MaxDepth: 5,
		Holder: "auto-code", HolderID: "session-1", Conn: "conn-1", Via: schemas.ViaStdio, Token: "ct_2", Voided: []string{"ct_1"},
		Claims: 2, Attempt: 2, Uncharged: true, MaxAttempts: 3, Estimate: 30, Percent: 40, NeedsApproval: true, Permission: true,
		After: []schemas.ID{1}, Excluded: []schemas.Agent{"auto-test"}, Asker: "auto-doc", OnFailure: "architect", Promises: true,
		Body: 1, Result: 2, Note: 3, Ask: 4, Checkpoint: 5, Late: []uint64{6}, OriginID: "HO-77", Digest: "of what was sent", ResultDigest: "of the outcome",
	}
}

// copyOfV1 opens a copy of the file.
func copyOfV1(t *testing.T) *world {
	t.Helper()
	b, err := os.ReadFile(v1)
	require.NoError(t, err)
	require.Less(t, len(b), 200<<10)
	path := filepath.Join(t.TempDir(), "handoff.db")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return over(t, openBolt(t, path))
}

func TestV1IsSound(t *testing.T) {
	w := copyOfV1(t)
	w.sound()
	out := w.audit()
	require.Equal(t, uint64(20), out.Events)
	require.Equal(t, uint64(11), out.Handoffs)
	require.Equal(t, "QcMpcr5+P43cwoJmULtwjA/CrCtvz5iHCJ5AbvYigQ4=", out.Root)
}

func TestV1IsReadAsItWasWritten(t *testing.T) {
	w := copyOfV1(t)
	for i, status := range schemas.Statuses {
		id := schemas.ID(i + 1)
		want := full(id)
		want.Schema = 1
		if status != schemas.Pending {
			want.Status, want.Box, want.After, want.NeedsApproval = status, "", nil, false
		}
		if status.Ended() {
			want.Wakes, want.Ended = 0, minute(50+i)
		}
		want.Event = uint64(max(1, 2*i+1))
		require.Equal(t, want, w.record(id))
	}
	w.view(func(v *store.View) error {
		var h schemas.Handoff
		require.NoError(t, v.Saying(1, 1, &h))
		require.Equal(t, "of ho_1", h.Task)
		require.Equal(t, []schemas.ID{11}, collect(t, v.Queue("auto-code")))
		require.Equal(t, []schemas.ID{5}, collect(t, v.Oldest(store.InState(schemas.Completed), 0)))
		require.Equal(t, []schemas.NoticeID{3, 2, 1}, notices(t, v, "architect", 0))
		m, err := v.Mailbox("architect")
		require.NoError(t, err)
		require.Equal(t, store.Mailbox{Unread: 2}, m)
		m, err = v.Mailbox("auto-code")
		require.NoError(t, err)
		require.Equal(t, store.Mailbox{Pending: 1, Held: 3}, m)
		a, err := v.Agent("auto-code")
		require.NoError(t, err)
		require.Equal(t, &store.Agent{Card: schemas.Card{Name: "auto-code", Registered: true, Skills: []string{"go"}}, Seen: minute(3), Claims: 1}, a)
		wf, err := v.Workflow("wf_login")
		require.NoError(t, err)
		require.Equal(t, &store.Workflow{Owner: "architect"}, wf)
		r, err := v.Receipt(store.ByKey("architect", "key"))
		require.NoError(t, err)
		require.Equal(t, &store.Receipt{Digest: "abc", Result: []byte(`{"handoff_id":"ho_1"}`), At: minute(1)}, r)
		found, err := v.HasWords(4, []string{"login", "wor"})
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, schemas.ID(10), collect(t, v.Origins("HO-77"))[0])
		return nil
	})
}

func TestV1TakesFurtherChanges(t *testing.T) {
	w := copyOfV1(t)
	r := w.claim(w.record(11))
	w.complete(r)
	require.Equal(t, schemas.ID(12), w.send(1).ID)
	w.notify("architect", 1)
	w.update(func(tx *store.Tx) error { return tx.ExpireReceipts(minute(60).Time(), 9) })
	require.Len(t, w.dump(store.Receipts)[store.Receipts], 1)
	w.sound()
	require.Equal(t, uint64(23), w.audit().Events)
}
