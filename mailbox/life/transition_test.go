package life_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/schemas/golden"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

var actions = life.Actions

// stateless lists the actions that every state allows, so the table has no row for them.
var stateless = []life.Action{life.Send, life.Forward, life.Late}

// The golden file shows the table: every other action in every state.
func TestTransitionFor_MatchesGolden(t *testing.T) {
	golden.RequireEqual(t, "transitions.txt", transitionTable())
}

func transitionTable() string {
	var b strings.Builder
	for _, from := range schemas.Statuses {
		for _, a := range actions {
			if slices.Contains(stateless, a) {
				continue
			}
			s, ok := life.TransitionFor(a, from)
			if !ok {
				fmt.Fprintf(&b, "%-10s %-16s refused\n", from, a)
				continue
			}
			fmt.Fprintf(&b, "%-10s %-16s %-10s by %s\n", from, a, s.To, partNames(s.By))
		}
	}
	return b.String()
}

func partNames(set life.CallerParts) string {
	var names []string
	for i, name := range []string{"recipient", "holder", "sender", "owner", "human", "clock", "verifier"} {
		if set&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func TestTransitionFor_NeverReopensEndedHandoff(t *testing.T) {
	for _, a := range actions {
		for _, from := range schemas.Statuses {
			s, ok := life.TransitionFor(a, from)
			if ok && from.HasEnded() {
				require.True(t, s.To.HasEnded(), "%s reopens %s", a, from)
				require.True(t, s.To == from || a == life.Return, "%s changes %s to %s", a, from, s.To)
			}
		}
	}
}
