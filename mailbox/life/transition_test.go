package life_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/schemas/golden"
)

// The golden file is the picture of the table: every action in every state.
func TestTransitionsAreAsInTestdata(t *testing.T) {
	golden.Equal(t, "transitions.txt", picture())
}

func picture() string {
	var b strings.Builder
	for _, from := range append([]schemas.Status{life.Unsent}, schemas.Statuses...) {
		for _, a := range life.Actions {
			s, ok := life.Next(a, from)
			if !ok {
				fmt.Fprintf(&b, "%-10s %-16s refused\n", orDash(from), a)
				continue
			}
			fmt.Fprintf(&b, "%-10s %-16s %-10s by %s\n", orDash(from), a, s.To, parts(s.By))
		}
	}
	return b.String()
}

func orDash(s schemas.Status) string {
	if s == life.Unsent {
		return "-"
	}
	return string(s)
}

func parts(set life.Parts) string {
	var names []string
	for i, name := range []string{"anyone", "recipient", "holder", "sender", "owner", "human", "clock", "verifier"} {
		if set&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func TestEndedStatesStayEnded(t *testing.T) {
	for _, a := range life.Actions {
		for _, from := range schemas.Statuses {
			s, ok := life.Next(a, from)
			if ok && from.Ended() {
				require.True(t, s.To.Ended(), "%s reopens %s", a, from)
				require.True(t, s.To == from || a == life.Return, "%s changes %s to %s", a, from, s.To)
			}
		}
	}
}
