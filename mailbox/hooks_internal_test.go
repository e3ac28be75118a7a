package mailbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/life"
)

// The table of consequences is a text. A consequence that was misspelt there would be skipped, or end the program.
func TestConsequences_HaveEachConsequenceOfTable(t *testing.T) {
	for _, a := range life.Actions {
		for _, row := range life.ConsequencesOf(a) {
			if row.Then.AffectsOthers() {
				require.Contains(t, consequencesForOthers, row.Then, "after %s", a)
			} else {
				require.Contains(t, consequences, row.Then, "after %s", a)
			}
		}
	}
}
