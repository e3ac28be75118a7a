package clients

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// The go command removes a program of go run before a client looks for it.
func TestCheckProgramLasts_RefusesProgramOfGoRun(t *testing.T) {
	cached := strings.Repeat("0123456789abcdef", 4)
	for program, lasts := range map[string]bool{
		"/tmp/go-build3839850533/b001/exe/handoff":                   false,
		`C:\Users\ann\AppData\Local\Temp\go-build1\b001\exe\handoff`: false,
		"/home/ann/.cache/go-build/c4/" + cached + "-d/handoff":      false,
		"/home/ann/go/bin/handoff":                                   true,
		"/src/go-build/handoff":                                      true,
		"/tmp/go-build3839850533/b001/handoff.test":                  true,
		"handoff": true,
	} {
		err := (&setupRun{}).checkProgramLasts(true, program)
		require.Equal(t, lasts, err == nil, program)
		if !lasts {
			coded, ok := errors.AsType[*schemas.Error](err)
			require.True(t, ok)
			require.Contains(t, coded.Hint, "go install")
			require.NoError(t, (&setupRun{}).checkProgramLasts(false, program), "it is written nowhere")
			require.NoError(t, (&setupRun{flags: setupFlags{remove: true}}).checkProgramLasts(true, program))
		}
	}
}
