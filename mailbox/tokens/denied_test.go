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
	by := mailboxtest.RemoteCaller(name, token)
	by.Token, by.Names = token, []schemas.Agent{name}
	return by
}

func TestRecordDenial_WritesOneEventPerTokenAndMinute(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	deny := func(token, asked string) { w.RecordDenial(ctx, withToken("qa", token), asked) }
	deny("ci", "boss")
	deny("ci", "root")
	deny("other", "boss")
	w.Pass(59 * time.Second)
	deny("ci", "boss")
	w.Pass(time.Second)
	deny("ci", "human")
	deny("ci", "human")

	events, said := w.tokenEvents()
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

func TestRecordDenial_IgnoresCallerWithoutToken(t *testing.T) {
	w := newWorld(t)
	w.RecordDenial(context.Background(), mailboxtest.RemoteCaller("qa", "1"), "boss")
	events, _ := w.tokenEvents()
	require.Empty(t, events)
}

func TestRecordDenial_WritesOneEventForConcurrentCalls(t *testing.T) {
	w := newWorld(t, mailboxtest.InBackend(mailboxtest.NewFileBackend(t)))
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { w.RecordDenial(context.Background(), withToken("qa", "ci"), "boss") })
	}
	all.Wait()
	_, said := w.tokenEvents()
	require.Equal(t, []string{`{"agent":"boss","times":1}`}, said)
	w.Pass(time.Minute)
	w.RecordDenial(context.Background(), withToken("qa", "ci"), "boss")
	_, said = w.tokenEvents()
	require.Contains(t, said[1], `"times":50`)
}
