package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/storetest"
)

func TestNotices_AreYieldedNewestFirst(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		w.Notify("a", 3)
		w.Notify("ab", 2)
		w.Notify("a", 1)
		w.Write(func(tx *store.Tx) error { return tx.MarkNoticesRead("a", 2, 2, 5, 99, 6) }) // 5 belongs to another agent
		w.Read(func(v *store.View) error {
			require.Equal(t, []schemas.NoticeID{6, 3, 2, 1}, noticeIDs(t, v, "a", 0))
			require.Equal(t, []schemas.NoticeID{2, 1}, noticeIDs(t, v, "a", 3))
			require.Empty(t, noticeIDs(t, v, "nobody", 0))
			for id, want := range map[schemas.NoticeID]bool{1: true, 2: false, 3: true, 5: false, 6: false} {
				unread, err := v.IsNoticeUnread("a", id)
				require.NoError(t, err)
				require.Equal(t, want, unread, id)
			}
			for box, unread := range map[schemas.Address]int{"a": 2, "ab": 2, "nobody": 0} {
				m, err := v.Counters(box)
				require.NoError(t, err)
				require.Equal(t, store.Counters{Unread: unread}, m)
			}
			return nil
		})
		w.RequireSound()

		w.Write(func(tx *store.Tx) error { return tx.MarkNoticesRead("a", 1, 3) })
		require.Len(t, w.CopyRows(store.Mailboxes)[store.Mailboxes], 1, "a mailbox with nothing in it has no row")
		w.RequireSound()
	})
}

func noticeIDs(t *testing.T, v *store.View, a schemas.Agent, before schemas.NoticeID) (ids []schemas.NoticeID) {
	for n, err := range v.Notices(a, before) {
		require.NoError(t, err)
		require.Equal(t, a, n.To)
		ids = append(ids, n.ID)
	}
	return ids
}

func TestReceipt_IsFoundByKey(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		keys := []store.ReceiptKey{
			store.KeyReceiptKey("a", "b"), store.KeyReceiptKey("ab", ""), store.KeyReceiptKey("a", ""), store.KeyReceiptKey("", "ab"), store.RequestReceiptKey("a\x00b"), store.RequestReceiptKey(""),
		}
		receipt := func(i int) store.Receipt {
			return store.Receipt{Digest: fmt.Sprint(i), Result: fmt.Appendf(nil, `{"n":%d, "x":"\u0000"}`, i), At: storetest.MinutesAfterNoon(i)}
		}
		w.Write(func(tx *store.Tx) error {
			for i, k := range keys {
				if err := tx.PutReceipt(k, receipt(i)); err != nil {
					return err
				}
			}
			return tx.PutReceipt(store.KeyReceiptKey("empty", ""), store.Receipt{})
		})
		w.Read(func(v *store.View) error {
			for i, k := range keys {
				r, err := v.Receipt(k)
				require.NoError(t, err)
				require.Equal(t, receipt(i), *r)
			}
			r, err := v.Receipt(store.KeyReceiptKey("empty", ""))
			require.NoError(t, err)
			require.Empty(t, r.Result)
			require.Zero(t, r.At)
			r, err = v.Receipt(store.KeyReceiptKey("a", "c"))
			require.Nil(t, r)
			return err
		})
	})
}

// deleteOldReceipts deletes old receipts and returns the keys of the receipts that are left.
func (w *world) deleteOldReceipts(before time.Time, limit int) (left []string) {
	w.T.Helper()
	w.Write(func(tx *store.Tx) error { return tx.DeleteOldReceipts(before, limit) })
	for _, row := range w.CopyRows(store.Receipts)[store.Receipts] {
		left = append(left, string(row.Key))
	}
	return left
}

func (w *world) putReceipt(k store.ReceiptKey, at store.Time) {
	w.T.Helper()
	w.Write(func(tx *store.Tx) error { return tx.PutReceipt(k, store.Receipt{At: at}) })
}

