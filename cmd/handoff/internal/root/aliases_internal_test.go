package root

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
)

// Each alias runs a command with flags that exist, and no alias hides a command or runs one that ends or deletes work.
func TestAliases_RunHarmlessCommands(t *testing.T) {
	root := Command(NewApp(cli.Env{}, ""))
	for line := range strings.Lines(aliasTable) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		if len(columns) == 1 {
			continue
		}
		require.Len(t, columns, 3, line)
		command := strings.Fields(columns[2])
		cmd, rest, err := root.Find(command)
		require.NoError(t, err, line)
		require.NotSame(t, root, cmd, line)
		require.NotContains(t, []string{"cancel", "compact", "fail", "redact", "restore", "remove"}, cmd.Name(), line)
		for _, word := range rest {
			flag, ok := strings.CutPrefix(word, "--")
			require.True(t, !ok || cmd.Flags().Lookup(flag) != nil, line)
		}
		for word := range strings.FieldsSeq(columns[0]) {
			require.False(t, !strings.HasPrefix(columns[1], "=") && slices.ContainsFunc(root.Commands(), isNamed(word)), "%s is a command", word)
		}
	}
}

//go:embed testdata/words.txt
var typedWords string

// Each command line leads to its command, by an alias, by a flag that is accepted or by a hint. None leads to a command
// that ends or deletes work.
func TestAliases_LeadWordsToTheirCommand(t *testing.T) {
	for line := range strings.Lines(typedWords) {
		typed, want, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok {
			continue
		}
		var said strings.Builder
		a := NewApp(cli.Env{Stderr: &said, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }}, "")
		root := Command(a)
		a.Args = cli.AcceptFlags(root, replaceAlias(a.Env, root, strings.Fields(typed)))
		cmd, rest, err := root.Find(a.Args)
		require.NoError(t, err)
		if err = cmd.ParseFlags(rest); err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		a.Report(cmd, err)
		said.WriteString("handoff " + strings.Join(a.Args, " "))
		assert.Contains(t, said.String(), want, typed)
		require.NotRegexp(t, "handoff (cancel|redact|restore|workspace remove)", said.String(), typed)
	}
}
