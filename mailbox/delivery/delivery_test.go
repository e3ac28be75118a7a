package delivery_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// sessionHooks runs the hooks of one session.
type sessionHooks struct {
	*mailboxtest.World
	by schemas.Caller
	in schemas.NewsIn
}

func hooksOf(w *mailboxtest.World, name schemas.Agent, session string) sessionHooks {
	return sessionHooks{w, schemas.Caller{Agent: name, AgentID: session, Via: schemas.ViaCLI}, schemas.NewsIn{Session: session}}
}

func (h sessionHooks) news(o schemas.SessionEvent) schemas.NewsOut {
	h.T.Helper()
	h.in.On = o
	return mailboxtest.Must(h.T, h.News, h.by, h.in)
}

// itemIDs returns the items of an answer, as "ho_1 no_2".
func itemIDs(out schemas.NewsOut) string {
	var ids []string
	for _, it := range out.New {
		if it.NoticeID != 0 {
			ids = append(ids, it.NoticeID.String())
		} else {
			ids = append(ids, it.HandoffID.String())
		}
	}
	return strings.Join(ids, " ")
}

func TestNews_NamesItemOnceInSession(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		dev, qa, hooks := w.Stdio("dev"), w.Stdio("qa"), hooksOf(w, "qa", "s1")
		times := map[string]int{}
		for i := range 1000 {
			switch i {
			case 3, 500:
				w.Sends(dev, "qa", fmt.Sprintf("task %d", i))
			case 100: // it comes back, but is not new
				got := w.Claims(qa)
				w.Updates(qa, got.HandoffID, schemas.ActRelease)
			case 700:
				w.Sends(dev, "qa", "The staging server is down", mailboxtest.Message)
			}
			out := hooks.news(schemas.OnMail)
			require.Zero(t, out.MoreNew)
			for id := range strings.FieldsSeq(itemIDs(out)) {
				times[id]++
			}
		}
		require.Equal(t, map[string]int{"ho_1": 1, "ho_2": 1, "no_1": 1}, times)
		require.Equal(t, "ho_1 ho_2 no_1", itemIDs(hooksOf(w, "qa", "s2").news(schemas.OnMail)), "another session")
		inbox, err := w.Inbox(context.Background(), "qa")
		require.NoError(t, err)
		require.Equal(t, 1, inbox.Notices, "a mention is not reading")
	})
}

func TestNews_NamesItemToOneOfConcurrentHooks(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		for i := range 5 {
			w.Sends(mailboxtest.Human, "qa", fmt.Sprintf("task %d", i))
		}
		var mu sync.Mutex
		var all []string
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				out, err := w.News(context.Background(), schemas.Caller{Agent: "qa"}, schemas.NewsIn{On: schemas.OnMail, Session: "s1"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				all = append(all, strings.Fields(itemIDs(out))...)
			})
		}
		wg.Wait()
		require.ElementsMatch(t, []string{"ho_1", "ho_2", "ho_3", "ho_4", "ho_5"}, all)
	})
}

func TestNews_RepeatReturnsFirstResult(t *testing.T) {
	w := mailboxtest.New(t)
	w.Sends(mailboxtest.Human, "qa", "Test it")
	hooks := hooksOf(w, "qa", "s1")
	hooks.by.Request = "0001"
	require.Equal(t, "ho_1", itemIDs(hooks.news(schemas.OnMail)))
	require.Equal(t, "ho_1", itemIDs(hooks.news(schemas.OnMail)))
	hooks.by.Request = "0002"
	require.Empty(t, itemIDs(hooks.news(schemas.OnMail)))
}

func TestNews_WritesNothingWithoutNewItems(t *testing.T) {
	w := mailboxtest.New(t)
	hooks := hooksOf(w, "qa", "s1")
	told := func() (told store.DeliveredItems, agent *store.Agent) {
		require.NoError(t, w.Store.View(context.Background(), func(v *store.View) (err error) {
			if told, err = v.DeliveredItems("qa", "s1"); err != nil {
				return err
			}
			agent, err = v.Agent("qa")
			return err
		}))
		return told, agent
	}
	for _, on := range []schemas.SessionEvent{schemas.OnStart, schemas.OnMail, schemas.OnStop, schemas.OnEnd, schemas.OnCompact, schemas.OnLook} {
		require.Equal(t, schemas.NewsOut{Agent: "qa"}, hooks.news(on))
	}
	row, agent := told()
	require.Zero(t, row)
	require.Nil(t, agent, "a session that only has hooks uses up no name")

	w.Sends(mailboxtest.Human, "qa", "Test it")
	hooks.news(schemas.OnMail)
	before, _ := told()
	w.Pass(time.Minute)
	hooks.news(schemas.OnMail)
	hooks.news(schemas.OnStart)
	after, _ := told()
	require.Equal(t, before, after)
}

func TestNews_CountsItemsBeyondMaximum(t *testing.T) {
	w := mailboxtest.New(t)
	for i := range 7 {
		w.Sends(mailboxtest.Human, "qa", fmt.Sprintf("task %d", i))
	}
	w.Sends(mailboxtest.Human, "qa", "Now", func(in *schemas.SendIn) { in.Priority = schemas.Critical })
	hooks := hooksOf(w, "qa", "s1")
	out := hooks.news(schemas.OnStart)
	require.Equal(t, "ho_8 ho_1 ho_2 ho_3 ho_4", itemIDs(out))
	require.Equal(t, 3, out.MoreNew)
	require.Equal(t, schemas.InboxCounts{Pending: 8, Urgent: 1}, out.Mail)
	require.Empty(t, itemIDs(hooks.news(schemas.OnMail)), "they were counted, and are not named one after another")
}

func TestNews_NamesHandoffsOfPools(t *testing.T) {
	w := mailboxtest.New(t)
	w.Stdio("sec")
	mailboxtest.Must(t, w.Register, schemas.Caller{Agent: "sec"}, schemas.RegisterIn{Name: "sec", Accepts: []string{"security_review"}})
	w.Sends(mailboxtest.Human, "capability:security_review", "Look at the login")
	require.Equal(t, "ho_1", itemIDs(hooksOf(w, "sec", "s1").news(schemas.OnMail)))
	require.Empty(t, itemIDs(hooksOf(w, "qa", "s1").news(schemas.OnMail)))
}

func TestNews_ListsHeldWorkAndAgentsAtStart(t *testing.T) {
	w, dev, qa := mailboxtest.NewWithTwoAgents(t, "dev", "qa")
	w.Stdio("docs")
	w.Sends(dev, "qa", "First")
	w.Updates(qa, w.Claims(qa).HandoffID, schemas.ActProgress, func(in *schemas.UpdateIn) { in.Percent = 40 })
	w.Sends(dev, "qa", "Second")
	hooks := hooksOf(w, "qa", "qa-1")
	first := hooks.news(schemas.OnStart)
	require.Equal(t, []schemas.Agent{"dev", "docs"}, first.Here)
	require.Len(t, first.Holding, 1)
	held := first.Holding[0]
	held.LeaseEnds = nil
	require.Equal(t, schemas.HeldHandoff{HandoffID: 1, Title: "First", From: "dev", Status: schemas.Working, Percent: 40}, held)
	require.Equal(t, "ho_2", itemIDs(first))
	require.Equal(t, &schemas.Marks{Handoffs: []schemas.ID{2}}, first.Marked)
	first.Marked = nil
	require.Equal(t, first, hooks.news(schemas.OnStart), "it may know nothing of that any more")
	require.Empty(t, itemIDs(hooks.news(schemas.OnMail)))
}
