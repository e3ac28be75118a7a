package mailbox

import (
	"handoff/mailbox/operation"
	"handoff/schemas"
)

// The errors by which an operation undoes itself and tells the method around it why. No caller of a method sees them.
const (
	// errNotCompared means that a handoff asked for something and nobody has compared yet.
	errNotCompared operation.Undo = "what was asked for is to be compared first"

	// errLookFurther means that a transaction passed over as many as it may.
	errLookFurther operation.Undo = "what is wanted lies further back in the mailbox"
)

// errDryRun undoes a send and carries what it would have answered.
type errDryRun struct {
	operation.Undo
	out schemas.SendOut
}
