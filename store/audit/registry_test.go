package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/ledger"
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
					w.WriteRows(put(s, string(row.Key), value))
					require.NotEmpty(t, w.audit().Problems, "%s %x, %s at byte %d", s, row.Key, name, at)
				}
			}
			w.WriteRows(put(s, string(row.Key), row.Value))
		}
	}
	w.RequireSound()
}

func TestVerifyRegistry_FindsEveryMissingRow(t *testing.T) {
	w := newBusyWorld(t)
	for _, s := range verifyRegistry {
		for _, row := range w.CopyRows(s)[s] {
			w.whileBroken(remove(s, string(row.Key)), func(broken *world) {
				require.NotEmpty(t, broken.audit().Problems, "%s %x", s, row.Key)
			})
		}
	}
	w.RequireSound()
}

func TestVerifyRegistry_FindsDamagedRows(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage damage
		found  string
		mends  bool
	}{
		{
			"a counter that is behind", put(store.Sys, "events", number(7)),
			"the log ends with event 8 and claims to end with 7", true,
		},
		{
			"a counter that is far ahead", put(store.Sys, "events", number(^uint64(0))),
			"claims to end with 18446744073709551615", false,
		},
		{"a counter that is broken", put(store.Sys, "events", "8"), "the log ends with event 8", true},
		{"a counter that is gone", remove(store.Sys, "events"), "the log ends with event 8 and claims to end with 0", true},
		{"an event in the middle that is gone", remove(store.Events, number(4)), "event 4 is missing", false},
		{"the last event that is gone with its counter", cutLogEnd(8), "event 8 is in the tree and is missing", false},
		{
			"a log that is gone but for its records", cutLogEnd(1, 2, 3, 4, 5, 6, 7, 8),
			"event 1 is in the tree and is missing", false,
		},
		{"a log cut off with its counter and tree", cutTree(7, 8), "the record of ho_4 does not match its event 7", false},
		{"an event with an odd key", put(store.Events, "odd", "{}"), "event 9 is missing", false},
		{
			"an event that nobody counted", copyRow(store.Events, number(8), number(9)),
			"event 9: the bytes do not match the tree", false,
		},
		{"an event far beyond", copyRow(store.Events, number(8), number(^uint64(0))), "event 9 is missing", false},
		{"events that changed places", swap(store.Events, number(1), number(4)), "event 1 calls itself 4", false},
		{
			"contents that changed places", swap(store.Bodies, chunk(1, 1, 0), chunk(2, 4, 0)),
			"the content of event 1 of ho_1 was changed", false,
		},
		{
			"chunks that changed places", swap(store.Bodies, chunk(4, 7, 0), chunk(4, 7, 2)),
			"the content of event 7 of ho_4 was changed", false,
		},
		{
			"content where nothing was said", put(store.Bodies, chunk(1, 2, 0), "added"),
			"the content of event 2 of ho_1 was changed", false,
		},
		{
			"content in place of what was erased", remove(store.Salts, number(1)),
			"the content of event 1 was changed, and no redaction tells of it", false,
		},
		{"a record that is gone", remove(store.Records, number(3)), "ho_3 has events and no record", false},
		{
			"a record under another id", copyRow(store.Records, number(3), number(9)),
			"the record of ho_9 does not match its event 6", false,
		},
		{"a record that cannot be read", put(store.Records, number(3), "{"), "the record of ho_3 cannot be read", false},
		{
			"a tree row that is too short", put(store.Tree, number(4), make([]byte, 64)),
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
