package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
)

func TestEveryHelpOpensWithExamples(t *testing.T) {
	for _, cmd := range commandtest.Commands(commandtest.Root()) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			var out bytes.Buffer
			args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
			require.Zero(t, commandtest.Run(t.Context(), cli.Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}, args))
			short, examples, _ := strings.Cut(out.String(), "\n\n")
			require.Equal(t, cmd.Short+".", short)
			require.True(t, strings.HasPrefix(examples, "Examples:\n  "), examples)
			for line := range strings.Lines(cmd.Example) {
				require.Contains(t, line, strings.Fields(cmd.CommandPath())[0])
			}
		})
	}
}
