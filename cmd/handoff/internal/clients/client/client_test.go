package client_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas/golden"
)

func machine(system string, vars map[string]string) client.Machine {
	return client.Machine{Getenv: func(name string) string { return vars[name] }, Home: "/home/ann", Project: "/src/shop", OS: system}
}

// The golden files show the whole row of each client, as setup and the hooks would use it.
func TestTable_MatchesGolden(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	stdio := client.Server{Command: []string{"handoff", "mcp", "--agent", "qa"}, Pass: []string{"XDG_STATE_HOME"}}
	web := client.Server{URL: "https://example.com/mcp", TokenEnv: "HANDOFF_TOKEN", Agent: "qa", Trust: true}
	for _, c := range client.All() {
		t.Run(c.Name, func(t *testing.T) {
			m := machine("linux", nil)
			said := client.Object{
				{"title", c.Title},
				{"user", c.Servers.PathFor(client.User, m)},
				{"project", c.Servers.PathFor(client.Project, m)},
				{"syntax", string(c.Servers.Syntax)},
				{"under", c.Under},
				{"stdio", c.Entry(stdio)},
				{"http", c.Entry(web)},
				{"next", c.Next},
				{"asks", c.Asks},
			}
			require.LessOrEqual(t, max(len(c.Title+": "+c.Next)+2, len(c.Asks)+4), 80, "on a narrow terminal")
			if c.Remove != "" {
				said = append(
					said, client.Field{"remove", strings.TrimPrefix(c.RemoveCommand(client.User, client.ServerName), c.Program+" ")},
				)
			}
			if c.Hooks != nil {
				said = append(
					said, client.Field{"hooks in", []string{c.Hooks.PathFor(client.User, m), c.Hooks.PathFor(client.Project, m)}},
					client.Field{"hooks", c.HookGroups(client.HookCall{Program: "/opt/my tools/handoff", Agent: "qa", Wake: true})},
				)
			}
			if c.Plugins != nil {
				said = append(
					said, client.Field{"plugins in", files(m, c.Plugins.User, c.Plugins.Project)},
					client.Field{"plugins under", c.Plugins.Key},
					client.Field{"plugin out", strings.Join(c.Plugins.Remove, " ")},
				)
			}
			text, err := json.MarshalIndent(said, "", "  ")
			require.NoError(t, err)
			golden.RequireEqual(t, c.Name+".json", string(text)+"\n")
		})
	}
}

// known says how each row was checked. Driven: a session of the client took and completed a handoff. Read: in this
// version of its program, or in the documents of its makers.
var known = map[string]string{
	"claude-code": "driven, 2.1.332",
	"codex":       "driven, 0.171.0",
	"gemini-cli":  "driven, 0.61.0",
	"cursor":      "read, November 2026",
	"vscode":      "read, November 2026",
	"kilo":        "driven, 7.7.9",
	"opencode":    "driven, 1.18.33",
	"copilot-cli": "driven, 1.0.102",
	"qwen-code":   "driven, 0.24.4",
	"cline":       "driven, 3.0.65",
	"windsurf":    "read, November 2026",
	"zed":         "read, November 2026",
	"antigravity": "read, November 2026",
}

// The table of docs/clients.md lists the rows.
func TestDocument_ListsRows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	const path = "../../../../../../docs/clients.md"
	const head = "| client | yours | of a project | has | known |\n|---|---|---|---|---|\n"
	m := machine("linux", nil)
	var table strings.Builder
	for _, c := range client.All() {
		var has []string
		if c.Hooks != nil {
			has = append(has, "hooks")
		}
		if c.HasTrustOption() {
			has = append(has, "`--trust`")
		}
		fmt.Fprintf(&table, "| `%s` | `%s` | %s | %s | %s |\n", c.Name,
			strings.Replace(c.Servers.PathFor(client.User, m), m.Home, "~", 1),
			strings.TrimPrefix(c.Servers.PathFor(client.Project, m), m.Project+"/"), strings.Join(has, ", "), known[c.Name])
	}
	text, err := os.ReadFile(filepath.Join("testdata", path))
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), head)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, "\n\n")
	require.True(t, ok)
	golden.RequireEqual(t, path, before+head+table.String()+"\n"+after)
}

func files(m client.Machine, paths ...[]client.Path) (all []string) {
	for _, p := range slices.Concat(paths...) {
		all = append(all, p.ResolveOn(m))
	}
	return all
}

