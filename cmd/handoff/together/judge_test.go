//go:build unix

package together_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"handoff/schemas"
)

// standing is where a handoff stands in the model: one mailbox that does one thing at a time.
type standing struct {
	at    stage
	token string // of the claim that holds it, or that completed it; empty where no client was told
	by    int    // the claiming client
}

type stage int

const (
	unsent stage = iota
	pending
	held
	completed
)

// A model is the set of possible states of one handoff. Each answer to a client must equal the answer of the model at a
// moment between call and answer. A call without an answer may have taken effect or not.
type model struct {
	killed map[int]time.Duration
}

// judge gives the handoffs whose acts no order explains, with those acts.
func (h *history) judge() (impossible map[schemas.ID]string) {
	impossible = map[schemas.ID]string{}
	m := model{h.killed}
	for id, life := range h.lives() {
		if !m.explains(life) {
			impossible[id] = told(life)
		}
	}
	return impossible
}

// explains reports whether some order of the acts on one handoff leads to all that was told of them.
func (m model) explains(life []act) bool {
	rules := (&porcupine.NondeterministicModel{
		Init: func() []any { return []any{standing{}} },
		Step: func(state, input, _ any) []any { return m.step(state.(standing), input.(act)) },
	}).ToModel()
	return porcupine.CheckOperations(rules, operations(life))
}

func operations(life []act) (all []porcupine.Operation) {
	for _, a := range life {
		all = append(all, porcupine.Operation{ClientId: a.by, Input: a, Call: int64(a.from), Return: int64(a.until)})
	}
	return all
}

func told(life []act) string {
	var b strings.Builder
	for _, a := range life {
		fmt.Fprintln(&b, a)
	}
	return b.String()
}

// step gives where a handoff may stand after an act; nowhere if the act cannot have ended as it did.
func (m model) step(s standing, a act) []any {
	then, possible := m.does(s, a)
	switch {
	case a.fate == unknown && possible && then != s:
		return []any{s, then}
	case a.fate == unknown:
		return []any{s}
	case a.fate == refused && possible && then != s:
		return nil
	case a.fate == refused:
		return []any{s}
	case !possible:
		return nil
	}
	return []any{then}
}

// does is the life of a handoff as far as it is tried here.
func (m model) does(s standing, a act) (then standing, possible bool) {
	switch a.what {
	case sending:
		return standing{at: pending}, s.at == unsent
	case claiming:
		return standing{at: held, token: a.token, by: a.by}, m.free(s, a.until)
	case completing:
		then = standing{at: completed, token: s.token, by: s.by}
		return then, (s.at == held || s.at == completed) && s.token == a.token
	case reading:
		return s, m.looks(s, a)
	}
	return s, false
}

// free reports whether a handoff can be claimed: it is pending, or its holder is dead. A dead client's claim is kept
// for two minutes, or until the death is known.
func (m model) free(s standing, by time.Duration) bool {
	died, dead := m.killed[s.by]
	return s.at == pending || s.at == held && dead && died <= by
}

// looks reports whether a handoff that stands so may be found with a status.
func (m model) looks(s standing, a act) bool {
	switch {
	case a.status == "":
		return s.at == unsent
	case a.status == schemas.Pending:
		return s.at == pending || m.free(s, a.until)
	case a.status.IsHeld():
		return s.at == held
	case a.status == schemas.Completed:
		return s.at == completed
	}
	return false
}
