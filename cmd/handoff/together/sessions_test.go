//go:build unix

package together_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// TestSessions_OfOneClientHaveOwnNames starts a client twice without telling anybody a name.
func TestSessions_OfOneClientHaveOwnNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first, second := p.session("claude-code"), p.session("claude-code")
	require.Contains(t, first.welcome.Instructions, "You are claude-code in workspace w.")
	require.Contains(t, second.welcome.Instructions, "You are claude-code-2 in workspace w.")
	require.Contains(t, second.welcome.Instructions, "Also here, by their own account: claude-code (live).")

	var sent struct {
		schemas.SendOut
		Next []schemas.Advice
	}
	require.NoError(t, first.call(p.ctx, "send_handoff", schemas.SendIn{To: "claude-code-2", Task: "try it", Title: "one"}, &sent))
	require.Contains(t, sent.Next[0].Say, "You are claude-code; also here: claude-code-2 (live).")
	claim, err := second.claim(p.ctx, schemas.ClaimIn{})
	require.NoError(t, err)
	require.Equal(t, "one", claim.Title)

	_, err = first.send(p.ctx, schemas.SendIn{To: "claude-code-2", Task: "try it", Title: "two"})
	require.NoError(t, err)
	empty, err := first.claim(p.ctx, schemas.ClaimIn{})
	require.NoError(t, err)
	require.True(t, empty.Empty, "the second session is there to take its mail")
	endAll(t, []*process{second})
	claim, err = first.claim(p.ctx, schemas.ClaimIn{WaitSeconds: 10})
	require.NoError(t, err)
	require.Equal(t, "two", claim.Title, "mail for a session that ended is not stranded")
	endAll(t, []*process{first})
}

// session starts a process for a client that calls itself so.
func (p *place) session(client string) *process {
	p.t.Helper()
	s, err := p.begin()
	require.NoError(p.t, err)
	require.NoError(p.t, s.greet(p.ctx, client))
	return s
}
