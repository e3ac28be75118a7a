package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/life"
)

// The table of consequences is a text. A condition that was misspelt there would end the program at the first change.
func TestConditions_HasEachConditionOfTable(t *testing.T) {
	for _, a := range life.Actions {
		for _, row := range life.ConsequencesOf(a) {
			require.Contains(t, conditions, row.If, "after %s", a)
		}
	}
}
