package setup_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

const mine = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\" },\n  },\n}\n"

// Revert restores the text from before the first setup, after any number of other setups.
func TestApplyUndo_RestoresTextBeforeFirstSetup(t *testing.T) {
	w, gemini := worldWith(t, "gemini-cli")
	path := w.servers(gemini)
	w.write(path, mine, 0o600)
	w.apply(gemini)
	require.Contains(t, w.read(path), "handoff hook stop")
	w.desired.Hooks = false
	w.desired.Server = client.Server{URL: "https://example.com/mcp", TokenEnv: "HANDOFF_TOKEN", Trust: true}
	w.apply(gemini)
	now := w.read(path)
	require.NotContains(t, now, "handoff hook")
	require.NotContains(t, now, `"mcp"`)
	require.Contains(t, now, `"Authorization": "Bearer ${HANDOFF_TOKEN}"`)
	w.revert(gemini)
	w.requireText(mine, path)
	require.Len(t, beside(t, path), 1)
}

// Another author wrote between two setups. Their text stays, and ours goes.
func TestApplyUndo_KeepsChangesBetweenTwoSetups(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	w.apply(cursor)
	w.write(path, w.read(path)+"// theirs\n", 0o600)
	w.desired.Server.Command = []string{"/opt/handoff", "mcp"}
	w.apply(cursor)
	w.revert(cursor)
	w.requireText(mine+"// theirs\n", path)
}

// Each client has its own key for an address. A second setup knows the entry of the first.
func TestApply_ChangesAddressOfEachClient(t *testing.T) {
	w := newWorld(t)
	w.desired.Hooks = false
	for _, c := range client.All() {
		for _, trust := range []bool{false, true} {
			w.desired.Server = client.Server{URL: "https://example.com/mcp", Trust: trust}
			w.apply(c)
		}
	}
}

// A field that another author added to our entry is theirs.
func TestApply_KeepsForeignFieldsOfEntry(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	path := w.servers(claude)
	w.write(path, `{"mcpServers": {"handoff": {"type": "stdio", "command": "/old/handoff", "args": ["mcp"], "alwaysLoad": true, "env": {"A": "b"}}}}`, 0o600)
	w.apply(claude)
	w.requireText(`{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"], "alwaysLoad": true, "env": {"A": "b"}}}}`, path)
}

// A person who sets a client up wants its server started. Servers of others stay off.
func TestApply_SwitchesServerOn(t *testing.T) {
	for name, file := range map[string]string{"codex": "ours-switched-off.toml", "cursor": "ours-switched-off.json", "opencode": "ours-switched-off.json"} {
		w, c := worldWith(t, name)
		path := w.servers(c)
		w.write(path, w.read(filepath.Join("testdata", "configs", name, "servers", file)), 0o600)
		before, _ := w.desired.FindEntry(c)
		require.True(t, before.Off, name)
		require.False(t, of(t, w.PlanSetup(c, w.desired), path).IsUnchanged(), name)
		w.apply(c)
		after, _ := w.desired.FindEntry(c)
		require.False(t, after.Off, name)
		require.Equal(t, before.Command, after.Command)
		require.Regexp(t, `enabled"?( =|:) false|"disabled": true`, w.read(path), "the other is as it was")
	}
}

// A permission that another author gave stays. Ours goes with removal, or with a setup without --trust.
func TestTrust_IsGrantedAndRevoked(t *testing.T) {
	const mine, both = `["WebFetch"]`, `["WebFetch", "mcp__handoff"]`
	for name, tt := range map[string]struct {
		before string
		trust  bool
		after  string
	}{"ours": {mine, true, mine}, "theirs": {both, true, both}, "never wanted": {both, false, both}} {
		t.Run(name, func(t *testing.T) {
			for _, remove := range []bool{true, false} {
				w, claude := worldWith(t, "claude-code")
				settings := claude.Allow.Files.PathFor(client.User, w.desired.Machine)
				w.write(settings, `{"permissions": {"allow": `+tt.before+"}}", 0o600)
				w.desired.Server.Trust = tt.trust
				w.apply(claude)
				require.Contains(t, w.read(settings), both)
				w.write(settings, w.read(settings)+"\n", 0o600) // another author writes, so that PlanUndo searches for our parts
				if w.desired.Server.Trust = false; remove {
					w.revert(claude)
				} else {
					w.apply(claude)
				}
				require.Contains(t, w.read(settings), tt.after+"}")
			}
		})
	}
}
