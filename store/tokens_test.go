package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/storetest"
)

// newToken returns a token that acts as the agent of the same name.
func newToken(name string) store.Token {
	return store.Token{
		Token: schemas.Token{Name: name, Agents: []schemas.Agent{schemas.Agent(name)}, Scope: schemas.ScopeAgent, Created: storetest.Noon()},
		Hash:  strings.Repeat(name, 64/len(name)),
	}
}

func tokenNames(t *testing.T, v *store.View) (names []string) {
	t.Helper()
	for token, err := range v.Tokens() {
		require.NoError(t, err)
		names = append(names, token.Name)
	}
	return names
}

func TestToken_IsFoundByNameAndHash(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		ended := newToken("ab")
		ended.Expires, ended.Revoked, ended.Rate, ended.Pending = storetest.MinutesAfterNoon(9).Ptr(), storetest.MinutesAfterNoon(5).Ptr(), 0.5, 7
		w.Write(func(tx *store.Tx) error {
			for _, put := range []store.Token{newToken("b"), newToken("a"), ended} {
				if err := tx.PutToken(put); err != nil {
					return err
				}
			}
			return nil
		})
		w.Read(func(v *store.View) error {
			require.Equal(t, []string{"a", "ab", "b"}, tokenNames(t, v))
			for _, find := range []func() (*store.Token, error){
				func() (*store.Token, error) { return v.Token("ab") },
				func() (*store.Token, error) { return v.TokenByHash(ended.Hash) },
			} {
				found, err := find()
				require.NoError(t, err)
				require.Equal(t, &ended, found)
			}
			for _, hash := range []string{"", "a", ended.Hash[:63], ended.Hash + "a"} {
				none, err := v.TokenByHash(hash)
				require.NoError(t, err)
				require.Nil(t, none, hash)
			}
			none, err := v.Token("abc")
			require.Nil(t, none)
			return err
		})
		w.RequireSound()
	})
}

// A hash that leads to a token with another hash proves nothing: it gives no access.
func TestTokenByHash_ReportsHashOfOtherToken(t *testing.T) {
	w := newMemoryWorld(t)
	w.Write(func(tx *store.Tx) error { return tx.PutToken(newToken("a")) })
	w.WriteRows(func(rows store.Writer) error { return rows.Put(store.Tokens, []byte("hstolen"), []byte("a")) })
	err := w.View(context.Background(), func(v *store.View) error {
		found, err := v.TokenByHash("stolen")
		require.Nil(t, found)
		return err
	})
	require.ErrorIs(t, err, store.ErrCorrupt)
}

func TestPendingSentWithToken_CountsPendingRecords(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		count := func() (n int) {
			w.Read(func(v *store.View) (err error) {
				n, err = v.PendingSentWithToken("ci")
				return err
			})
			return n
		}
		blocked := storetest.NewSentRecord(1)
		blocked.SentWith, blocked.NeedsApproval = "ci", true
		blocked = w.Change(nil, blocked, "send", "")
		delayed := storetest.NewSentRecord(2)
		delayed.SentWith, delayed.Box, delayed.NotBefore = "ci", "", storetest.MinutesAfterNoon(60)
		w.Change(nil, delayed, "send", "")
		other := storetest.NewSentRecord(3)
		other.SentWith = "ci-2"
		w.Change(nil, other, "send", "")
		require.Equal(t, 2, count())
		require.Equal(t, "ci", w.readRecord(1).SentWith)

		ready := blocked.Clone()
		ready.NeedsApproval = false
		claimed := w.Claim(w.Change(blocked, &ready, "approve", ""))
		require.Equal(t, 1, count())
		released := claimed.Clone()
		released.Status, released.Box, released.Lease, released.Wakes = schemas.Pending, "auto-code", 0, 0
		back := w.Change(claimed, &released, "release", "")
		require.Equal(t, 2, count())
		w.Complete(w.Claim(back))
		require.Equal(t, 1, count())
		w.RequireSound()
	})
}

// A file of a version without tokens gets their space when it is opened.
func TestPutToken_WorksInFileOfOlderVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "handoff.db")
	w := newWorldOver(t, storetest.OpenBolt(t, path))
	w.Send(2)
	require.NoError(t, w.Close())
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("tokens")) }))
	require.NoError(t, db.Close())

	w = newWorldOver(t, storetest.OpenBolt(t, path))
	require.Equal(t, schemas.ID(3), w.Send(1).ID)
	w.Write(func(tx *store.Tx) error { return tx.PutToken(newToken("a")) })
	w.RequireSound()
}
