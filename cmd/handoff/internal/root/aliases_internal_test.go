package root

import (
	"slices"
	"strings"
	"testing"

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
			require.False(t, slices.ContainsFunc(root.Commands(), isNamed(word)), "%s is a command", word)
		}
	}
}
