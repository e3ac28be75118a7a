package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// commands walks all of our commands; completion and help are cobra's.
func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, commands(sub)...)
	}
	return all
}

func TestEveryHelpOpensWithExamples(t *testing.T) {
	for _, cmd := range commands((&app{}).root()) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			var out bytes.Buffer
			args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
			require.Zero(t, run(t.Context(), env{stdout: &out, stderr: &out, getenv: func(string) string { return "" }}, args))
			short, examples, _ := strings.Cut(out.String(), "\n\n")
			require.Equal(t, cmd.Short+".", short)
			require.True(t, strings.HasPrefix(examples, "Examples:\n  "), examples)
			for line := range strings.Lines(cmd.Example) {
				require.Contains(t, line, strings.Fields(cmd.CommandPath())[0])
			}
		})
	}
}

// What an example shows must exist: its command and each of its flags.
func TestExamplesUseWhatThereIs(t *testing.T) {
	root := (&app{}).root()
	for _, cmd := range commands(root) {
		for line := range strings.Lines(cmd.Example) {
			_, call, ok := strings.Cut(line, "handoff ")
			if !ok || strings.Contains(line, " add handoff ") {
				continue
			}
			call, _, _ = strings.Cut(call, "  #")
			named, _, err := root.Find(strings.Fields(call))
			require.NoError(t, err, line)
			for word := range strings.FieldsSeq(call) {
				name, isFlag := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(strings.TrimRight(name, `)"`), "=")
				known := named.Flags().Lookup(name) != nil || named.InheritedFlags().Lookup(name) != nil
				require.True(t, !isFlag || known, "%s: there is no --%s", line, name)
			}
		}
	}
}