func TestByName_FindsNamesAndAliases(t *testing.T) {
	for _, name := range []string{"claude-code", "claude", "Claude"} {
		c, ok := client.ByName(name)
		require.True(t, ok)
		require.Equal(t, "claude-code", c.Name)
	}
	_, ok := client.ByName("")
	require.False(t, ok)
}

func TestPath_FollowsSystemAndEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for name, tt := range map[string]struct {
		path   client.Path
		system string
		vars   map[string]string
		want   string
	}{
		"home":                 {path: "~/.a/b", want: "/home/ann/.a/b"},
		"of somebody else":     {path: "${CODEX_HOME:-~/.codex}/c", vars: map[string]string{"CODEX_HOME": "~foo"}, want: "/src/shop/~foo/c"},
		"project":              {path: ".mcp.json", want: "/src/shop/.mcp.json"},
		"variable":             {path: "${CODEX_HOME:-~/.codex}/c", vars: map[string]string{"CODEX_HOME": "/x"}, want: "/x/c"},
		"variable with a home": {path: "${CODEX_HOME:-~/.codex}/c", want: "/home/ann/.codex/c"},
		"configuration":        {path: "${config}/Code", system: "linux", want: "/home/ann/.config/Code"},
		"of XDG":               {path: "${config}/Code", system: "linux", vars: map[string]string{"XDG_CONFIG_HOME": "/x"}, want: "/x/Code"},
		"of a Mac":             {path: "${config}/Code", system: "darwin", want: "/home/ann/Library/Application Support/Code"},
		"settings":             {path: "${settings}/zed", system: "linux", want: "/home/ann/.config/zed"},
		"settings on a Mac":    {path: "${settings}/zed", system: "darwin", want: "/home/ann/.config/zed"},
		"settings on Windows":  {path: "${settings}/zed", system: "windows", vars: map[string]string{"APPDATA": "/app"}, want: "/app/zed"},
		"of Windows":           {path: "${config}/Code", system: "windows", vars: map[string]string{"APPDATA": "/app"}, want: "/app/Code"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, filepath.FromSlash(tt.want), tt.path.ResolveOn(machine(tt.system, tt.vars)))
		})
	}
}

// If a file has several names, the existing file counts.
func TestConfigPaths_PreferExistingFile(t *testing.T) {
	dir := t.TempDir()
	m := client.Machine{Getenv: func(string) string { return "" }, Home: dir, Project: dir}
	c, _ := client.ByName("opencode")
	require.Equal(t, filepath.Join(dir, "opencode.json"), c.Servers.PathFor(client.Project, m))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "opencode.jsonc"), nil, 0o600))
	require.Equal(t, filepath.Join(dir, "opencode.jsonc"), c.Servers.PathFor(client.Project, m))
}

func TestIsFoundOn_FindsFolderOrProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its programs are scripts of sh")
	}
	dir := t.TempDir()
	m := client.Machine{Getenv: func(string) string { return "" }, Home: dir, Project: dir}
	cursor, _ := client.ByName("cursor")
	require.False(t, cursor.IsFoundOn(m))
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".cursor"), 0o700))
	require.True(t, cursor.IsFoundOn(m))

	bin := filepath.Join(dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "claude"), nil, 0o600))
	m.Getenv = func(name string) string { return map[string]string{"PATH": ":.:relative:" + bin}[name] }
	claude, _ := client.ByName("claude")
	require.False(t, claude.IsFoundOn(m), "it cannot be run")
	require.NoError(t, os.Chmod(filepath.Join(bin, "claude"), 0o700))
	require.True(t, claude.IsFoundOn(m))
}

