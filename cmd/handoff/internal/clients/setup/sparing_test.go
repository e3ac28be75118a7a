//go:build unix

package setup_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A rewriting is a file before a client's own command, what the command makes of it, and what is left of that.
type rewriting struct{ client, before, written, after string }

// Clients write their files anew; what they changed only in how it is written is as it was.
var rewritings = map[string]rewriting{
	"JSON": {
		"claude-code",
		"{\n\t// mine\n\t\"big\": 12345678901234567890, \"e\": 1e2,\n\n\t\"mcpServers\": { \"a\": {\"command\": \"a\"} }\n}\n",
		`{"big": 12345678901234567000, "e": 100, "mcpServers": {"a": {"command": "a"}, "handoff": {"args": ["mcp"], "type": "stdio", "command": "handoff", "env": {}}}}`,
		"{\n\t// mine\n\t\"big\": 12345678901234567890, \"e\": 1e2,\n\n\t\"mcpServers\": { \"a\": {\"command\": \"a\"}, " +
			`"handoff": {"type":"stdio","command":"handoff","args":["mcp"],"env":{}} }` + "\n}\n",
	},
	"TOML": {
		"codex",
		"# mine\nmodel = \"m\"   # kept\n\n[mcp_servers.a]\ncommand = \"a\"\nenv = { A = \"1\" }\n",
		"model = \"m\"\n\n[mcp_servers.a]\ncommand = \"a\"\n[mcp_servers.a.env]\nA = \"1\"\n[mcp_servers.handoff]\ncommand = \"handoff\"\n" +
			"args = [\"mcp\"]\n[mcp_servers.handoff.env]\nB = \"2\"\n",
		"# mine\nmodel = \"m\"   # kept\n\n[mcp_servers.a]\ncommand = \"a\"\nenv = { A = \"1\" }\n\n[mcp_servers.handoff]\ncommand = \"handoff\"\n" +
			"args = [\"mcp\"]\nenv = { B = \"2\" }\n",
	},
	"a list that there was not": {
		"claude-code", "{\"a\": 1} // mine\n", `{"a":1,"mcpServers":{"handoff":{"type":"stdio","command":"handoff","args":["mcp"]}}}`,
		`{"a": 1, "mcpServers": {"handoff":{"type":"stdio","command":"handoff","args":["mcp"]}}} // mine` + "\n",
	},
	"nothing": {"claude-code", "{ } // mine\n", "{}", "{\n  \"mcpServers\": {\n    \"handoff\": {\n      \"type\": \"stdio\",\n      \"command\": \"handoff\",\n" +
		"      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n} // mine\n"},
}

func TestOnlyTheEntryOfAClientsCommandIsTaken(t *testing.T) {
	for name, tt := range rewritings {
		t.Run(name, func(t *testing.T) {
			w, c := worldWith(t, tt.client)
			path := w.servers(c)
			w.standIn(c.Program, "cat >'"+path+".new' <<'END'\n"+tt.written+"\nEND\nmv '"+path+".new' '"+path+"'\n")
			w.write(path, tt.before, 0o640)
			change := of(t, w.Plan(c, w.desired), path)
			require.NotNil(t, change.Own)
			done, err := w.Apply(t.Context(), change)
			require.NoError(t, err)
			require.NoError(t, done.OwnErr)
			w.requireText(tt.after, path)
			requireMode(t, path, 0o640)
			require.True(t, of(t, w.Plan(c, w.desired), path).Same())
			w.revert(c)
			w.requireText(tt.before, path)
			require.Equal(t, []string{filepath.Base(path)}, beside(t, path))
		})
	}
}

// Gemini CLI has its hooks in the same file, which its command does not write.
func TestEntryOfAClientsCommandIsTakenBesideHooks(t *testing.T) {
	w, gemini := worldWith(t, "gemini-cli")
	path := w.servers(gemini)
	w.standIn("gemini", `printf '%s' '{"ui":{"theme":"x"},"mcpServers":{"handoff":{"command":"handoff","args":["mcp"],"timeout":7}}}' >'`+path+"'")
	w.write(path, "{\n  // mine\n  \"ui\": {\"theme\": \"x\"}\n}\n", 0o600)
	w.apply(gemini)
	require.Contains(t, w.read(path), "  // mine\n  \"ui\": {\"theme\": \"x\"},\n")
	require.Contains(t, w.read(path), `"timeout": 7`)
	require.Contains(t, w.read(path), "handoff hook session-start")
	w.revert(gemini)
	w.requireText("{\n  // mine\n  \"ui\": {\"theme\": \"x\"}\n}\n", path)
}

// What a client changes besides is its business, whatever it does to the rest.
func TestOtherChangesOfAClientsCommandStay(t *testing.T) {
	const entry = `"mcpServers":{"handoff":{"type":"stdio","command":"handoff","args":["mcp"]}}`
	for before, written := range map[string]string{
		"{\"starts\": 7} // mine\n": `{"starts":8,` + entry + "}",
		"{\"a\": [1]} // mine\n":    `{"a":[1,null],` + entry + "}",
		"{\"a\": {}} // mine\n":     "{" + entry + "}",
		"{\"a\": 1e999} // mine\n":  `{"a":null,` + entry + "}",
		"{\"a\": \"1\"} // mine\n":  `{"a":1,` + entry + "}",
	} {
		w, claude := worldWith(t, "claude-code")
		path := w.servers(claude)
		w.standIn("claude", "printf '%s' '"+written+"' >'"+path+"'")
		w.write(path, before, 0o600)
		_, err := w.Apply(t.Context(), of(t, w.Plan(claude, w.desired), path))
		require.NoError(t, err)
		w.requireText(written, path)
		w.revert(claude)
		w.requireText(before, path)
	}
}

// What a command leaves that nobody can read is no reason to lose what was there.
func TestFileThatAClientsCommandRuinedIsPutBack(t *testing.T) {
	for name, does := range map[string]string{"breaks it": "echo '{' >$HOME/.claude.json", "removes it": "rm $HOME/.claude.json", "and fails": "echo '{' >$HOME/.claude.json; exit 1"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.standIn("claude", does)
			claude := known(t, "claude-code")
			path := w.servers(claude)
			w.write(path, mine, 0o640)
			change := of(t, w.Plan(claude, w.desired), path)
			done, err := w.Apply(t.Context(), change)
			require.NoError(t, err)
			require.ErrorContains(t, done.OwnErr, "nothing that can be read")
			w.requireText(string(change.After), path)
			requireMode(t, path, 0o640)
			w.requireText(mine, done.Backup)
			w.revert(claude)
			w.requireText(mine, path)
			require.Len(t, beside(t, path), 1)
		})
	}
}

// What was changed before it ended has a receipt, and the copy is told.
func TestClientsCommandThatLeavesADirectoryIsAnError(t *testing.T) {
	w := newWorld(t)
	w.standIn("claude", "rm $HOME/.claude.json; mkdir $HOME/.claude.json")
	claude := known(t, "claude-code")
	path := w.servers(claude)
	w.write(path, mine, 0o600)
	done, err := w.Apply(t.Context(), of(t, w.Plan(claude, w.desired), path))
	require.ErrorContains(t, err, "it is no file")
	w.requireText(mine, done.Backup)
	require.NotEmpty(t, w.receipts())
	require.NoError(t, os.Remove(path))
	w.write(path, mine+"\n", 0o600)
	require.True(t, of(t, w.Undo(claude, w.desired), path).Recorded)
}
