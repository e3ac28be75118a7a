package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// printed is the output of setup --print --json.
type printed struct {
	Clients []struct {
		Client string
		Files  []file
	}
}

type file struct{ Path, Text string }

func printSetup(t *testing.T, scope string) (p printed) {
	t.Helper()
	out := runExample(t, `mkdir "$HOME/project"; cd "$HOME/project"; handoff setup --all --print --json --scope `+scope+
		` | sed 's|/[^"\\]*/handoff-process|handoff|g'";s|$HOME/project/||g; s|$HOME|~|g"`)
	require.NoError(t, json.Unmarshal([]byte(out), &p))
	return p
}

// The files are equal to the project files of setup, each client's first one with its servers. A file outside of the
// project is the user's.
func TestExampleClients_MatchSetup(t *testing.T) {
	var table strings.Builder
	written := []string{"README.md"}
	of := map[string][]file{}
	for _, c := range printSetup(t, "project").Clients {
		of[c.Client] = c.Files
	}
	for _, c := range printSetup(t, "user").Clients {
		for j, f := range c.Files {
			name, here := c.Client+[]string{"", "-hooks"}[j]+filepath.Ext(f.Path), ""
			if project := of[c.Client]; j < len(project) { // else it keeps nothing of the kind in a project
				here, f.Text = "`"+project[j].Path+"`", project[j].Text
			}
			generated(t, filepath.Join(examples, "clients", name), f.Text)
			written = append(written, name)
			fmt.Fprintf(&table, "| `%s` | %s | `%s` |\n", name, here, f.Path)
		}
	}
	if runtime.GOOS == "linux" { // elsewhere some are in other places
		path := filepath.Join(examples, "clients", "README.md")
		readme, err := os.ReadFile(path)
		require.NoError(t, err)
		before, _, found := strings.Cut(string(readme), "|---|---|---|\n")
		require.True(t, found)
		generated(t, path, before+"|---|---|---|\n"+table.String())
	}

	there, err := os.ReadDir(filepath.Join(examples, "clients"))
	require.NoError(t, err)
	for _, entry := range there {
		require.Contains(t, written, entry.Name(), "setup writes no such file")
	}
}

// docs/clients.md shows two of them, and their commands start a server.
func TestExampleClients_MatchDocument(t *testing.T) {
	document, err := os.ReadFile("../../docs/clients.md")
	require.NoError(t, err)
	toml, err := os.ReadFile(filepath.Join(examples, "clients", "codex.toml"))
	require.NoError(t, err)
	require.Contains(t, string(document), "```toml\n"+string(toml))

	content, err := os.ReadFile(filepath.Join(examples, "clients", "claude-code.json"))
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```json\n(\\{\\s+\"mcpServers\".*?)```").FindSubmatch(document)
	require.NotNil(t, shown)
	require.JSONEq(t, string(content), string(shown[1]))

	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	require.NoError(t, json.Unmarshal(content, &config))
	entry := config.Servers["handoff"]
	out := runExample(t, "HANDOFF_WORKSPACE=w "+entry.Command+" "+strings.Join(entry.Args, " ")+" <<'END'\n"+
		commandtest.Hello+commandtest.ToolCall(1, "send_handoff", `{"to": "qa", "task": "Test it"}`)+"END\n")
	require.Contains(t, out, `ho_1`)
}
