package audit_test

import (
	"context"
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
			w.whileBroken(remove(s, string(row.Key)), func(broken *world) {
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
				w.whileBroken(put(s, string(k), row.Value), func(broken *world) {
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
	for _, test := range []struct {
		name   string
		damage damage
		found  string
		mends  bool
	}{
		{
			"another digest of the content", put(store.BySender, "architect\x00"+number(1), "another"),
			"ho_1 lacks its row in by_sender", true,
		},
		{
			"a row in place of another",
			inTurn(remove(store.ByWorkflow, "wf_login\x00"+number(1)), put(store.ByWorkflow, "wf_other\x00"+number(1), "")),
			"ho_1 lacks its row in by_workflow", true,
		},
		{
			"a counter", put(store.Mailboxes, "auto-code", make([]byte, 16)),
			"mailbox auto-code is counted as {Pending:0 Urgent:0 Held:0 Unread:0} and holds {Pending:3 Urgent:0 Held:1 Unread:0}", true,
		},
		{"a counter that cannot be read", put(store.Mailboxes, "auto-code", "{}"), "mailbox auto-code is counted as", true},
		{
			"a counter of nothing", copyRow(store.Mailboxes, "auto-code", "nobody"),
			"mailbox nobody is counted as {Pending:3 Urgent:0 Held:1 Unread:0} and holds {Pending:0 Urgent:0 Held:0 Unread:0}", true,
		},
		{
			"a counter of a token", copyRow(store.Mailboxes, "auto-code", "token:ci"),
			"mailbox token:ci is counted as {Pending:3 Urgent:0 Held:1 Unread:0} and holds {Pending:1 Urgent:0 Held:0 Unread:0}", true,
		},
		{"a token that cannot be read", put(store.Tokens, "nci", "{"), "token ci cannot be read", false},
		{"a hash that leads to another token", copyRow(store.Tokens, "nci", "nqa"), "token qa calls itself ci", false},
		{
			"a token with another hash", put(store.Tokens, "nci", `{"name":"ci","hash":"another"}`),
			"a hash leads to token ci, which has another\ntoken ci is not found by its hash", false,
		},
		{
			"a record under another id", copyRow(store.Records, number(3), number(9)),
			"the record of ho_9 calls itself ho_3", false,
		},
		{"a record that cannot be read", put(store.Records, number(3), "{"), "the record of ho_3 cannot be read", false},
		{
			"a record that is gone", remove(store.Records, number(3)),
			"by_state has a row for ho_3 that its record does not ask for", false,
		},
		{
			"a notice that is gone", remove(store.Notices, "architect\x00"+number(2)),
			"notice no_2 is unread and missing", true,
		},
		{
			"an agent under another name", put(store.Agents, "qa", `{"card":{"name":"dev"}}`),
			"agent qa calls itself dev", false,
		},
		{"an agent that cannot be read", put(store.Agents, "qa", "{"), "agent qa cannot be read", false},
		{"rules that cannot be read", put(store.Rules, "f", "{"), "rules of f cannot be read", false},
		{
			"a workflow without a handoff", copyRow(store.Workflows, "wf_login", "wf_no"),
			"workflow wf_no has no handoff", false,
		},
		{
			"a workflow without an owner", remove(store.Workflows, "wf_login"),
			"workflow wf_login has handoffs, and nothing tells its owner", false,
		},
		{
			"a notice to another agent", copyRow(store.Notices, "architect\x00"+number(2), "qa\x00"+number(2)),
			"notice no_2 calls itself no_2 to architect", false,
		},
		{
			"a notice that cannot be read", put(store.Notices, "architect\x00"+number(2), "{"),
			"notice no_2 is unread and cannot be read", false,
		},
		{
			"a receipt that cannot be read", put(store.Receipts, "kqa\x00key", "now"),
			"a receipt of a key of qa cannot be read", false,
		},
		{
			"words of nothing", put(store.Words, number(77), store.ListWords("fix")),
			"there are words of ho_77, which is missing", true,
		},
		{"words that are none", put(store.Words, number(60), "fix"), "ho_60 has no words by which it is found", true},
		{
			"a number that was given", put(store.Sys, "next/records", number(3)),
			"the next number of records would be one that was given: 60 is the last", true,
		},
		{
			"a number of notices that is gone", remove(store.Sys, "next/notices"),
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
	for _, row := range w.CopyRows(store.ByBox)[store.ByBox] {
		w.WriteRows(remove(store.ByBox, string(row.Key)))
	}
	require.Len(t, w.check(), 20)
}

// The record of a newer program has index rows that this program would consider wrong.
func TestMendRows_RefusesRecordOfNewerProgram(t *testing.T) {
	w := newIndexedWorld(t)
	w.WriteRows(inTurn(put(store.Records, number(3), `{"v":99,"id":"ho_3"}`), remove(store.Sys, "next/notices")))
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
