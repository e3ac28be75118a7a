package clients_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/tools"
)

const (
	root     = "../../../../"
	examples = root + "examples/"
)

var update = flag.Bool("update", false, "write hooks and tools into the plugins of examples")

// A plugin is a directory of examples that a client installs.
type plugin struct {
	client   string
	manifest string   // in the directory
	pass     []string // variables that the server needs from the client's environment
	command  string   // the file of a command, with NAME for its name
	typed    string   // text that a person types before the name of a command
}

var plugins = map[string]plugin{
	"claude-plugin": {
		client: "claude-code", manifest: ".claude-plugin/plugin.json", command: "commands/NAME.md", typed: "/handoff:",
	},
	"codex-plugin": {
		client: "codex", manifest: ".codex-plugin/plugin.json", pass: client.PassedVariables[:],
		command: "skills/NAME/SKILL.md", typed: "$handoff:",
	},
	"gemini-extension": {
		client: "gemini-cli", manifest: "gemini-extension.json", command: "commands/handoff/NAME.toml", typed: "/handoff:",
	},
}

func eachPlugin(t *testing.T, test func(t *testing.T, dir string, p plugin, c client.Client)) {
	for dir, p := range plugins {
		t.Run(dir, func(t *testing.T) {
			c, ok := client.ByName(p.client)
			require.True(t, ok)
			test(t, examples+dir+"/", p, c)
		})
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

// generated compares a file with its text, which -update writes.
func generated(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	require.Equal(t, text, read(t, file), "%s is stale: go test ./cmd/handoff/internal/clients -update", file)
}

func TestPlugins_HaveHooksOfTable(t *testing.T) {
	eachPlugin(t, func(t *testing.T, dir string, _ plugin, c client.Client) {
		var hooks bytes.Buffer
		e := json.NewEncoder(&hooks)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		call := client.HookCall{Program: client.ServerName}
		require.NoError(t, e.Encode(client.Object{{Key: "hooks", Value: c.HookGroups(call)}}))
		generated(t, dir+"hooks/hooks.json", hooks.String())
	})
}

func TestPlugins_StartServerOfTable(t *testing.T) {
	eachPlugin(t, func(t *testing.T, dir string, p plugin, c client.Client) {
		var manifest struct {
			Version string
			Servers map[string]json.RawMessage `json:"mcpServers"`
		}
		require.NoError(t, json.Unmarshal([]byte(read(t, dir+p.manifest)), &manifest))
		entry, err := json.Marshal(c.Entry(client.Server{Command: []string{client.ServerName, "mcp"}, Pass: p.pass}))
		require.NoError(t, err)
		require.Len(t, manifest.Servers, 1)
		require.JSONEq(t, string(entry), string(manifest.Servers[client.ServerName]))
		require.Equal(t, released(read(t, root+"CHANGELOG.md")), manifest.Version)
		require.Equal(t, read(t, root+"LICENSE"), read(t, dir+"LICENSE"))
		require.Contains(t, read(t, dir+"README.md"), c.Next)
	})
}

var release = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+[^\]]*)\]`)

// released returns the newest version that a changelog names. Before the first release it is 0.0.0: clients require a
// version, and do not notice a change while the version stays the same.
func released(changelog string) string {
	if found := release.FindStringSubmatch(changelog); found != nil {
		return found[1]
	}
	return "0.0.0"
}

func TestReleased_IsNewestVersionOfChangelog(t *testing.T) {
	require.Equal(t, "0.0.0", released("# Changelog\n\n## [Unreleased]\n\n- A\n"))
	require.Equal(t, "1.2.0", released("## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n## [1.1.0] - 2026-01-01\n"))
	require.Equal(t, "2.0.0-rc.1", released("## [2.0.0-rc.1]\n"))
}

var given = regexp.MustCompile(`I gave with this command: .*`)

// The clients differ in the head of a command and in the placeholder for the person's words, and in nothing else.
func TestPlugins_HaveCommandForEachPrompt(t *testing.T) {
	said := map[string]string{}
	eachPlugin(t, func(t *testing.T, dir string, p plugin, _ client.Client) {
		var wanted []string
		for _, prompt := range prompts(t) {
			file := filepath.Clean(dir + strings.ReplaceAll(p.command, "NAME", prompt.Name))
			wanted = append(wanted, file)
			head, body, found := strings.Cut(read(t, file), "Call ")
			require.True(t, found, file)
			require.Contains(t, head, `"`+prompt.Description+`"`, file)
			own := strings.TrimPrefix(read(t, root+"mcp/prompts/"+prompt.Name+".txt"), "Call ")
			require.True(t, strings.HasPrefix(body, own), file)
			body = given.ReplaceAllString(strings.TrimRight(body, "'\n"), "")
			for _, a := range prompt.Arguments {
				require.Contains(t, body, "\n- "+a.Name+": "+a.Description+".", file)
			}
			if said[prompt.Name] == "" {
				said[prompt.Name] = body
			}
			require.Equal(t, said[prompt.Name], body, file)
			require.Contains(t, read(t, dir+"README.md"), "`"+p.typed+prompt.typed()+"`")
		}
		there, err := filepath.Glob(dir + strings.ReplaceAll(p.command, "NAME", "*"))
		require.NoError(t, err)
		there = slices.DeleteFunc(there, func(file string) bool {
			return strings.HasSuffix(filepath.ToSlash(file), "skills/handoff/SKILL.md")
		})
		require.ElementsMatch(t, wanted, there)
	})
}

func TestGeminiExtension_ListsCommands(t *testing.T) {
	for _, p := range prompts(t) {
		row := "\n- `/handoff:" + p.typed() + "`: " + p.Description + "\n"
		require.Contains(t, read(t, examples+"gemini-extension/GEMINI.md"), row)
	}
}

const claudeSkill = examples + "claude-plugin/skills/handoff/SKILL.md"

// The skill is the same in each plugin, and explains each tool.
func TestSkill_NamesAllTools(t *testing.T) {
	skill := read(t, claudeSkill)
	require.Regexp(t, "^---\nname: handoff\ndescription: .*\nmodel: inherit\n---\n", skill)
	for _, tool := range tools.Table() {
		require.Contains(t, skill, "`"+tool.Name)
	}
	for dir := range plugins {
		generated(t, examples+dir+"/skills/handoff/SKILL.md", skill)
	}
}

