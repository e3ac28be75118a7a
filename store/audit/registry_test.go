package audit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/ledger"
	"handoff/store/storetest"
)

// verifyRegistry lists the spaces that VerifyRegistry covers.
var verifyRegistry = []store.Space{store.Events, store.Tree, store.Records, store.Bodies, store.Salts, store.References}

func TestVerifyRegistry_AcceptsEmptyStore(t *testing.T) {
	require.Equal(t, schemas.AuditOut{OK: true}, newMemoryWorld(t).audit())
}

func TestVerifyRegistry_ReturnsRoot(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		w.Claim(w.Send(2))
		rows := w.CopyRows(store.Events, store.Tree)
		var tree ledger.TreeWalk
		for n, event := range rows[store.Events] {
			require.NoError(t, tree.AddAndCompare(event.Value, rows[store.Tree][n].Value))
		}
		require.Equal(t, schemas.AuditOut{Events: 3, Handoffs: 2, Root: tree.Root(), OK: true}, w.audit())
		out, err := audit.VerifyRegistry(t.Context(), w.Store, 2, 3, 4)
		require.NoError(t, err)
		require.Len(t, out.Roots, 2, "there is no fourth event")
		require.Equal(t, tree.Root(), out.Roots[3])
		w.Read(func(v *store.View) error {
			second, err := v.TreeRows().Root(2)
			require.Equal(t, second, out.Roots[2])
			return err
		})
	})
}

// Every byte of every row of the registry is changed in turn, and cut off, and doubled.
func TestVerifyRegistry_FindsEveryChangedByte(t *testing.T) {
	w := newBusyWorld(t)
	for _, s := range verifyRegistry {
		for _, row := range w.CopyRows(s)[s] {
			for at := 0; at < len(row.Value); at += 1 + len(row.Value)/200 {
				for name, value := range map[string][]byte{
					"changed": slices.Concat(row.Value[:at], []byte{row.Value[at] ^ 0x20}, row.Value[at+1:]),
					"cut off": row.Value[:at],
					"doubled": slices.Insert(slices.Clone(row.Value), at, row.Value[at]),
				} {
					w.WriteRows(func(rows store.Writer) error { return rows.Put(s, row.Key, value) })
					require.NotEmpty(t, w.audit().Problems, "%s %x, %s at byte %d", s, row.Key, name, at)
				}
			}
			w.WriteRows(func(rows store.Writer) error { return rows.Put(s, row.Key, row.Value) })
		}
	}
	w.RequireSound()
}

func TestVerifyRegistry_FindsEveryMissingRow(t *testing.T) {
	w := newBusyWorld(t)
	for _, s := range verifyRegistry {
		for _, row := range w.CopyRows(s)[s] {
			remove := func(rows store.Writer) error { return rows.Delete(s, row.Key) }
			w.whileBroken(remove, func(broken *world) {
				require.NotEmpty(t, broken.audit().Problems, "%s %x", s, row.Key)
			})
		}
	}
	w.RequireSound()
}

