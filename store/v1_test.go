package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/storetest"
)

// The file of the first version is kept for ever: every later version opens it, reads all of it and continues it. It
// has a handoff in each state, and at least one row of every kind.
const v1 = "testdata/v1.db"

// newFullRecord returns a record with every field set.
func newFullRecord(id schemas.ID) *store.Record {
	return &store.Record{
		ID: id, Workflow: "wf_login", From: "architect", To: "role:coder", Type: "implementation", Title: "Fix the login",
		Tags: []string{"go"}, Priority: schemas.High, Status: schemas.Pending, Outcome: schemas.Success, Box: "auto-code",
		Wakes: storetest.MinutesAfterNoon(600), Created: storetest.MinutesAfterNoon(int(id)), NotBefore: storetest.MinutesAfterNoon(1), Deadline: storetest.MinutesAfterNoon(600), Claimed: storetest.MinutesAfterNoon(2), Touched: storetest.MinutesAfterNoon(3),
		Lease: storetest.MinutesAfterNoon(20), Reserved: storetest.MinutesAfterNoon(10), Ended: storetest.MinutesAfterNoon(50), Parent: 1, RetryOf: 2, Successor: 3, Depth: 2, MaxDepth: 5,
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
	return newWorldOver(t, storetest.OpenBolt(t, path))
}

func TestVersion1Store_PassesAllChecks(t *testing.T) {
	w := copyOfV1(t)
	out := w.RequireSound()
	require.Equal(t, uint64(20), out.Events)
	require.Equal(t, uint64(11), out.Handoffs)
	require.Equal(t, "QcMpcr5+P43cwoJmULtwjA/CrCtvz5iHCJ5AbvYigQ4=", out.Root)
}

func TestVersion1Store_IsReadAsWritten(t *testing.T) {
	w := copyOfV1(t)
	for i, status := range schemas.Statuses {
		id := schemas.ID(i + 1)
		want := newFullRecord(id)
		want.Schema = 1
		if status != schemas.Pending {
			want.Status, want.Box, want.After, want.NeedsApproval = status, "", nil, false
		}
		if status.HasEnded() {
			want.Wakes, want.Ended = 0, storetest.MinutesAfterNoon(50+i)
		}
		want.Event = uint64(max(1, 2*i+1))
		require.Equal(t, want, w.readRecord(id))
	}
	w.Read(func(v *store.View) error {
		var h schemas.Handoff
		require.NoError(t, v.DecodeContent(1, 1, &h))
		require.Equal(t, "of ho_1", h.Task)
		require.Equal(t, []schemas.ID{11}, collect(t, v.ClaimableHandoffs("auto-code")))
		require.Equal(t, []schemas.ID{5}, collect(t, v.OldestFirst(store.IndexByState(schemas.Completed), 0)))
		require.Equal(t, []schemas.NoticeID{3, 2, 1}, noticeIDs(t, v, "architect", 0))
		m, err := v.Counters("architect")
		require.NoError(t, err)
		require.Equal(t, store.Counters{Unread: 2}, m)
		m, err = v.Counters("auto-code")
		require.NoError(t, err)
		require.Equal(t, store.Counters{Pending: 1, Held: 3}, m)
		a, err := v.Agent("auto-code")
		require.NoError(t, err)
		require.Equal(t, &store.Agent{Card: schemas.Card{Name: "auto-code", Registered: true, Skills: []string{"go"}}, Seen: storetest.MinutesAfterNoon(3), Claims: 1}, a)
		wf, err := v.Workflow("wf_login")
		require.NoError(t, err)
		require.Equal(t, &store.Workflow{Owner: "architect"}, wf)
		r, err := v.Receipt(store.KeyReceiptKey("architect", "key"))
		require.NoError(t, err)
		require.Equal(t, &store.Receipt{Digest: "abc", Result: []byte(`{"handoff_id":"ho_1"}`), At: storetest.MinutesAfterNoon(1)}, r)
		found, err := v.HasWords(4, []string{"login", "wor"})
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, schemas.ID(10), collect(t, v.HandoffsWithOrigin("HO-77"))[0])
		return nil
	})
}

func TestVersion1Store_AcceptsChanges(t *testing.T) {
	w := copyOfV1(t)
	r := w.Claim(w.readRecord(11))
	w.Complete(r)
	require.Equal(t, schemas.ID(12), w.Send(1).ID)
	w.Notify("architect", 1)
	w.Write(func(tx *store.Tx) error { return tx.DeleteOldReceipts(storetest.MinutesAfterNoon(60).Time(), 9) })
	require.Len(t, w.CopyRows(store.Receipts)[store.Receipts], 1)
	require.Equal(t, uint64(23), w.RequireSound().Events)
}
