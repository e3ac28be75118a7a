package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// commands walks all of our commands; help is cobra's.
func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, commands(sub)...)
	}
	return all
}

func TestEveryHelpOpensWithExamples(t *testing.T) {
	for _, cmd := range commands(newRoot()) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			var out bytes.Buffer
			args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
			require.Zero(t, run(t.Context(), cli.Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}, args))
			short, examples, _ := strings.Cut(out.String(), "\n\n")
			require.Equal(t, cmd.Short+".", short)
			require.True(t, strings.HasPrefix(examples, "Examples:\n  "), examples)
			for line := range strings.Lines(cmd.Example) {
				require.Contains(t, line, strings.Fields(cmd.CommandPath())[0])
			}
		})
	}
}