var shown = regexp.MustCompile("`([a-z]+_[a-z]+)(?: (\\{.*?\\}))?`")

// The tools accept the calls that the skill shows.
func TestSkill_ShowsValidCalls(t *testing.T) {
	var calls int
	skill := strings.ReplaceAll(read(t, claudeSkill), "\n   ", " ")
	for _, call := range shown.FindAllStringSubmatch(skill, -1) {
		if call[2] == "" {
			continue
		}
		tool, err := tools.FindTool(call[1])
		require.NoError(t, err, call[0])
		_, err = tool.CanonicalArgs(json.RawMessage(call[2]))
		require.NoError(t, err, call[0])
		calls++
	}
	require.Greater(t, calls, 8)
}

var joined = regexp.MustCompile(`[a-z]+(?:_[a-z]+)+`)

// A command of Claude Code may call the tools that its head allows without asking. A tool under a wrong name would
// neither be allowed nor exist.
func TestPluginCommands_NameExistingTools(t *testing.T) {
	files, err := filepath.Glob(examples + "claude-plugin/commands/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		head, body, found := strings.Cut(read(t, file), "\n---\n")
		require.True(t, found, file)
		spoken := joined.FindAllString(body, -1)
		require.NotEmpty(t, spoken, file)
		for _, name := range spoken {
			_, err := tools.FindTool(name)
			require.NoError(t, err, file)
			require.Contains(t, head, "mcp__plugin_handoff_handoff__"+name, file)
		}
		slices.Sort(spoken)
		require.Equal(t, len(slices.Compact(spoken)), strings.Count(head, "mcp__"), file)
	}
}
