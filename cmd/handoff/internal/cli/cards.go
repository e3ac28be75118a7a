package cli

import (
	"strings"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
)

// Everybody is more agents than a workspace has: on a terminal they are all shown.
const Everybody = 100_000

// Presence tells when an agent was seen.
func Presence(c schemas.Card, now time.Time) string {
	switch {
	case c.Away:
		return "away"
	case c.Live:
		return "live"
	case c.Seen.IsZero():
		return "never"
	}
	return terminal.Age(now.Sub(c.Seen)) + " ago"
}

// TokenAgents lists the agents that the holder of a token may act as.
func TokenAgents(t schemas.Token) string {
	names := make([]string, len(t.Agents))
	for i, a := range t.Agents {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}

// TokenState tells whether a token is live, revoked or expired.
func TokenState(t schemas.Token, now time.Time) string {
	switch {
	case t.Revoked != nil:
		return "revoked"
	case t.Expires != nil && !now.Before(*t.Expires):
		return "expired"
	}
	return TokenLive
}

// TokenLive is the state of a token that is good.
const TokenLive = "live"
