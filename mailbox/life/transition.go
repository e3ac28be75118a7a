// Package life describes the life of a handoff in two tables. The table of transitions says for each action in which
// states it is allowed, which state follows, and which callers may do it. The table of consequences says what else each
// action causes. Package operation reads both tables: [TransitionFor] before a change, [ConsequencesOf] after it. The
// package reads no clock and no store.
//
// A handoff is pending until an agent claims it, then accepted, working after the first report, and waiting while its
// holder asks a question. It is pending again after its claim is released, its lease ends, or its question is answered.
// It ends as completed, failed, rejected, timed out or cancelled. An ended handoff never opens again; a completed
// handoff can only become a returned one.
//
// Both tables have golden files, so a reviewer sees each change of the rules there first. Tables in mailbox/hooks.go
// have the method that carries out each consequence.
package life

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// CallerParts is a set of the parts that callers play towards a handoff, for example sender or holder. A caller may
// play several parts at once: a sender may also own the workflow. In the table of transitions the set has the parts
// that may do an action, and a caller needs one of the parts.
type CallerParts uint16

// The parts.
const (
	Recipient CallerParts = 1 << iota // may claim it: it is addressed to the agent, or the agent qualifies for its pool and did not decline it
	Holder                            // claimed it last, and proves that with the claim token or the connection
	Sender                            // sent it
	Owner                             // sent the first handoff of its workflow
	Human                             // a person, on the command line
	Clock                             // the server, for due times and for consequences
	Verifier                          // holds a verification_request that is a child of it, or reviews it
)

// Transition is the effect of an action in a state.
type Transition struct {
	To schemas.Status // the state after it
	By CallerParts    // a caller that plays one of these may do it
}

// transitionsText is the whole table: for each action, the next state, the parts that may do the action, and the states
// in which the action is allowed. No action reopens an ended handoff: a retry leaves its state as it is.
//
// Three actions are not in the table, because every state allows them and package mailbox checks the caller. [Send]
// makes the record. [Forward] only records a handoff that was sent because of an event of this handoff. [Late] stores
// an outcome without changing the state.
//
//go:embed transitions.txt
var transitionsText string

// partNames are the words of the table for the parts, in the order of their constants.
var partNames = []string{"recipient", "holder", "sender", "owner", "human", "clock", "verifier"}

type actionInState struct {
	action Action
	from   schemas.Status
}

var transitions = sync.OnceValue(func() map[actionInState]Transition {
	all := map[actionInState]Transition{}
	for _, row := range schemas.TableRows(transitionsText, 4) {
		next := Transition{To: schemas.Status(row[1])}
		for part := range strings.FieldsSeq(row[2]) {
			next.By |= 1 << slices.Index(partNames, part)
		}
		for state := range strings.FieldsSeq(row[3]) {
			for _, from := range schemas.StatusFilter(state).States() { // open stands for several
				if row[1] == "same" {
					next.To = from
				}
				all[actionInState{Action(row[0]), from}] = next
			}
		}
	}
	return all
})

// TransitionFor returns the effect of an action in a state, with the parts that may do the action. ok is false if the
// state does not allow the action, or if the action is not in the table. Package operation calls it before each change
// of a record, and checks that the caller plays one of the parts. The golden file testdata/transitions.txt shows the
// whole table.
func TransitionFor(a Action, from schemas.Status) (s Transition, ok bool) {
	s, ok = transitions()[actionInState{a, from}]
	return s, ok
}
