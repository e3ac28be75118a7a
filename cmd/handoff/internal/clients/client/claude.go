package client

import (
	"fmt"
	"slices"
)

func addClaudeCode(c *Client) {
	c.TrustObstacles = func(v MachineView) []TrustObstacle {
		return append(claudeServerObstacles(v), claudeHookObstacles(v)...)
	}
}

// claudeLocal holds the choices of one person in one project.
const claudeLocal Path = ".claude/settings.local.json"

// claudeServerObstacles returns an obstacle if a person told Claude Code not to start the project's server. Claude Code
// asks the person only once.
func claudeServerObstacles(v MachineView) []TrustObstacle {
	disabled, _ := v.Read(JSON, claudeLocal, "disabledMcpjsonServers").([]any)
	if !slices.Contains(disabled, any(ServerName)) {
		return nil
	}
	return []TrustObstacle{{
		Text:    "was told not to start the server of the project",
		Command: []string{"claude", "mcp", "reset-project-choices"},
	}}
}

// claudeHookObstacles returns an obstacle if a settings file of Claude Code turns all hooks off.
func claudeHookObstacles(v MachineView) (all []TrustObstacle) {
	if len(v.Hooks) == 0 && !v.Plugin {
		return nil
	}
	for _, path := range slices.Concat(v.Client.Plugins.User, v.Client.Plugins.Project) {
		if v.Read(JSON, path, "disableAllHooks") == true {
			text := fmt.Sprintf("runs none, as disableAllHooks says in %s: take that out", path.ResolveOn(v.Machine))
			all = append(all, TrustObstacle{OfHooks: true, Text: text})
		}
	}
	return all
}