func TestVerifyRegistry_FindsDamagedRows(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(rows store.Writer) error
		found  string
		mends  bool
	}{
		{
			"a counter that is behind", func(rows store.Writer) error {
				return rows.Put(store.Sys, []byte("events"), storetest.NumbersKey(uint64(7)))
			},
			"the log ends with event 8 and claims to end with 7", true,
		},
		{
			"a counter that is far ahead", func(rows store.Writer) error {
				return rows.Put(store.Sys, []byte("events"), storetest.NumbersKey(^uint64(0)))
			},
			"claims to end with 18446744073709551615", false,
		},
		{
			"a counter that is broken", func(rows store.Writer) error { return rows.Put(store.Sys, []byte("events"), []byte("8")) },
			"the log ends with event 8", true,
		},
		{
			"a counter that is gone", func(rows store.Writer) error { return rows.Delete(store.Sys, []byte("events")) },
			"the log ends with event 8 and claims to end with 0", true,
		},
		{
			"an event in the middle that is gone", func(rows store.Writer) error { return rows.Delete(store.Events, storetest.NumbersKey(uint64(4))) },
			"event 4 is missing", false,
		},
		{
			"the last event that is gone with its counter", cutLogEnd(8),
			"event 8 is in the tree and is missing", false,
		},
		{
			"a log that is gone but for its records", cutLogEnd(1, 2, 3, 4, 5, 6, 7, 8),
			"event 1 is in the tree and is missing", false,
		},
		{
			"a log cut off with its counter and tree", cutTree(7, 8),
			"the record of ho_4 does not match its event 7", false,
		},
		{
			"an event with an odd key", func(rows store.Writer) error { return rows.Put(store.Events, []byte("odd"), []byte("{}")) },
			"event 9 is missing", false,
		},
		{
			"an event that nobody counted", func(rows store.Writer) error {
				return copyRow(rows, store.Events, storetest.NumbersKey(uint64(8)), storetest.NumbersKey(uint64(9)))
			},
			"event 9: the bytes do not match the tree", false,
		},
		{
			"an event far beyond", func(rows store.Writer) error {
				return copyRow(rows, store.Events, storetest.NumbersKey(uint64(8)), storetest.NumbersKey(^uint64(0)))
			},
			"event 9 is missing", false,
		},
		{
			"events that changed places", func(rows store.Writer) error {
				return swap(rows, store.Events, storetest.NumbersKey(uint64(1)), storetest.NumbersKey(uint64(4)))
			},
			"event 1 calls itself 4", false,
		},
		{
			"contents that changed places", func(rows store.Writer) error {
				return swap(rows, store.Bodies, append(storetest.NumbersKey(uint64(1), 1), 0, 0), append(storetest.NumbersKey(uint64(2), 4), 0, 0))
			},
			"the content of event 1 of ho_1 was changed", false,
		},
		{
			"chunks that changed places", func(rows store.Writer) error {
				return swap(rows, store.Bodies, append(storetest.NumbersKey(uint64(4), 7), 0, 0), append(storetest.NumbersKey(uint64(4), 7), 0, 2))
			},
			"the content of event 7 of ho_4 was changed", false,
		},
		{
			"content where nothing was said", func(rows store.Writer) error {
				return rows.Put(store.Bodies, append(storetest.NumbersKey(uint64(1), 2), 0, 0), []byte("added"))
			},
			"the content of event 2 of ho_1 was changed", false,
		},
		{
			"content in place of what was erased", func(rows store.Writer) error { return rows.Delete(store.Salts, storetest.NumbersKey(uint64(1))) },
			"the content of event 1 was changed, and no redaction tells of it", false,
		},
		{
			"a record that is gone", func(rows store.Writer) error { return rows.Delete(store.Records, storetest.NumbersKey(uint64(3))) },
			"ho_3 has events and no record", false,
		},
		{
			"a record under another id", func(rows store.Writer) error {
				return copyRow(rows, store.Records, storetest.NumbersKey(uint64(3)), storetest.NumbersKey(uint64(9)))
			},
			"the record of ho_9 does not match its event 6", false,
		},
		{
			"a record that cannot be read", func(rows store.Writer) error {
				return rows.Put(store.Records, storetest.NumbersKey(uint64(3)), []byte("{"))
			},
			"the record of ho_3 cannot be read", false,
		},
		{
			"a tree row that is too short", func(rows store.Writer) error {
				return rows.Put(store.Tree, storetest.NumbersKey(uint64(4)), make([]byte, 64))
			},
			"event 4: the bytes do not match the tree", false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newBusyWorld(t)
			w.WriteRows(test.damage)
			require.Contains(t, strings.Join(w.audit().Problems, "\n"), test.found)
			require.Equal(t, test.mends, w.mend().After.OK)
		})
	}
}

// cutLogEnd removes the given events from the end of the log, and lowers the counter of events to match.
func cutLogEnd(events ...uint64) func(store.Writer) error {
	return func(rows store.Writer) error {
		for _, n := range events {
			if err := rows.Delete(store.Events, storetest.NumbersKey(n)); err != nil {
				return err
			}
		}
		return rows.Put(store.Sys, []byte("events"), storetest.NumbersKey(events[0]-1))
	}
}

// cutTree removes their tree rows as well.
func cutTree(events ...uint64) func(store.Writer) error {
	return func(rows store.Writer) error {
		for _, n := range events {
			if err := rows.Delete(store.Tree, storetest.NumbersKey(n)); err != nil {
				return err
			}
		}
		return cutLogEnd(events...)(rows)
	}
}

func copyRow(rows store.Writer, s store.Space, from, to []byte) error {
	b, err := rows.Get(s, from)
	if err != nil || b == nil {
		return errors.Join(err, fmt.Errorf("row %x of %s: %t", from, s, b != nil))
	}
	return rows.Put(s, to, slices.Clone(b))
}

func swap(rows store.Writer, s store.Space, one, other []byte) error {
	b, err := rows.Get(s, one)
	if err != nil || b == nil {
		return errors.Join(err, fmt.Errorf("no row %x of %s", one, s))
	}
	b = slices.Clone(b)
	if err := copyRow(rows, s, other, one); err != nil {
		return err
	}
	return rows.Put(s, other, b)
}
