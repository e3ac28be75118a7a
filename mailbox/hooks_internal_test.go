package mailbox

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"handoff/mailbox/life"
)

// The table of consequences is a text. A consequence that was misspelt there would be skipped, or end the program.
func TestConsequences_HaveEachConsequenceOfTable(t *testing.T) {
	for _, a := range life.Actions {
		for _, row := range life.ConsequencesOf(a) {
			if row.Then.AffectsOthers() {
				assert.Contains(t, consequencesForOthers, row.Then, "after %s", a)
			} else {
				assert.Contains(t, consequences, row.Then, "after %s", a)
			}
		}
	}
}
