package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// The examples of help finish the handoff that they name.
func TestHelp_NamesHandoffThatMessageFinishes(t *testing.T) {
	root := commandtest.Root()
	for _, c := range []struct{ command, shown, send, told string }{
		{"complete", "--file completion.json", "--criteria A --criteria B", "ho_1 completed"},
		{"fail", "--file failure.json", "", "ho_1 failed"},
		{"call", "| handoff call complete_handoff -", "", `"status":"completed"`},
	} {
		cmd, _, err := root.Find([]string{c.command})
		require.NoError(t, err)
		var typed string
		for line := range strings.Lines(cmd.Example) {
			if strings.Contains(line, c.shown) {
				typed = strings.NewReplacer("12", "1", "agent qa", "agent auto-code").Replace(line)
			}
		}
		require.NotEmpty(t, typed, c.shown)
		out := runExample(t, "cd messages\nhandoff send auto-code Test --agent architect "+c.send+"\nhandoff claim --agent auto-code\n"+typed)
		require.Contains(t, out, c.told)
	}
}
