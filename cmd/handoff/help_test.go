package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
)

func TestHelp_BeginsWithExamples(t *testing.T) {
	for _, cmd := range commandtest.Commands(commandtest.Root()) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			help := helpOf(t, append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
			short, examples, _ := strings.Cut(help, "\n\n")
			require.Equal(t, cmd.Short+".", short)
			require.True(t, strings.HasPrefix(examples, "Examples:\n  "), examples)
			for line := range strings.Lines(cmd.Example) {
				require.Contains(t, line, strings.Fields(cmd.CommandPath())[0])
			}
		})
	}
}

func TestHelp_HasEachCommandUnderOneHeading(t *testing.T) {
	root := commandtest.Root()
	for _, cmd := range root.Commands() {
		require.Equal(t, cmd.IsAvailableCommand(), root.ContainsGroup(cmd.GroupID), cmd.Name())
	}
}

func TestHelp_ShowsTenFlagsOfASendAndAllWithHelpAll(t *testing.T) {
	flags := func(help string) int {
		_, own, _ := strings.Cut(help, "\nFlags:\n")
		own, _, _ = strings.Cut(own, "\nFlags of every command:\n")
		return len(strings.Split(strings.TrimSpace(own), "\n")) - len([]string{"--help", "--help-all"})
	}
	require.Equal(t, 10, flags(helpOf(t, "send", "--help")))
	require.Equal(t, 10, flags(helpOf(t, "workflow", "start", "--help")))
	all := helpOf(t, "send", "--help-all")
	require.Greater(t, flags(all), 40)
	require.Contains(t, all, "--not-before text")
	require.NotContains(t, all, "--lease-max", "flags about the store are set in the environment")
}

func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	e := cli.Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}
	require.Zero(t, commandtest.Run(t.Context(), e, args), out.String())
	return out.String()
}
