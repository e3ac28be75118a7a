package installed_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/tools/platform"
)

const ours = `{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"]}}}`

func TestServerEntries_FindsAllScopes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	w, claude := worldWith(t, "claude-code")
	all, unread := installed.ServerEntries(claude, w.Machine)
	require.Empty(t, all)
	require.Empty(t, unread)

	user := w.write(claude.Servers, client.User, `{"projects": {"`+filepath.ToSlash(w.Project)+`": `+ours+`, "/elsewhere": `+ours+`},`+ours[1:])
	project := w.write(claude.Servers, client.Project, ours)
	all, unread = installed.ServerEntries(claude, w.Machine)
	require.Empty(t, unread)
	require.Len(t, all, 3)
	for i, want := range []installed.ServerEntry{
		{Scope: client.User, Path: user}, {Scope: installed.Local, Path: user}, {Scope: client.Project, Path: project, Shared: true},
	} {
		require.Equal(t, want.Scope, all[i].Scope)
		require.Equal(t, want.Path, all[i].Path)
		require.Equal(t, want.Shared, all[i].Shared)
		require.Equal(t, []string{"handoff", "mcp"}, all[i].Command)
	}
}

// Where the project is the home directory, its files are the user's.
func TestServerEntries_ProjectAtHomeIsUsers(t *testing.T) {
	w := newWorld(t)
	w.Project = w.Home
	gemini := known(t, "gemini-cli")
	w.write(gemini.Servers, client.User, ours)
	all, _ := installed.ServerEntries(gemini, w.Machine)
	require.Len(t, all, 1)
	require.Equal(t, client.User, all[0].Scope)
	require.False(t, all[0].Shared)
}

// Files of the user that lie in the project may have come with it.
func TestServerEntries_UserFileWithinProjectIsShared(t *testing.T) {
	w := newWorld(t)
	w.Getenv = func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(w.Project, "conf")}[name]
	}
	claude := known(t, "claude-code")
	w.write(claude.Servers, client.User, ours)
	all, _ := installed.ServerEntries(claude, w.Machine)
	require.Len(t, all, 1)
	require.True(t, all[0].Shared)
}

func TestServerEntries_ReadsListThatClientUses(t *testing.T) {
	for text, want := range map[string][]string{
		`{"mcp": {"handoff": {"command": ["one"]}}}`:                                                  {"one"},
		`{"mcp": {"servers": {"handoff": {"command": ["two"]}}, "handoff": {"command": ["one"]}}}`:    {"two"},
		`{"mcp": {"servers": {"type": "local", "command": ["s"]}, "handoff": {"command": ["one"]}}}`:  {"one"},
		`{"mcp": {"servers": {}, "handoff": {"command": ["one"]}}}`:                                   nil,
		`{"mcp": {"handoff": "no object"}}`:                                                           nil,
		`{"mcp": [{"handoff": {"command": ["one"]}}], "mcpServers": {"handoff": {"command": ["x"]}}}`: nil,
	} {
		w, c := worldWith(t, "opencode")
		w.write(c.Servers, client.User, text)
		all, unread := installed.ServerEntries(c, w.Machine)
		require.Empty(t, unread)
		var commands []string
		for _, e := range all {
			commands = append(commands, e.Command...)
		}
		require.Equal(t, want, commands, text)
	}
}

func TestServerEntries_BrokenFileIsUnread(t *testing.T) {
	w, gemini := worldWith(t, "gemini-cli")
	path := w.write(gemini.Servers, client.User, "{")
	w.write(gemini.Servers, client.Project, ours)
	all, unread := installed.ServerEntries(gemini, w.Machine)
	require.Len(t, all, 1)
	require.Len(t, unread, 1)
	require.Equal(t, path, unread[0].Path)
	require.ErrorContains(t, unread[0].Err, "it does not parse")
}

// Doctor and setup read files of a project up to a size. Some clients keep their state in the file of the user's
// servers.
func TestServerEntries_LargeProjectFileIsUnread(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	long := ours[:len(ours)-1] + `, "history": "` + strings.Repeat("x", installed.Largest) + `"}`
	w.write(claude.Servers, client.User, long)
	project := w.write(claude.Servers, client.Project, long)
	all, unread := installed.ServerEntries(claude, w.Machine)
	require.Len(t, all, 1)
	require.Equal(t, client.User, all[0].Scope)
	require.Len(t, unread, 1)
	require.Equal(t, project, unread[0].Path)
	require.ErrorContains(t, unread[0].Err, "bytes")
	_, err := installed.OpenDocument(client.JSON, project, installed.Largest)
	require.ErrorContains(t, err, "bytes")
}

func TestResolveLinks_FollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs a symbolic link")
	}
	w := newWorld(t)
	if os.Symlink(w.Project, filepath.Join(w.Home, "link")) != nil {
		t.Skip("there are no links here")
	}
	for path, want := range map[string]string{
		"link": "", "link/a/b": "a/b", "link/../link/a": "a",
	} {
		require.Equal(t, filepath.Join(w.Project, want), platform.ResolveLinks(filepath.Join(w.Home, path)), path)
	}
	require.Equal(t, filepath.Join(w.Home, "a", "b"), platform.ResolveLinks(filepath.Join(w.Home, "a", "b")))
}
