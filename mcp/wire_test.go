package mcp_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

var update = flag.Bool("update", false, "write what the server says into testdata")

// TestWire plays the conversations in testdata. In them a line begins with
//
//	#  a comment
//	>  what the client sends
//	!  what another agent does: its name, a tool, the arguments
//	$  the end of input, after which the server says the rest
//	<  what the server says
//
// The server says one line to each > and !, or as many as the digit behind it.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			script, err := os.ReadFile(file)
			require.NoError(t, err)
			played := play(t, string(script))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(played), 0o600))
				return
			}
			require.Equal(t, string(script), played)
		})
	}
}

// play gives the script with what the server really says.
func play(t *testing.T, script string) string {
	t.Helper()
	cfg := workspace(t)
	c := connect(t, cfg)
	var played strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "<") {
			continue // the server speaks for itself
		}
		played.WriteString(line + "\n")
		mark, text, _ := strings.Cut(line, " ")
		switch mark[0] {
		case '>':
			c.send(text)
		case '!':
			agent, rest, _ := strings.Cut(text, " ")
			tool, args, _ := strings.Cut(rest, " ")
			act(t, cfg, schemas.Agent(agent), tool, args)
		case '$':
			require.NoError(t, c.leave())
			for _, said := range c.rest() {
				played.WriteString("< " + said + "\n")
			}
		}
		for range answers(mark) {
			played.WriteString("< " + c.next() + "\n")
		}
	}
	return played.String()
}

func answers(mark string) int {
	switch {
	case mark[0] != '>' && mark[0] != '!':
		return 0
	case len(mark) > 1:
		return int(mark[1] - '0')
	}
	return 1
}