func TestDeleteOldReceipts_KeepsYoungReceipts(t *testing.T) {
	w := newMemoryWorld(t)
	for i := range 5 {
		w.putReceipt(store.RequestReceiptKey(fmt.Sprintf("%016x", i)), storetest.MinutesAfterNoon(i))
	}
	w.putReceipt(store.KeyReceiptKey("a", "key"), storetest.MinutesAfterNoon(0)) // as long as the store
	require.Len(t, w.deleteOldReceipts(storetest.MinutesAfterNoon(0).Time(), 9), 6, "none is from before the first")
	require.Len(t, w.deleteOldReceipts(storetest.MinutesAfterNoon(9).Time(), 0), 6)
	require.Equal(t, []string{"ka\x00key", "r0000000000000001", "r0000000000000002", "r0000000000000003", "r0000000000000004"}, w.deleteOldReceipts(storetest.MinutesAfterNoon(4).Time(), 1))
	require.Equal(t, []string{"ka\x00key", "r0000000000000004"}, w.deleteOldReceipts(storetest.MinutesAfterNoon(4).Time(), 9))
	require.Equal(t, []string{"ka\x00key"}, w.deleteOldReceipts(storetest.MinutesAfterNoon(5).Time(), 9))
}

// Eight ids that do not begin with their time protect later ids until they are old themselves, and no receipt is deleted
// too early.
func TestDeleteOldReceipts_StopsBehindEightIDsWithoutTime(t *testing.T) {
	w := newMemoryWorld(t)
	put := func(odd int) {
		for i := range odd {
			w.putReceipt(store.RequestReceiptKey(fmt.Sprint("00 odd ", i)), storetest.MinutesAfterNoon(100))
		}
		w.putReceipt(store.RequestReceiptKey("0000000000000001"), storetest.MinutesAfterNoon(1))
	}
	put(8)
	require.Len(t, w.deleteOldReceipts(storetest.MinutesAfterNoon(50).Time(), 9), 9)
	require.Empty(t, w.deleteOldReceipts(storetest.MinutesAfterNoon(101).Time(), 9))
	put(7)
	require.Len(t, w.deleteOldReceipts(storetest.MinutesAfterNoon(50).Time(), 9), 7)
}

func TestHasWords_FindsWordsByPrefix(t *testing.T) {
	w := newMemoryWorld(t)
	w.Write(func(tx *store.Tx) error {
		return tx.PutWords(1, store.ListWords("Fix the LOGIN of größe-42", "ΑΒΓ naïve cafe\u0301s हिन्दी 日本語", "x\x00y"))
	})
	for query, found := range map[string]bool{
		"":              true,
		"login":         true,
		"LOG":           true,
		"ogin":          false,
		"fix login":     true,
		"fix logout":    false,
		"GRÖSSE":        false, // no folding beyond lower case
		"GRÖ 4":         true,
		"größe-42":      true,
		"αβ":            true,
		"naï":           true,
		"nai":           false,
		"cafe":          true,
		"cafe\u0301":    true,
		"हि":            true,
		"日":             true,
		"本":             false,
		"y":             true,
		"-- !":          true, // nothing is asked for
		"login\x00":     true, // as login
		"\xff fix":      true,
		"the of fix 42": true,
	} {
		w.Read(func(v *store.View) error {
			has, err := v.HasWords(1, store.SplitWords(query))
			require.Equal(t, found, has, "%q", query)
			return err
		})
	}
	w.Read(func(v *store.View) error {
		has, err := v.HasWords(2, []string{"fix"})
		require.False(t, has, "it has no words")
		return err
	})
}

func TestSplitWords_ReturnsLowerCaseWords(t *testing.T) {
	require.Equal(t, []string{"go", "1", "26", "is", "out"}, store.SplitWords("Go 1.26 is out; go!"))
	require.Empty(t, store.SplitWords(" \t--"))
}

