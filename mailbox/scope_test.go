package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

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
