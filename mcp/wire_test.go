package mcp_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

var update = flag.Bool("update", false, "write what the server says into testdata")

// TestServer_SendsMessagesOfTestdata plays the conversations in testdata. In them a line begins with
//
//	#  a comment
//	>  a message of the client
//	!  an action of another agent: its name, a tool, the arguments
//	$  the end of input, after which the server sends the rest
//	<  a message of the server
//
// The server sends one line for each > and !, or n lines if the digit n stands behind it. [layOut] lays it out. Lines
// that begin with a blank continue the line above them: a message of the client may be broken anywhere between two
// values.
func TestServer_SendsMessagesOfTestdata(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			script, err := os.ReadFile(file)
			require.NoError(t, err)
			played := playConversation(t, string(script))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(played), 0o600))
				return
			}
			require.Equal(t, string(script), played)
		})
	}
}

// playConversation returns the script with the actual messages of the server.
func playConversation(t *testing.T, script string) string {
	t.Helper()
	cfg := workspace(t)
	c := connect(t, cfg)
	var played strings.Builder
	said := func(message string) {
		require.False(t, strings.ContainsAny(message, "<>&"), "these are escaped on the wire")
		played.WriteString("< " + layOut(message) + "\n")
	}
	for _, written := range entry.FindAllString(script, -1) {
		if strings.HasPrefix(written, "<") {
			continue // the server speaks for itself
		}
		played.WriteString(written)
		mark, text, _ := strings.Cut(continued.ReplaceAllString(written, ""), " ")
		switch mark[0] {
		case '>':
			c.send(text)
		case '!':
			agent, rest, _ := strings.Cut(text, " ")
			tool, args, _ := strings.Cut(rest, " ")
			callAs(t, cfg, schemas.Agent(agent), tool, args)
		case '$':
			require.NoError(t, c.closeInput())
			for _, message := range c.remainingLines() {
				said(message)
			}
		}
		for range answerCount(mark) {
			said(c.nextLine())
		}
	}
	return played.String()
}

// entry matches a line of a script together with the lines that continue it. continued matches the places where a line
// is broken.
var (
	entry     = regexp.MustCompile(`(?m)^[^ \n].*\n(?: .*\n)*`)
	continued = regexp.MustCompile(`\n *`)
)

func answerCount(mark string) int {
	switch {
	case mark[0] != '>' && mark[0] != '!':
		return 0
	case len(mark) > 1:
		return int(mark[1] - '0')
	}
	return 1
}
