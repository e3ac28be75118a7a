package client

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

func addGeminiCLI(c *Client) {
	c.TrustObstacles = geminiTrustObstacles
	c.Hooks.Identifies = func(r HookReport) bool {
		return slices.Contains([]string{"BeforeAgent", "AfterAgent", "AfterTool", "PreCompress"}, r.EventName) // its words
	}
}

// geminiTrustObstacles returns an obstacle if Gemini CLI does not trust the folder of the project, or has not asked the
// person yet. Gemini CLI reads neither servers nor hooks of a folder without trust.
func geminiTrustObstacles(v MachineView) []TrustObstacle {
	if v.Read(JSON, v.Client.Servers.User[0], "security", "folderTrust", "enabled") == false {
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
