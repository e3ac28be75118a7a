package contract

import (
	"fmt"
	"slices"
	"strings"

	"handoff/schemas"
)

// Doubts names what a completion says of itself that speaks against a success: what was verified and did not pass. Of
// a command that was run several times the last run counts. With a doubt it is partial at best, see [Outcome].
func Doubts(done schemas.Completion) []string {
	said := saidBy(done)
	if !done.Conforms {
		said.lookAtOutput(done.Output)
	}
	doubts := said[true]
	v := schemas.OrZero(done.Verification)
	for _, checked := range []struct {
		name    string
		passing *bool
	}{{"tests do", v.TestsPassing}, {"type checks do", v.TypeCheckPassing}, {"lint does", v.LintPassing}} {
		if checked.passing != nil && !*checked.passing {
			doubts = append(doubts, checked.name+" not pass")
		}
	}
	if v.TestsFailed > 0 {
		doubts = append(doubts, fmt.Sprintf("%d tests failed", v.TestsFailed))
	}
	for i, c := range v.Commands {
		again := func(later schemas.Command) bool { return fold(later.Command) == fold(c.Command) }
		if c.ExitCode != 0 && !slices.ContainsFunc(v.Commands[i+1:], again) {
			doubts = append(doubts, fmt.Sprintf("%q ended with %d", schemas.Visible(schemas.Clip(c.Command, 80)), c.ExitCode))
		}
	}
	return doubts
}

// Strictly refuses a completion of a strict handoff that has doubts.
func Strictly(e *schemas.Expectations, done schemas.Completion) error {
	doubts := Doubts(done)
	if e == nil || !e.Strict || len(doubts) == 0 {
		return nil
	}
	return schemas.Errorf(schemas.Conflict, "this handoff is strict, and the completion says itself: %s", strings.Join(doubts, "; ")).
		WithHint("Mend it and complete again, ask the sender, or give up.")
}

// Contradiction refuses a completion that is not called partial, and in which a field says that the work is not done:
// an error, or a success that is none. Only its holder knows what is meant.
func Contradiction(in schemas.CompleteIn) error {
	no := saidBy(schemas.Completion{Result: in.Result, Origin: in.Origin})[false]
	if len(strings.Fields(in.Summary)) < 3 && isWrong(in.Summary) {
		no = append(no, "summary: "+schemas.Visible(in.Summary))
	}
	if len(no) == 0 || in.Outcome == schemas.Partial {
		return nil
	}
	return schemas.Invalidf("outcome", "the completion says itself that the work is not done: %s", strings.Join(no, "; ")).
		WithHint("Nothing was completed. What is no failure of the work belongs into detail.").WithNext(schemas.NotDone(in.HandoffID)...)
}
