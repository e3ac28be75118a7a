package client

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

var geminiSettings = ConfigPaths{
	CommentedJSON, []Path{"${GEMINI_CLI_HOME:-~}/.gemini/settings.json"}, []Path{".gemini/settings.json"},
}

func geminiCLI() Client {
	return Client{
		Name: "gemini-cli", Title: "Gemini CLI", Aliases: []string{"gemini"},
		Program: "gemini", MCPName: "gemini-cli-mcp-client", CertVariable: nodeCertVariable,
		Shell: ShellVariables{Signs: []string{"GEMINI_CLI"}, Session: "GEMINI_SESSION_ID"},
		Traces: []Path{ // Antigravity uses the directory, too
			"${GEMINI_CLI_HOME:-~}/.gemini/settings.json", "${GEMINI_CLI_HOME:-~}/.gemini/installation_id",
			"${GEMINI_CLI_HOME:-~}/.gemini/oauth_creds.json", "${GEMINI_CLI_HOME:-~}/.gemini/state.json",
		},
		Servers: geminiSettings, Under: []any{"mcpServers"},
		Entry: geminiEntry, Remove: removeArgs,
		Hooks: &HookSettings{ConfigPaths: geminiSettings, Unit: time.Millisecond, Name: ServerName, Bare: true, Identifies: func(r HookReport) bool {
			return slices.Contains([]string{"BeforeAgent", "AfterAgent", "AfterTool", "PreCompress"}, r.EventName) // its words
		}, Commands: []Hook{
			{Event: SessionStart, EventName: "SessionStart", Timeout: hookTimeout},
			{Event: Prompt, EventName: "BeforeAgent", Timeout: hookTimeout},
			{Event: Tool, EventName: "AfterTool", Timeout: hookTimeout},
			{Event: Stop, EventName: "AfterAgent", Timeout: hookTimeout},
			{Event: SessionEnd, EventName: "SessionEnd", Timeout: hookTimeout},
		}},
		Plugins: &PluginFiles{
			User:   []Path{"${GEMINI_CLI_HOME:-~}/.gemini/extensions/handoff/gemini-extension.json"},
			Remove: []string{"extensions", "uninstall"},
		},
		TrustObstacles: geminiTrustObstacles,
		Next:           "Type gemini. Individual accounts ended: handoff setup antigravity.",
		Toolless:       "If you have no such tools, your user has not allowed them: `handoff setup gemini-cli --trust` does.",
		Asks:           "It asks before it uses a tool; gemini -p offers none. --trust ends both.",
	}
}

func geminiEntry(s Server) (o Object) {
	if s.URL != "" {
		o = Object{{"url", s.URL}, {"type", "http"}}.withField("headers", s.headers("${"))
	} else {
		o = Object{{"command", s.Command[0]}, {"args", s.Command[1:]}}
	}
	return o.withField("trust", s.Trust)
}

// geminiTrustObstacles returns an obstacle if Gemini CLI does not trust the folder of the project, or has not asked the
// person yet. Gemini CLI reads neither servers nor hooks of a folder without trust.
func geminiTrustObstacles(v MachineView) []TrustObstacle {
	if v.Read(JSON, geminiSettings.User[0], "security", "folderTrust", "enabled") == false {
		return nil
	}
	rules := cmp.Or(Path(v.Getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH")), "${GEMINI_CLI_HOME:-~}/.gemini/trustedFolders.json")
	folders, _ := v.Read(JSON, rules).(map[string]any)
	switch geminiTrustLevel(v.Machine.Project, folders) {
	case "":
		text := fmt.Sprintf("was not told whether to trust %s: it asks when it is started there", v.Machine.Project)
		return []TrustObstacle{{Ahead: true, Text: text, Command: []string{"gemini"}}}
	case geminiDoNotTrust:
		text := fmt.Sprintf("was told not to trust %s: type /permissions in it", v.Machine.Project)
		return []TrustObstacle{{Refused: true, Text: text, Command: []string{"gemini"}}}
	}
	return nil
}

const (
	geminiTrustParent = "TRUST_PARENT"
	geminiDoNotTrust  = "DO_NOT_TRUST"
)

// geminiTrustLevel returns the trust level of a folder. Rules maps paths to trust levels. Of the rules that cover the
// folder, the one with the longest path counts. Among paths of the same length, a rule that refuses trust counts,
// because a map does not keep the order of the file.
func geminiTrustLevel(folder string, rules map[string]any) (level string) {
	longest := -1
	for _, path := range slices.Sorted(maps.Keys(rules)) {
		covers, value := path, rules[path]
		if value == geminiTrustParent {
			covers = filepath.Dir(path)
		}
		if !IsWithin(covers, folder) || len(path) < longest || len(path) == longest && value != geminiDoNotTrust {
			continue
		}
		longest = len(path)
		level, _ = value.(string)
	}
	return level
}
