package audit_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/storetest"
)

// checked lists the spaces that Check covers.
var checked = []store.Space{
	store.Ready, store.Wakes, store.ByBox, store.BySender, store.ByHolder, store.ByWorkflow, store.ByState,
	store.ByParent, store.ByOrigin, store.ByAfter, store.Mailboxes, store.Unread, store.Tokens,
}

// newIndexedWorld returns a store with rows in every index.
func newIndexedWorld(t testing.TB) *world {
	w := newBusyWorld(t)
	r := storetest.NewSentRecord(50)
	r.Parent, r.OriginID, r.After, r.SentWith = 1, "HO-1", []schemas.ID{2, 3}, "ci"
	w.Change(nil, r, "send", "")
	w.Write(func(tx *store.Tx) error {
		return tx.PutToken(store.Token{Token: schemas.Token{Name: "ci"}, Hash: strings.Repeat("ci", 32)})
	})
	r = storetest.NewSentRecord(60)
	r.Body = 12
	w.Change(nil, r, "send", `{"task":"find it"}`)
	w.Write(func(tx *store.Tx) error { return tx.PutWords(60, wordsOf(r)) })
	require.Zero(t, w.mend().Rows, "nothing of what is sound is touched")
	w.RequireSound()
	for _, s := range checked {
		require.NotEmpty(t, w.CopyRows(s)[s], s)
	}
	return w
}

func TestCheckRows_FindsEveryMissingIndexRow(t *testing.T) {
	w := newIndexedWorld(t)
	before := w.CopyRows(storetest.AllSpaces()...)
	for _, s := range checked {
		for _, row := range before[s] {
			remove := func(rows store.Writer) error { return rows.Delete(s, row.Key) }
			w.whileBroken(remove, func(broken *world) {
				require.NotEmpty(t, broken.check(), "%s %q", s, row.Key)
				require.Empty(t, broken.audit().Problems, "Audit leaves these to Check")
				lost := s == store.Tokens && row.Key[0] == 'n'
				require.Equal(t, !lost, broken.mend().After.OK, "%s %q", s, row.Key)
				if !lost && s != store.Unread { // that one counts as read
					require.Equal(t, before, broken.CopyRows(storetest.AllSpaces()...))
				}
			})
		}
	}
}

// A row is added for an existing handoff, for a missing one, and with a malformed key.
func TestCheckRows_FindsEveryExtraIndexRow(t *testing.T) {
	w := newIndexedWorld(t)
	before := w.CopyRows(storetest.AllSpaces()...)
	for _, s := range checked {
		for _, row := range before[s] {
			for _, k := range [][]byte{
				slices.Concat([]byte("a"), row.Key),
				slices.Concat(row.Key[:len(row.Key)-1], []byte{row.Key[len(row.Key)-1] + 77}),
				slices.Concat(row.Key, []byte{0}),
				[]byte("odd"),
			} {
				extra := func(rows store.Writer) error { return rows.Put(s, k, row.Value) }
				w.whileBroken(extra, func(broken *world) {
					require.NotEmpty(t, broken.check(), "%s %q", s, k)
					if broken.mend(); s != store.Tokens || k[0] == 'h' {
						require.Equal(t, before, broken.CopyRows(storetest.AllSpaces()...), "%s %q", s, k)
					}
				})
			}
		}
	}
}

