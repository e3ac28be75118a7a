package operation_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

// A database that confirms a commit too late may have kept it, so the server must not say that nothing was done. A kept
// change becomes visible as soon as the database answers again, without another call.
func TestSend_ReportsUnknownEndOfUnconfirmedCommit(t *testing.T) {
	address := postgrestest.StartServer(t)
	var ids atomic.Int64
	b := postgrestest.WorkspaceOpener(t, address, postgres.Config{})(t, "held")
	defer b.Close()
	s := mailbox.New(mailbox.Config{
		Store: store.New(b), Now: time.Now,
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, ids.Add(1)) },
	})
	lead := schemas.Caller{Agent: "lead"}
	send := func(task string) error {
		_, err := s.Send(context.Background(), lead, schemas.SendIn{To: "qa", Task: task, Parent: "none"})
		return err
	}
	require.NoError(t, send("one"))

	other, err := postgrestest.ConnectPool(t, address).Begin(t.Context())
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), "lock table handoff_log in access exclusive mode")
	require.NoError(t, err)
	e := schemas.AsError(send("two"))
	require.Equal(t, schemas.Unavailable, e.Code)
	require.Contains(t, e.Message, "not known whether this was kept")
	require.Contains(t, e.Hint, "Look whether")
	require.NoError(t, other.Rollback(t.Context()))
	require.Eventually(t, func() bool {
		sent, err := s.List(t.Context(), lead, schemas.ListIn{Box: "sent"})
		return err == nil && len(sent.Items) == 2
	}, time.Minute, 10*time.Millisecond)
}