// Of a long text the first words are kept, so a title is always found.
func TestListWords_KeepsFirst1000Words(t *testing.T) {
	w := newMemoryWorld(t)
	var long strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&long, "word%04d ", i)
	}
	w.Write(func(tx *store.Tx) error { return tx.PutWords(1, store.ListWords("zebra Zebra", long.String())) })
	row := w.CopyRows(store.Words)[store.Words][0].Value
	require.Equal(t, 1001, strings.Count(string(row), "\x00"))
	w.Read(func(v *store.View) error {
		for word, found := range map[string]bool{"zebra": true, "word0000": true, "word0998": true, "word0999": false} {
			has, err := v.HasWords(1, []string{word})
			require.NoError(t, err)
			require.Equal(t, found, has, word)
		}
		return nil
	})
}

func TestAgentAndWorkflow_AreReadAsWritten(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		for _, name := range []schemas.Agent{"b", "a", "ab"} {
			w.Write(func(tx *store.Tx) error {
				if err := tx.PutWorkflow(schemas.Workflow("wf_"+name), store.Workflow{Owner: name}); err != nil {
					return err
				}
				return tx.PutAgent(store.Agent{Card: schemas.Card{Name: name, Skills: []string{"go"}}, Seen: storetest.MinutesAfterNoon(1), Claims: 2})
			})
		}
		w.Read(func(v *store.View) error {
			var names []schemas.Agent
			for a, err := range v.Agents() {
				require.NoError(t, err)
				names = append(names, a.Card.Name)
			}
			require.Equal(t, []schemas.Agent{"a", "ab", "b"}, names)
			names = nil
			for a, err := range v.AgentsWithPrefix("ab") {
				require.NoError(t, err)
				names = append(names, a.Card.Name)
			}
			require.Equal(t, []schemas.Agent{"ab"}, names)
			a, err := v.Agent("ab")
			require.NoError(t, err)
			require.Equal(t, &store.Agent{Card: schemas.Card{Name: "ab", Skills: []string{"go"}}, Seen: storetest.MinutesAfterNoon(1), Claims: 2}, a)
			wf, err := v.Workflow("wf_ab")
			require.NoError(t, err)
			require.Equal(t, &store.Workflow{Owner: "ab"}, wf)
			a, err = v.Agent("nobody")
			require.NoError(t, err)
			require.Nil(t, a)
			wf, err = v.Workflow("wf_")
			require.Nil(t, wf)
			return err
		})
	})
}

func TestSentHandoffs_AreYieldedNewestFirst(t *testing.T) {
	w := newMemoryWorld(t)
	w.Send(3)
	w.Read(func(v *store.View) error {
		var all []store.SentHandoff
		for s, err := range v.SentHandoffs("architect") {
			require.NoError(t, err)
			all = append(all, s)
		}
		require.Equal(t, []store.SentHandoff{
			{ID: 3, At: storetest.MinutesAfterNoon(3), Digest: "of what was sent"},
			{ID: 2, At: storetest.MinutesAfterNoon(2), Digest: "of what was sent"},
			{ID: 1, At: storetest.MinutesAfterNoon(1), Digest: "of what was sent"},
		}, all)
		return nil
	})
}

// A row that an older program wrote does not name the handoff of the notice.
func TestUnreadNoticesAbout_FindsNoticesOfHandoff(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		w.Write(func(tx *store.Tx) error {
			for i, kind := range []string{"outcome", "message", "question", "outcome"} {
				_, err := tx.AddNotice(schemas.Notice{To: "a", From: "architect", Kind: kind, About: 7 + schemas.ID(i/3), At: storetest.Noon()})
				require.NoError(t, err)
			}
			return nil
		})
		about := func(want ...schemas.NoticeID) {
			w.Read(func(v *store.View) error {
				told, err := v.UnreadNoticesAbout("a", 7, 10)
				require.Equal(t, want, told)
				return err
			})
		}
		about(3, 1)
		w.WriteRows(func(tx store.Writer) error {
			return tx.Put(store.Unread, []byte("a\x00\x00\x00\x00\x00\x00\x00\x00\x01"), nil)
		})
		about(3, 1)
		w.Write(func(tx *store.Tx) error { return tx.MarkNoticesRead("a", 3) })
		about(1)
		w.Read(func(v *store.View) error {
			told, err := v.UnreadNoticesAbout("a", 7, 2)
			require.Empty(t, told, "it is not among the newest two")
			return err
		})
	})
}