func TestCheckRows_FindsDamagedRows(t *testing.T) {
	bySender := append([]byte("architect\x00"), storetest.NumbersKey(uint64(1))...)
	for _, test := range []struct {
		name   string
		damage func(rows store.Writer) error
		found  string
		mends  bool
	}{
		{
			"another digest of the content", func(rows store.Writer) error { return rows.Put(store.BySender, bySender, []byte("another")) },
			"ho_1 lacks its row in by_sender", true,
		},
		{
			"a row in place of another", func(rows store.Writer) error {
				k := append([]byte("wf_login\x00"), storetest.NumbersKey(uint64(1))...)
				other := append([]byte("wf_other\x00"), storetest.NumbersKey(uint64(1))...)
				return errors.Join(rows.Delete(store.ByWorkflow, k), rows.Put(store.ByWorkflow, other, nil))
			},
			"ho_1 lacks its row in by_workflow", true,
		},
		{
			"a counter", func(rows store.Writer) error { return rows.Put(store.Mailboxes, []byte("auto-code"), make([]byte, 16)) },
			"mailbox auto-code is counted as {Pending:0 Urgent:0 Held:0 Unread:0} and holds {Pending:3 Urgent:0 Held:1 Unread:0}", true,
		},
		{
			"a counter that cannot be read", func(rows store.Writer) error { return rows.Put(store.Mailboxes, []byte("auto-code"), []byte("{}")) },
			"mailbox auto-code is counted as", true,
		},
		{
			"a counter of nothing", func(rows store.Writer) error {
				return copyRow(rows, store.Mailboxes, []byte("auto-code"), []byte("nobody"))
			},
			"mailbox nobody is counted as {Pending:3 Urgent:0 Held:1 Unread:0} and holds {Pending:0 Urgent:0 Held:0 Unread:0}", true,
		},
		{
			"a counter of a token", func(rows store.Writer) error {
				return copyRow(rows, store.Mailboxes, []byte("auto-code"), []byte("token:ci"))
			},
			"mailbox token:ci is counted as {Pending:3 Urgent:0 Held:1 Unread:0} and holds {Pending:1 Urgent:0 Held:0 Unread:0}", true,
		},
		{
			"a token that cannot be read", func(rows store.Writer) error { return rows.Put(store.Tokens, []byte("nci"), []byte("{")) },
			"token ci cannot be read", false,
		},
		{
			"a hash that leads to another token", func(rows store.Writer) error { return copyRow(rows, store.Tokens, []byte("nci"), []byte("nqa")) },
			"token qa calls itself ci", false,
		},
		{
			"a token with another hash", func(rows store.Writer) error {
				return rows.Put(store.Tokens, []byte("nci"), []byte(`{"name":"ci","hash":"another"}`))
			},
			"a hash leads to token ci, which has another\ntoken ci is not found by its hash", false,
		},
		{
			"a record under another id", func(rows store.Writer) error {
				return copyRow(rows, store.Records, storetest.NumbersKey(uint64(3)), storetest.NumbersKey(uint64(9)))
			},
			"the record of ho_9 calls itself ho_3", false,
		},
		{
			"a record that cannot be read", func(rows store.Writer) error {
				return rows.Put(store.Records, storetest.NumbersKey(uint64(3)), []byte("{"))
			},
			"the record of ho_3 cannot be read", false,
		},
		{
			"a record that is gone", func(rows store.Writer) error { return rows.Delete(store.Records, storetest.NumbersKey(uint64(3))) },
			"by_state has a row for ho_3 that its record does not ask for", false,
		},
		{
			"a notice that is gone", func(rows store.Writer) error {
				return rows.Delete(store.Notices, append([]byte("architect\x00"), storetest.NumbersKey(uint64(2))...))
			},
			"notice no_2 is unread and missing", true,
		},
		{
			"an agent under another name", func(rows store.Writer) error {
				return rows.Put(store.Agents, []byte("qa"), []byte(`{"card":{"name":"dev"}}`))
			},
			"agent qa calls itself dev", false,
		},
		{
			"an agent that cannot be read", func(rows store.Writer) error { return rows.Put(store.Agents, []byte("qa"), []byte("{")) },
			"agent qa cannot be read", false,
		},
		{
			"rules that cannot be read", func(rows store.Writer) error { return rows.Put(store.Rules, []byte("f"), []byte("{")) },
			"rules of f cannot be read", false,
		},
		{
			"a workflow without a handoff", func(rows store.Writer) error {
				return copyRow(rows, store.Workflows, []byte("wf_login"), []byte("wf_no"))
			},
			"workflow wf_no has no handoff", false,
		},
		{
			"a workflow without an owner", func(rows store.Writer) error { return rows.Delete(store.Workflows, []byte("wf_login")) },
			"workflow wf_login has handoffs, and nothing tells its owner", false,
		},
		{
			"a notice to another agent", func(rows store.Writer) error {
				k := storetest.NumbersKey(uint64(2))
				return copyRow(rows, store.Notices, append([]byte("architect\x00"), k...), append([]byte("qa\x00"), k...))
			},
			"notice no_2 calls itself no_2 to architect", false,
		},
		{
			"a notice that cannot be read", func(rows store.Writer) error {
				return rows.Put(store.Notices, append([]byte("architect\x00"), storetest.NumbersKey(uint64(2))...), []byte("{"))
			},
			"notice no_2 is unread and cannot be read", false,
		},
		{
			"a receipt that cannot be read", func(rows store.Writer) error { return rows.Put(store.Receipts, []byte("kqa\x00key"), []byte("now")) },
			"a receipt of a key of qa cannot be read", false,
		},
		{
			"words of nothing", func(rows store.Writer) error {
				return rows.Put(store.Words, storetest.NumbersKey(uint64(77)), store.ListWords("fix"))
			},
			"there are words of ho_77, which is missing", true,
		},
		{
			"words that are none", func(rows store.Writer) error {
				return rows.Put(store.Words, storetest.NumbersKey(uint64(60)), []byte("fix"))
			},
			"ho_60 has no words by which it is found", true,
		},
		{
			"a number that was given", func(rows store.Writer) error {
				return rows.Put(store.Sys, []byte("next/records"), storetest.NumbersKey(uint64(3)))
			},
			"the next number of records would be one that was given: 60 is the last", true,
		},
		{
			"a number of notices that is gone", func(rows store.Writer) error { return rows.Delete(store.Sys, []byte("next/notices")) },
			"the next number of notices would be one that was given: 2 is the last", true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newIndexedWorld(t)
			w.WriteRows(test.damage)
			require.Contains(t, strings.Join(w.check(), "\n"), test.found)
			require.Equal(t, test.mends, w.mend().After.OK)
			require.Zero(t, w.mend().Rows)
		})
	}
}