func TestParseHookLine_AcceptsOnlyOurLines(t *testing.T) {
	for command, want := range map[string]bool{
		"handoff hook stop":                         true,
		"/usr/bin/handoff hook stop --client codex": true,
		"'/opt/my tools/handoff' hook stop":         true,
		`"C:\tools\handoff.exe" hook stop`:          true,
		"handoff wait --hook --client claude-code":  true,
		"handoff wait 12":                           false,
		"handoff":                                   false,
		"handoffs hook stop":                        false,
		"echo handoff hook stop":                    false,
		"'handoff hook stop":                        false,
		"":                                          false,
		"handoff hook stop --client codex --agent 'a b'":           true,
		"handoff hook stop --client codex --agent a --workspace w": true,
		"handoff hook stop --client codex --workspace w":           true,
		"handoff hook stop --workspace w --client codex":           false,
		"handoff hook stop --client codex --workspace":             false,
		`'/home/o'\''hara/handoff' hook stop --client claude-code`: true,
		"handoff hook stop --client claude-code; notify-send done": false,
		"handoff hook stop --client claude-code && say done":       false,
		"handoff hook stop --client claude-code >log":              false,
		"handoff hook stop --client claude-code\nsay done":         false,
		"handoff hook stop --client claude-code --verbose":         false,
		"handoff hook stop --client $CLIENT":                       false,
		"handoff hook stop --client `id`":                          false,
		"handoff hook stop --client \"$(id)\"":                     false,
		"handoff wait --hook | tee log":                            false,
		"handoff hook":                                             false,
		`C:\tools\handoff.exe hook stop --client codex`:            true,
		`C:\Böse~1\handoff.exe hook stop --client codex`:           true,
		`C:\evil.exe&C:\x\handoff.exe hook stop --client codex`:    false,
		`C:\x;y\handoff hook stop --client codex`:                  false,
		`C:\x|y\handoff.exe hook stop --client codex`:              false,
		`C:\%x%\handoff.exe hook stop --client codex`:              false,
		"handoff hook --help":                                      false,
	} {
		require.Equal(t, want, isHookLine(command), command)
	}
}

func isHookLine(line string, programs ...string) bool {
	_, ok := client.ParseHookLine(line, programs...)
	return ok
}

// A program of another name is ours if the caller names it.
func TestParseHookLine_NeedsNameOfOtherProgram(t *testing.T) {
	const line = "'/opt/my tools/handoff-1.2' hook stop --client codex"
	require.False(t, isHookLine(line))
	require.False(t, client.BeginsLikeHookLine(line))
	require.True(t, isHookLine(line, "other", "/opt/my tools/handoff-1.2"))
	require.True(t, client.BeginsLikeHookLine(line+"; id", "/opt/my tools/handoff-1.2"))
	require.False(t, isHookLine(line+"; id", "/opt/my tools/handoff-1.2"))
	require.False(t, isHookLine(" hook stop", ""))
	require.False(t, isHookLine("'' hook stop", ""))
}

func TestParseHookLine_InvertsHookCommand(t *testing.T) {
	for _, call := range []client.HookCall{
		{Program: "handoff"},
		{Program: "/opt/my tools/handoff-1.2", Agent: "qa", Workspace: "wx"},
		{Program: "handoff", Workspace: "--agent"},
		{Program: `C:\tools\handoff.exe`, Agent: "qa"},
		{Program: `C:\Users\O'Hara\my tools\handoff.exe`},
	} {
		for _, name := range []string{"codex", "claude-code"} {
			c, _ := client.ByName(name)
			if !c.Hooks.CanRun(call.Program) {
				continue // setup does not write it
			}
			for _, h := range c.Hooks.Commands {
				read, ok := client.ParseHookLine(c.HookCommand(h, call), call.Program)
				require.True(t, ok)
				require.Equal(t, call, read)
			}
		}
	}
}

// Git Bash needs quotes around the path of a program; cmd, which Codex starts, takes none.
func TestHookCommand_QuotesWindowsPathForShellOfClient(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": `'C:\tools\handoff.exe' hook session-start --client claude-code`,
		"codex":       `C:\tools\handoff.exe hook session-start --client codex`,
		"gemini-cli":  `C:\tools\handoff.exe hook session-start --client gemini-cli`,
	} {
		c, _ := client.ByName(name)
		line := c.HookCommand(client.Hook{Event: client.SessionStart}, client.HookCall{Program: `C:\tools\handoff.exe`})
		require.Equal(t, want, line)
		require.True(t, client.BeginsLikeHookLine(line))
	}
}

// Doctor reports lines that begin as ours do and go on.
func TestBeginsAsHookLine_AcceptsLongerLines(t *testing.T) {
	require.True(t, client.BeginsLikeHookLine("handoff hook stop --client codex; say done"))
	require.True(t, client.BeginsLikeHookLine(`'/home/o'\''hara/handoff' wait --hook --client codex`))
	require.False(t, client.BeginsLikeHookLine("say done; handoff hook stop --client codex"))
	require.False(t, client.BeginsLikeHookLine(`C:\evil.exe&C:\x\handoff.exe hook stop --client codex`))
}

