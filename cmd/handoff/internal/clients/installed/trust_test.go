package installed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
)

// entry makes one in a project.
func entry(t *testing.T, c client.Client, fields client.Object) installed.ServerEntry {
	t.Helper()
	w := newWorld(t)
	doc, err := edit.ParseDocument(c.Servers.Syntax, nil)
	require.NoError(t, err)
	require.NoError(t, doc.Set(fields, append(installed.ServerListKeys(c, doc), "handoff")...))
	w.write(c.Servers, client.Project, string(doc.Bytes()))
	all, unread := installed.ServerEntries(c, w.Machine)
	require.Empty(t, unread)
	require.Len(t, all, 1, fields)
	return all[0]
}

func TestIsWrittenBySetup_AcceptsOnlyExactEntries(t *testing.T) {
	web := client.Server{URL: "https://example.com/mcp", TokenEnv: "HANDOFF_TOKEN"}
	for text, want := range map[string]bool{
		`"type": "stdio", "command": "handoff", "args": ["mcp"]`:                                                                       true,
		`"type": "stdio", "command": "handoff", "args": ["mcp"], "env": {}`:                                                            true,
		`"type": "stdio", "command": "handoff", "args": ["mcp", "--agent", "dev"]`:                                                     true,
		`"type": "stdio", "command": "handoff", "args": ["mcp", "--agent", "--dir=/"]`:                                                 false,
		`"type": "stdio", "command": "handoff", "args": ["mcp", "--agent", "dev", 7]`:                                                  false,
		`"type": "stdio", "command": "handoff", "args": ["mcp"], "env": {"LD_PRELOAD": "x.so"}`:                                        false,
		`"type": "stdio", "command": "handoff", "args": ["mcp"], "envFile": ".env"`:                                                    false,
		`"type": "stdio", "command": "handoff", "args": ["mcp"], "cwd": "bin"`:                                                         false,
		`"type": "stdio", "command": "handoff", "args": ["mcp", "--dir", "/"]`:                                                         false,
		`"type": "stdio", "command": "tools/handoff", "args": ["mcp"]`:                                                                 false,
		`"type": "stdio", "command": "sh", "args": ["-c", "id"]`:                                                                       false,
		`"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${HANDOFF_TOKEN}"}`:                    true,
		`"type": "http", "url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${HANDOFF_TOKEN}"}`:                    false,
		`"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${AWS_SECRET}"}`:                       false,
		`"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${HANDOFF_TOKEN}"}, "command": "evil"`: false,
	} {
		w, claude := worldWith(t, "claude-code")
		w.write(claude.Servers, client.Project, `{"mcpServers": {"handoff": {`+text+`}}}`)
		all, _ := installed.ServerEntries(claude, w.Machine)
		require.Len(t, all, 1)
		require.Equal(t, want, all[0].IsWrittenBySetup(client.Server{}, web), text)
	}
}

// Entries that setup writes for everybody in a project are trusted without a desired server.
func TestIsWrittenBySetup_AcceptsEntriesForEverybody(t *testing.T) {
	for _, c := range client.All() {
		if len(c.Servers.Project) == 0 {
			continue
		}
		for _, s := range []client.Server{
			{Command: []string{"handoff", "mcp"}},
			{Command: []string{"handoff", "mcp", "--agent", "qa"}, Trust: true},
		} {
			require.True(t, entry(t, c, c.Entry(s)).IsWrittenBySetup(), "%s: %v", c.Name, s)
			require.False(t, entry(t, c, append(c.Entry(s), client.Field{Key: "cwd", Value: "/x"})).IsWrittenBySetup(), "%s: %v", c.Name, s)
		}
	}
}