func TestCheckRows_ReturnsAtMostTwentyProblems(t *testing.T) {
	w := newMemoryWorld(t)
	w.Send(50)
	rows := w.CopyRows(store.ByBox)[store.ByBox]
	w.WriteRows(func(wr store.Writer) error {
		for _, row := range rows {
			if err := wr.Delete(store.ByBox, row.Key); err != nil {
				return err
			}
		}
		return nil
	})
	require.Len(t, w.check(), 20)
}

// The record of a newer program has index rows that this program would consider wrong.
func TestMendRows_RefusesRecordOfNewerProgram(t *testing.T) {
	w := newIndexedWorld(t)
	w.WriteRows(func(rows store.Writer) error {
		return errors.Join(rows.Put(store.Records, storetest.NumbersKey(uint64(3)), []byte(`{"v":99,"id":"ho_3"}`)), rows.Delete(store.Sys, []byte("next/notices")))
	})
	before := w.CopyRows(storetest.AllSpaces()...)
	_, err := audit.MendRows(t.Context(), w.Rows, nil)
	require.ErrorContains(t, err, "written by a newer version")
	require.Equal(t, before, w.CopyRows(storetest.AllSpaces()...))
}

func wordsOf(r *store.Record) store.WordList { return store.ListWords(r.Title) }

// mend applies all fixes, and checks that the registry was not changed.
func (w *world) mend() audit.MendResult {
	w.T.Helper()
	before := w.CopyRows(verifyRegistry...)
	done, err := audit.MendRows(context.Background(), w.Rows, func(_ *store.View, r *store.Record) (store.WordList, error) { return wordsOf(r), nil })
	require.NoError(w.T, err)
	require.Equal(w.T, before, w.CopyRows(verifyRegistry...))
	require.Equal(w.T, done.After.OK, done.After.Found == 0)
	require.Zero(w.T, done.After.Mendable, "%v", done.After.Faults)
	return done
}
