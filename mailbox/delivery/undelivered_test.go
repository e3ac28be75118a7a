package delivery_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store/memory"
)

// The next delivery repeats lost items, for each event that delivers items once.
func TestUndelivered_DeliversItemsAgain(t *testing.T) {
	for _, on := range []schemas.SessionEvent{schemas.OnStart, schemas.OnMail, schemas.OnWake} {
		t.Run(string(on), func(t *testing.T) {
			w := mailboxtest.New(t)
			hooks := hooksOf(w, "qa", "s1")
			w.Sends(mailboxtest.Human, "qa", "Test it")
			w.Sends(mailboxtest.Human, "qa", "Read this", mailboxtest.Message)
			first := hooks.news(on)
			require.Contains(t, itemIDs(first), "ho_1")
			hooks.in.Undelivered = first.Marked
			hooks.news(schemas.OnUndelivered)
			require.Equal(t, "ho_1 no_1", itemIDs(hooks.news(schemas.OnMail)))
			require.Empty(t, itemIDs(hooks.news(schemas.OnMail)))
		})
	}
}

func TestUndelivered_RemindsOfSameHandoffAgain(t *testing.T) {
	w := mailboxtest.New(t)
	qa, hooks := w.Stdio("qa"), hooksOf(w, "qa", "qa-1")
	w.Assigns(mailboxtest.Human, qa, "Test it")
	for range 10 {
		out := hooks.news(schemas.OnStop)
		require.True(t, out.Remind)
		hooks.in.Undelivered = out.Marked
		hooks.news(schemas.OnUndelivered)
	}
	require.True(t, hooks.news(schemas.OnStop).Remind)
	require.False(t, hooks.news(schemas.OnStop).Remind)
}

func TestUndelivered_RefusesCallWithoutItems(t *testing.T) {
	w := mailboxtest.New(t)
	hooks := hooksOf(w, "qa", "s1")
	_, err := w.News(context.Background(), hooks.by, schemas.NewsIn{On: schemas.OnUndelivered, Session: "s1"})
	mailboxtest.RequireError(t, err, schemas.Invalid, "does not name the items")
}

// The hook may end before its delivery is on disk.
func TestNews_DeliversItemsOfCancelledCallAgain(t *testing.T) {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	w.Sends(mailboxtest.Human, "qa", "Test it")
	ctx, gone := context.WithCancel(context.Background())
	b.Then = []func(){gone}
	hooks := hooksOf(w, "qa", "s1")
	hooks.by.Request = "0001"
	_, err := w.News(ctx, hooks.by, schemas.NewsIn{On: schemas.OnMail, Session: "s1"})
	require.Error(t, err)
	require.Equal(t, "ho_1", itemIDs(hooks.news(schemas.OnMail)))
}

// Delivered items that stay in the mailbox do not hide later ones.
func TestNews_FindsNewItemBehindManyDeliveredItems(t *testing.T) {
	w := mailboxtest.New(t)
	hooks := hooksOf(w, "qa", "s1")
	for i := range 1500 {
		w.Sends(mailboxtest.Human, "qa", fmt.Sprint("task ", i))
	}
	told := 0
	for out := hooks.news(schemas.OnMail); len(out.New) > 0; out = hooks.news(schemas.OnMail) {
		told += len(out.New) + out.MoreNew
	}
	require.Equal(t, 1500, told)
	w.Sends(mailboxtest.Human, "qa", "The last")
	require.Equal(t, "ho_1501", itemIDs(hooks.news(schemas.OnMail)))
}

// Work that an agent may not claim is not its mail, in any amount.
func TestNews_OmitsHandoffThatAgentDeclined(t *testing.T) {
	w, sec := mailboxtest.NewWithAgent(t, "sec")
	w.Accepts("review", sec, mailboxtest.RemoteCaller("another", "1"))
	for range maxNamedItems + 3 {
		id := w.Sends(mailboxtest.Human, "capability:review", "Look").HandoffID
		mailboxtest.Must(t, w.Fail, sec, schemas.FailIn{HandoffID: id.String(), FailureDetail: mailboxtest.FailureBecause("no"), Outcome: "rejected"})
	}
	out := hooksOf(w, "sec", "s1").news(schemas.OnStart)
	require.Empty(t, itemIDs(out))
	require.Zero(t, out.MoreNew)
}

const maxNamedItems = 5
