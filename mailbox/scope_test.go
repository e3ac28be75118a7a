package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// A token that only reads shows a mailbox and leaves it as it is.
func TestWhoOnlyReadsHasNotReadTheNotices(t *testing.T) {
	w := newWorld(t)
	watcher := withToken("b", "ci")
	watcher.Scope = schemas.ScopeRead
	w.Sends(w.Stdio("a"), "b", "hello", mailboxtest.Message)
	for range 2 {
		items := w.Notices(watcher)
		require.Len(t, items, 1)
		require.True(t, items[0].Unread)
		out := mailboxtest.Must(t, w.Get, watcher, schemas.GetIn{HandoffID: items[0].NoticeID.String()})
		require.Equal(t, "hello", out.Notice.Text)
	}
	b := withToken("b", "ci")
	require.True(t, w.Notices(b)[0].Unread)
	require.False(t, w.Notices(b)[0].Unread)
	require.False(t, w.Notices(watcher)[0].Unread)
}

// Nor is it the holder that is heard of.
func TestWhoOnlyReadsKeepsNoClaimAlive(t *testing.T) {
	for scope, want := range map[schemas.Scope]schemas.Status{schemas.ScopeRead: schemas.Pending, schemas.ScopeAgent: schemas.Accepted} {
		w := newWorld(t)
		b := withToken("b", "ci")
		w.Sends(w.Stdio("a"), "b", "x")
		w.Claims(b)
		w.Pass(20 * time.Minute)
		b.Scope = scope
		mailboxtest.Must(t, w.Get, b, schemas.GetIn{HandoffID: "1"})
		w.Pass(20 * time.Minute)
		require.Equal(t, want, w.Status(1), scope)
	}
}
