package life_test

import (
	"fmt"
	"strings"
	"testing"

	"handoff/mailbox/life"
	"handoff/schemas/golden"
)

// The golden file shows the table: the consequences of every action, with their condition and order.
func TestConsequencesOf_MatchesGolden(t *testing.T) {
	var b strings.Builder
	for _, a := range actions {
		rows := life.ConsequencesOf(a)
		if len(rows) == 0 {
			fmt.Fprintf(&b, "%-17s -\n", a)
		}
		for _, row := range rows {
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%-17s %-57s %s", a, row.Then, conditionText(row.If)), " "))
		}
	}
	golden.RequireEqual(t, "follows.txt", b.String())
}

func conditionText(c life.Condition) string {
	if c == life.Always {
		return ""
	}
	return "if " + string(c)
}
