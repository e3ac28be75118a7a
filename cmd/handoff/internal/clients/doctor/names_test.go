package doctor_test

import (
	"testing"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// Hooks that act under another name than the server tell of the mail of somebody else.
func TestServerAndHooksOfTwoNamesAreAWarning(t *testing.T) {
	const named = "handoff hook prompt --client claude-code --agent qa"
	for name, tt := range map[string]struct{ entry, hooks, says, remedy string }{
		"none in both":          {`"args": ["mcp"]`, allHooks(), "", ""},
		"the same":              {`"args": ["mcp", "--agent", "qa"]`, hooks("UserPromptSubmit", named), "", ""},
		"one in the server":     {`"args": ["mcp", "--agent", "zz"]`, allHooks(), "its server acts as zz, and its hooks under the name of the session", "--agent zz --yes"},
		"one in a variable":     {`"args": ["mcp"], "env": {"HANDOFF_AGENT": "zz"}`, allHooks(), "its server acts as zz", "--agent zz --yes"},
		"one in the hooks":      {`"args": ["mcp"]`, hooks("UserPromptSubmit", named), "the name of the session, and its hooks as qa", "--agent qa --yes"},
		"one that nobody knows": {`"args": ["mcp"], "env": {"HANDOFF_AGENT": "${NAME}"}`, allHooks(), "", ""},
		"two":                   {`"args": ["mcp", "--agent", "zz"]`, hooks("UserPromptSubmit", named), "as zz, and its hooks as qa", "--agent zz --yes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(".claude.json", `{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", `+tt.entry+`}}}`)
			w.write(".claude/settings.json", tt.hooks)
			if tt.says == "" {
				requireNone(t, w.examine("claude-code"), "its server acts")
				return
			}
			requireFinding(t, w.examine("claude-code"), doctor.Warning, tt.says, "setup claude-code "+tt.remedy)
		})
	}
}
