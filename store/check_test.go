package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
)

// checked are the spaces that Check answers for.
var checked = []store.Space{
	store.Ready, store.Wakes, store.ByBox, store.BySender, store.ByHolder, store.ByWorkflow, store.ByState,
	store.ByParent, store.ByOrigin, store.ByAfter, store.Mailboxes, store.Unread, store.Tokens,
}

// indexed has rows in every index.
func indexed(t testing.TB) *world {
	w := busy(t)
	r := sent(50)
	r.Parent, r.OriginID, r.After, r.SentWith = 1, "HO-1", []schemas.ID{2, 3}, "ci"
	w.change(nil, r, "send", "")
	w.update(func(tx *store.Tx) error { return tx.PutToken(token("ci")) })
	w.sound()
	for _, s := range checked {
		require.NotEmpty(t, w.dump(s)[s], s)
	}
	return w
}

func TestEveryMissingIndexRowIsFound(t *testing.T) {
	w := indexed(t)
	for _, s := range checked {
		for _, row := range w.dump(s)[s] {
			remove := func(rows store.Writer) error { return rows.Delete(s, row.Key) }
			w.whileBroken(remove, func(broken *world) {
				require.NotEmpty(t, broken.check(), "%s %q", s, row.Key)
				require.Empty(t, broken.audit().Problems, "Audit leaves these to Check")
			})
		}
	}
}

// A row is added for a handoff that exists, for one that does not, and with a key that nobody could mean.
func TestEveryExtraIndexRowIsFound(t *testing.T) {
	w := indexed(t)
	for _, s := range checked {
		for _, row := range w.dump(s)[s] {
			for _, k := range [][]byte{
				slices.Concat([]byte("a"), row.Key),
				slices.Concat(row.Key[:len(row.Key)-1], []byte{row.Key[len(row.Key)-1] + 77}),
				slices.Concat(row.Key, []byte{0}),
				[]byte("odd"),
			} {
				extra := func(rows store.Writer) error { return rows.Put(s, k, row.Value) }
				w.whileBroken(extra, func(broken *world) { require.NotEmpty(t, broken.check(), "%s %q", s, k) })
			}
		}
	}
}

func TestCheckFinds(t *testing.T) {
	bySender := append([]byte("architect\x00"), key(uint64(1))...)
	for _, test := range []struct {
		name   string
		damage func(rows store.Writer) error
		found  string
	}{
		{
			"another digest of the content", func(rows store.Writer) error { return rows.Put(store.BySender, bySender, []byte("another")) },
			"ho_1 lacks its row in by_sender",
		},
		{
			"a row in place of another", func(rows store.Writer) error {
				k := append([]byte("wf_login\x00"), key(uint64(1))...)
				other := append([]byte("wf_other\x00"), key(uint64(1))...)
				return errors.Join(rows.Delete(store.ByWorkflow, k), rows.Put(store.ByWorkflow, other, nil))
			},
			"ho_1 lacks its row in by_workflow",
		},
		{
			"a counter", func(rows store.Writer) error { return rows.Put(store.Mailboxes, []byte("auto-code"), make([]byte, 16)) },
			"mailbox auto-code is counted as {Pending:0 Urgent:0 Held:0 Unread:0} and holds {Pending:2 Urgent:0 Held:1 Unread:0}",
		},
		{
			"a counter that cannot be read", func(rows store.Writer) error { return rows.Put(store.Mailboxes, []byte("auto-code"), []byte("{}")) },
			"mailbox auto-code is counted as",
		},
		{
			"a counter of nothing", func(rows store.Writer) error {
				return copyRow(rows, store.Mailboxes, []byte("auto-code"), []byte("nobody"))
			},
			"mailbox nobody is counted as {Pending:2 Urgent:0 Held:1 Unread:0} and holds {Pending:0 Urgent:0 Held:0 Unread:0}",
		},
		{
			"a counter of a token", func(rows store.Writer) error {
				return copyRow(rows, store.Mailboxes, []byte("auto-code"), []byte("token:ci"))
			},
			"mailbox token:ci is counted as {Pending:2 Urgent:0 Held:1 Unread:0} and holds {Pending:1 Urgent:0 Held:0 Unread:0}",
		},
		{
			"a token that cannot be read", func(rows store.Writer) error { return rows.Put(store.Tokens, []byte("nci"), []byte("{")) },
			"token ci cannot be read",
		},
		{
			"a hash that leads to another token", func(rows store.Writer) error { return copyRow(rows, store.Tokens, []byte("nci"), []byte("nqa")) },
			"token qa calls itself ci",
		},
		{
			"a token with another hash", func(rows store.Writer) error {
				return rows.Put(store.Tokens, []byte("nci"), []byte(`{"name":"ci","hash":"another"}`))
			},
			"a hash leads to token ci, which has another\ntoken ci is not found by its hash",
		},
		{
			"a record under another id", func(rows store.Writer) error { return copyRow(rows, store.Records, key(uint64(3)), key(uint64(9))) },
			"the record of ho_9 calls itself ho_3",
		},
		{
			"a record that cannot be read", func(rows store.Writer) error { return rows.Put(store.Records, key(uint64(3)), []byte("{")) },
			"the record of ho_3 cannot be read",
		},
		{
			"a record that is gone", func(rows store.Writer) error { return rows.Delete(store.Records, key(uint64(3))) },
			"by_state has a row for ho_3 that its record does not ask for",
		},
		{
			"a notice that is gone", func(rows store.Writer) error {
				return rows.Delete(store.Notices, append([]byte("architect\x00"), key(uint64(2))...))
			},
			"notice no_2 is unread and missing",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := indexed(t)
			w.raw(test.damage)
			require.Contains(t, strings.Join(w.check(), "\n"), test.found)
		})
	}
}

func TestCheckGivesTheFirstTwenty(t *testing.T) {
	w := inMemory(t)
	w.send(50)
	rows := w.dump(store.ByBox)[store.ByBox]
	w.raw(func(wr store.Writer) error {
		for _, row := range rows {
			if err := wr.Delete(store.ByBox, row.Key); err != nil {
				return err
			}
		}
		return nil
	})
	require.Len(t, w.check(), 20)
}
