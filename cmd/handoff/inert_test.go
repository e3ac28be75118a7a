package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

// Nothing that agents wrote, and nothing that an error repeats, reaches the terminal as more than text.
func TestOutput_TextOfAgentsRepaintsNothing(t *testing.T) {
	d := commandtest.NewHostileDesk(t)
	lines := [][]string{
		{"call", "get_handoff", commandtest.AsJSON(t, map[string]string{"view": commandtest.HostileText, commandtest.HostileText: commandtest.HostileText})},
		{"show", "\x9b31m"},
	}
	file, err := os.ReadFile("testdata/inert.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(file)) {
		if words := strings.Fields(line); words[0] != "#" {
			hostile := func(word string) string { return strings.ReplaceAll(word, "HOSTILE", commandtest.HostileText) }
			lines = append(lines, schemas.Map(words, hostile))
		}
	}
	for _, args := range lines {
		for _, terminal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%.60q", args), func(t *testing.T) {
				out, errs := plain(d, terminal, args...)
				require.NotEmpty(t, out+errs)
				require.Equal(t, schemas.EscapeHidden(out), out)
				require.Equal(t, schemas.EscapeHidden(errs), errs)
				for line := range strings.Lines(withoutMail(out) + errs) {
					require.False(t, strings.HasPrefix(line, commandtest.ForgedLine), "%s", out+errs)
				}
			})
		}
	}
}

// plain returns the output for qa without colour, on a terminal or elsewhere.
func plain(d commandtest.Desk, terminal bool, args ...string) (out, errs string) {
	e := d.Env()
	e.IsTerminal = func(any) bool { return terminal }
	_, out, errs = commandtest.Execute(d.Context(), e, d.Vars("qa", "NO_COLOR"), args...)
	return out, errs
}

// withoutMail removes the text between the tags of a brief, which no agent can forge.
func withoutMail(out string) string {
	before, mail, _ := strings.Cut(out, "<handoff ho_")
	_, after, _ := strings.Cut(mail, "</handoff tag=")
	return before + after
}
