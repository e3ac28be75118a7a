package root

import (
	_ "embed"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// Each meaning is a command with flags that exist. No word that runs a command hides another one, or ends or deletes
// work.
func TestMeanings_RunHarmlessCommands(t *testing.T) {
	root := Command(NewApp(cli.Env{}, ""))
	root.InitDefaultHelpCmd()
	table, err := os.ReadFile("../../../../schemas/respell/meanings.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(table)) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		if len(columns) == 1 || strings.HasPrefix(line, "#") {
			continue
		}
		command, _, _ := strings.Cut(columns[0], " (")
		cmd, rest, _ := root.Find(strings.Fields(command))
		require.NotSame(t, root, cmd, line)
		for _, word := range rest {
			flag, ok := strings.CutPrefix(word, "--")
			flag, _, _ = strings.Cut(flag, "=")
			require.True(t, !ok || cmd.Flag(flag) != nil, line)
		}
		for word := range strings.FieldsSeq(columns[1]) {
			word, runs := strings.CutPrefix(word, "!")
			isNamed := func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) }
			require.False(t, runs && slices.ContainsFunc(root.Commands(), isNamed), "%s is a command", word)
			require.False(t, runs && slices.Contains([]string{"cancel", "compact", "fail", "redact", "restore", "remove"}, cmd.Name()), line)
		}
	}
}

// What a flag means is never a flag that means another thing: the replacement comes to an end.
func TestFlagsMeant_AreReplacedOnce(t *testing.T) {
	table, err := os.ReadFile("../cli/flags_meant.txt")
	require.NoError(t, err)
	root := Command(NewApp(cli.Env{}, ""))
	for line := range strings.Lines(string(table)) {
		columns := strings.Split(line, " | ")
		if len(columns) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		for flag := range strings.FieldsSeq(columns[1]) {
			command := strings.Fields(strings.Replace(columns[0], "*", "send", 1))[0]
			once, err := cli.Translate(cli.Env{Stderr: io.Discard}, root, []string{command, "1", flag, "x"})
			require.NoError(t, err, line)
			twice, err := cli.Translate(cli.Env{Stderr: io.Discard}, root, once)
			require.NoError(t, err, line)
			require.Equal(t, once, twice, line)
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
		var err error
		a.Args, err = cli.Translate(a.Env, root, strings.Fields(typed))
		cmd, rest, _ := root.Find(a.Args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		a.Report(cmd, err)
		said.WriteString("handoff " + strings.Join(a.Args, " "))
		assert.Contains(t, said.String(), want, typed)
		require.NotRegexp(t, "handoff (cancel|redact|restore|workspace remove)", said.String(), typed)
	}
}
