package doctor

import (
	"os"
	"strings"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
)

// pluginOf gives the file that says that a client has our plugin, which brings the server and the hooks by itself.
func pluginOf(c client.Client, m client.Machine) string {
	switch c.Name {
	case "claude-code":
		for _, p := range []client.Path{"${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json", ".claude/settings.json", ".claude/settings.local.json"} {
			if hasPlugin(client.JSON, p.At(m), "enabledPlugins") {
				return p.At(m)
			}
		}
	case "codex":
		if path := c.Servers.In(client.User, m); hasPlugin(client.TOML, path, "plugins") {
			return path
		}
	case "gemini-cli":
		extension := client.Path("${GEMINI_CLI_HOME:-~}/.gemini/extensions/handoff/gemini-extension.json").At(m)
		if _, err := os.Stat(extension); err == nil {
			return extension
		}
	}
	return ""
}

// hasPlugin looks for a plugin of ours, of any marketplace, in a list of plugins.
func hasPlugin(syntax client.Syntax, path, list string) bool {
	doc, err := installed.Open(syntax, path)
	if err != nil {
		return false
	}
	value, _ := doc.Look(list)
	plugins, _ := value.(map[string]any)
	for name, value := range plugins {
		if strings.HasPrefix(name, client.ServerName+"@") && isOn(value) {
			return true
		}
	}
	return false
}

// isOn reads true, and an object that is not disabled.
func isOn(value any) bool {
	switch v := value.(type) {
	case bool:
		return v
	case map[string]any:
		return v["enabled"] != false
	}
	return false
}
