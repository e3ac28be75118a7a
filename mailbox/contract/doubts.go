package contract

import (
	"fmt"

	"handoff/schemas"
)

// Doubts names what a completion that is called a success says of itself that speaks against it: what was verified and
// did not pass. There are none for one that is called partial. A doubt refuses nothing: it is a question to the holder.
func Doubts(done schemas.Completion) (doubts []string) {
	v := done.Verification
	if v == nil || done.Status != schemas.Success {
		return nil
	}
	against := func(format string, args ...any) {
		doubts = append(doubts, "it was recorded as a success, and "+fmt.Sprintf(format, args...)+": the sender sees both")
	}
	for _, checked := range []struct {
		name    string
		passing *bool
	}{{"tests do", v.TestsPassing}, {"type checks do", v.TypeCheckPassing}, {"lint does", v.LintPassing}} {
		if checked.passing != nil && !*checked.passing {
			against("%s not pass", checked.name)
		}
	}
	if v.TestsFailed > 0 {
		against("%d tests failed", v.TestsFailed)
	}
	for _, c := range v.Commands {
		if c.ExitCode != 0 {
			against("%q ended with %d", schemas.Visible(schemas.Clip(c.Command, 80)), c.ExitCode)
		}
	}
	return doubts
}