func TestIsHandoffCommand_ComparesName(t *testing.T) {
	for command, want := range map[string]bool{
		"handoff": true, "/opt/my tools/handoff": true, `C:\tools\handoff.exe`: true, "./handoff": true,
		"": false, "handoffs": false, "handoff/": false, "handoff-1.2": false, "/handoff/sh": false,
	} {
		require.Equal(t, want, client.IsHandoffCommand(command), command)
	}
}

// FuzzParseHookLine makes a command with any program and agent, and recognises it again.
func FuzzParseHookLine(f *testing.F) {
	for _, seed := range []string{"", "o'hara", "a b", `a\b"c`, "$(id); `id`\n", "'", "é\xff", `evil.exe&C:\x`, "x;y"} {
		f.Add(seed, seed)
	}
	c, _ := client.ByName("claude-code")
	bare, _ := client.ByName("codex")
	f.Fuzz(func(t *testing.T, dir, agent string) {
		of := client.HookCall{Program: `C:\` + dir + `\handoff.exe`}
		require.Equal(t, bare.Hooks.CanRun(of.Program), isHookLine(bare.HookCommand(bare.Hooks.Commands[0], of)), dir)
		for _, h := range c.Hooks.Commands {
			line := c.HookCommand(h, client.HookCall{Program: "/" + dir + "/handoff", Agent: agent})
			require.True(t, isHookLine(line), line)
			require.False(t, isHookLine(line+"; id"), line)
			require.False(t, isHookLine(c.HookCommand(h, client.HookCall{Program: "/" + dir + "/other", Agent: agent})))
		}
	})
}

// TestParseEntry_InvertsEntry parses each entry that setup wrote.
func TestParseEntry_InvertsEntry(t *testing.T) {
	for name, wished := range map[string]client.Server{
		"program": {Command: []string{"/opt/my tools/handoff", "mcp", "--agent", "qa"}},
		"address": {URL: "https://example.com/mcp", TokenEnv: "HANDOFF_TOKEN", Agent: "qa"},
	} {
		for _, c := range client.All() {
			t.Run(c.Name+" "+name, func(t *testing.T) {
				read := client.ParseEntry(fields(t, c.Entry(wished)))
				read.Authorization = "" // each client writes it in its own form
				wished := wished
				if !c.ReadsTokenVariable() {
					wished.TokenEnv = ""
				}
				require.Equal(t, client.ListedServer{Server: wished}, read)
			})
		}
	}
}

func TestParseEntry_OfOthersIsPartial(t *testing.T) {
	for text, want := range map[string]client.ListedServer{
		`{}`:                                                    {},
		`{"command":7,"url":[],"env":""}`:                       {},
		`{"command":["a",1,"b"]}`:                               {Server: client.Server{Command: []string{"a", "b"}}},
		`{"command":"a","disabled":true}`:                       {Server: client.Server{Command: []string{"a"}}, Off: true},
		`{"command":"a","enabled":false}`:                       {Server: client.Server{Command: []string{"a"}}, Off: true},
		`{"env":{"B":"2","A":"1","C":3}}`:                       {Environ: []string{"A=1", "B=2"}},
		`{"httpUrl":"http://a"}`:                                {Server: client.Server{URL: "http://a"}},
		`{"headers":{"Authorization":""}}`:                      {},
		`{"headers":{"Authorization":"Bearer secret"}}`:         {Authorization: "Bearer secret"},
		`{"headers":{"Authorization":"a","authorization":"b"}}`: {Authorization: "b"},
	} {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &fields))
		require.Equal(t, want, client.ParseEntry(fields), text)
	}
}

// Each client has its form of a variable. Other texts are not variables.
func TestParseEntry_ReadsTokenVariableOfEachClient(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer $TOKEN": "TOKEN", "Bearer ${TOKEN}": "TOKEN", "Bearer ${env:TOKEN}": "TOKEN", "Bearer ${TOKEN:-none}": "TOKEN",
		"Bearer {env:TOKEN}": "TOKEN", "bearer  $TOKEN_2": "TOKEN_2",
		"Bearer secret": "", "Bearer {TOKEN}": "", "Bearer ${input:TOKEN}": "", "Bearer $TOKEN-x": "", "Bearer ${TOKEN": "", "Bearer $2": "",
		"$TOKEN": "", "Bearer env:TOKEN": "",
	} {
		read := client.ParseEntry(map[string]any{"headers": map[string]any{"Authorization": header}})
		require.Equal(t, want, read.TokenEnv, header)
	}
}

func fields(t *testing.T, o client.Object) (fields map[string]any) {
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &fields))
	return fields
}
