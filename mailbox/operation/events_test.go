package operation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestEvents_NameTokenAndTraceOfCaller(t *testing.T) {
	w := mailboxtest.New(t)
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	by := mailboxtest.RemoteCaller("a", "1")
	by.Token, by.Trace = "ci", trace
	w.Sends(by, "b", "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	w.Sends(by, "b", "y", mailboxtest.Message)
	w.Pass(time.Hour)
	require.Equal(t, schemas.TimedOut, w.Status(1))
	events := w.Events()
	require.Greater(t, len(events), 2)
	for i, e := range events {
		if i < 2 { // the send and the message
			require.Equal(t, []string{"ci", trace}, []string{e.Token, e.Trace})
			continue
		}
		require.Equal(t, schemas.ViaClock, e.Via)
		require.Empty(t, e.Token+e.Trace)
	}
}
