package listing_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestList_NamesBlockingHandoffs(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	w.Sends(lead, "coder", "x")
	w.Sends(lead, "coder", "y", mailboxtest.After("1"))
	out := mailboxtest.Must(t, w.List, lead, schemas.ListIn{Box: "sent"})
	require.Equal(t, []string{"ho_1"}, out.Items[0].BlockedBy)
	require.Empty(t, out.Items[1].BlockedBy)
}

func TestList_NamesWordsWithoutMatch(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "Find the needle")
	w.Sends(a, "b", "Mow the hay")
	for query, want := range map[string][2]string{
		"needle zebra": {"zebra", "needle"}, "zebra gnu": {"zebra gnu", ""}, "needle hay": {"", ""}, "needle find": {"", ""},
	} {
		for _, box := range []string{"all", "inbox"} {
			out := mailboxtest.Must(t, w.List, a, schemas.ListIn{Box: box, Query: query})
			require.Equal(t, want, [2]string{strings.Join(out.UnmatchedWords, " "), out.MatchedWords}, query)
		}
	}
}

// A read-only token shows a mailbox and leaves it unchanged.
func TestList_ReadOnlyTokenLeavesNoticesUnread(t *testing.T) {
	w := mailboxtest.New(t)
	b := mailboxtest.RemoteCaller("b", "ci")
	watcher := b
	watcher.Scope = schemas.ScopeRead
	w.Sends(w.Stdio("a"), "b", "hello", mailboxtest.Message)
	for range 2 {
		items := w.Notices(watcher)
		require.Len(t, items, 1)
		require.True(t, items[0].Unread)
		out := mailboxtest.Must(t, w.Get, watcher, schemas.GetIn{HandoffID: items[0].NoticeID.String()})
		require.Equal(t, "hello", out.Notice.Text)
	}
	require.True(t, w.Notices(b)[0].Unread)
	require.False(t, w.Notices(b)[0].Unread)
	require.False(t, w.Notices(watcher)[0].Unread)
}

// listAllPages returns the ids of a list, read two rows at a time.
func listAllPages(w *mailboxtest.World, by schemas.Caller, in schemas.ListIn) (ids []schemas.ID) {
	for in.Limit = 2; ; {
		out := mailboxtest.Must(w.T, w.List, by, in)
		for _, it := range out.Items {
			ids = append(ids, it.HandoffID)
		}
		if in.Cursor = out.Cursor; in.Cursor == "" {
			return ids
		}
	}
}

func TestList_ContinuesAfterCursor(t *testing.T) {
	w, lead, dev := mailboxtest.NewWithTwoAgents(t, "lead", "dev")
	urgent := func(in *schemas.SendIn) { in.Priority = schemas.High }
	for range 2 {
		w.Assigns(lead, dev, "hold", mailboxtest.NoParent)
	}
	for range 3 {
		w.Sends(lead, "dev", "wait", mailboxtest.NoParent)
		w.Sends(lead, "dev", "hurry", mailboxtest.NoParent, urgent)
		w.Sends(lead, "human", "decide", mailboxtest.NoParent)
		w.Sends(lead, "qa", "ask first", mailboxtest.NeedsApproval)
	}
	w.Completes(dev, 1)
	for name, c := range map[string]struct {
		by   schemas.Caller
		in   schemas.ListIn
		want []schemas.ID
	}{
		"all":                {lead, schemas.ListIn{Box: "all"}, []schemas.ID{14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
		"sent, of a status":  {lead, schemas.ListIn{Box: "sent", Status: schemas.StatusFilter(schemas.Accepted)}, []schemas.ID{2}},
		"inbox, as claimed":  {dev, schemas.ListIn{}, []schemas.ID{4, 8, 12, 3, 7, 11}},
		"inbox, of a status": {dev, schemas.ListIn{Status: schemas.StatusFilter(schemas.Completed)}, []schemas.ID{1}},
		"inbox of a person":  {mailboxtest.Human, schemas.ListIn{}, []schemas.ID{14, 10, 6, 5, 9, 13}},
		"claimed":            {dev, schemas.ListIn{Box: "claimed"}, []schemas.ID{2}},
		"claimed before":     {dev, schemas.ListIn{Box: "claimed", Status: schemas.StatusFilter(schemas.Completed)}, []schemas.ID{1}},
		"of a workflow":      {lead, schemas.ListIn{Box: "all", Workflow: "wf_3"}, []schemas.ID{3}},
	} {
		require.Equal(t, c.want, listAllPages(w, c.by, c.in), name)
	}
}

func TestList_RefusesInvalidFilters(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	for field, in := range map[string]schemas.ListIn{
		"query": {Query: "?!"}, "since": {Since: "soonish"}, "workflow": {Workflow: "a b"}, "cursor": {Cursor: "here"},
	} {
		in.Box = "all"
		require.Equal(t, field, mailboxtest.RequireRefusal(t, w.List, a, in, schemas.Invalid, "").Field)
	}
	for _, ahead := range []string{"tomorrow", "in 2h", "23:59", "2099-01-01", "2099-01-01T10:00:00Z"} {
		mailboxtest.RequireRefusal(t, w.List, a, schemas.ListIn{Box: "all", Since: ahead}, schemas.Invalid, "")
	}
	mailboxtest.RequireRefusal(t, w.List, a, schemas.ListIn{Box: "inbox", Cursor: "99"}, schemas.Invalid, "Leave it out to begin again")
}
