package tokens_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func withToken(name schemas.Agent, token string) schemas.Caller {
	by := mailboxtest.Remote(name, token)
	by.Token, by.Names = token, []schemas.Agent{name}
	return by
}

func TestDenied_KeepsOneEventAMinutePerToken(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	deny := func(token, asked string) { w.Denied(ctx, withToken("qa", token), asked) }
	deny("ci", "boss")
	deny("ci", "root")
	deny("other", "boss")
	w.Pass(59 * time.Second)
	deny("ci", "boss")
	w.Pass(time.Second)
	deny("ci", "human")
	deny("ci", "human")

	events, said := w.said()
	require.Equal(t, []string{
		`{"agent":"boss","times":1}`,
		`{"agent":"boss","times":1}`,
		`{"agent":"human","times":3}`,
	}, said)
	for i, token := range []string{"ci", "other", "ci"} {
		require.Equal(t, "denied", events[i].Action)
		require.Equal(t, schemas.Agent("qa"), events[i].Agent)
		require.Equal(t, token, events[i].Token)
	}
}

func TestDenied_KeepsOnlyCallersWithToken(t *testing.T) {
	w := newWorld(t)
	w.Denied(context.Background(), mailboxtest.Remote("qa", "1"), "boss")
	events, _ := w.said()
	require.Empty(t, events)
}

func TestDenied_KeepsOneEventOfConcurrentCalls(t *testing.T) {
	w := newWorld(t, mailboxtest.On(mailboxtest.File(t)))
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { w.Denied(context.Background(), withToken("qa", "ci"), "boss") })
	}
	all.Wait()
	_, said := w.said()
	require.Equal(t, []string{`{"agent":"boss","times":1}`}, said)
	w.Pass(time.Minute)
	w.Denied(context.Background(), withToken("qa", "ci"), "boss")
	_, said = w.said()
	require.Contains(t, said[1], `"times":50`)
}
