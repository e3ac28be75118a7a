package cli

import (
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
