// Package doors is the table of the ways by which text that others wrote leaves this program, with who reads there and
// what guards the reader. A test walks what the program can print (tools with their views and formats, prompts,
// resources, hooks, commands), fails for what has no door, and sends hostile text through each.
package doors

import "slices"

// Reader is who reads at a door.
type Reader string

// The readers.
const (
	Model    Reader = "model"
	Terminal Reader = "terminal" // a person, or a pipe; with --json a program, and the guard is JSON
	Program  Reader = "program"  // our own commands, or the command of watch --exec
	Log      Reader = "log"
)

// Guard is what keeps text of others from passing for something else.
type Guard string

// The guards. All but those for a program make visible what is hidden, see schemas.Visible.
const (
	// Frame puts text between tags that its writer cannot know, see package brief.
	Frame Guard = "frame"
	// Mark quotes text within a line of ours, or puts a mark before each of its lines.
	Mark Guard = "mark"
	// Escape shows text behind a name, an indent or within a frame, so that no line of it stands in the first column.
	Escape Guard = "escape"
	// JSON keeps text within a string of JSON.
	JSON Guard = "JSON"
	// Fixed doors show no text that others wrote.
	Fixed Guard = "fixed"
)

// Door is one way out. Way says what kind it is of, which, and of several forms in which.
type Door struct {
	Way    string
	Reader Reader
	Guard  Guard
}

// Doors are all of them.
var Doors = slices.Concat(
	through(Model, Frame, "tool claim_handoff brief", "tool get_handoff brief", "prompt show", "prompt retry"),
	through(Model, JSON, "tool claim_handoff full", "tool get_handoff full", "tool get_handoff outcome",
		"tool get_handoff events", "tool get_handoff audit", "tool get_handoff checkpoint",
		"tool get_handoff reference", "tool handoff_history tree", "tool handoff_history rows",
		"tool handoff_history mermaid", "tool handoff_history markdown", "tool list_agents",
		"tool list_handoffs inbox", "tool list_handoffs claimed", "tool list_handoffs sent",
		"tool list_handoffs notices", "tool list_handoffs all", "tool complete_handoff", "tool fail_handoff",
		"tool register_agent", "tool send_handoff", "tool update_handoff", "resource handoff://handoff/{id}",
		"resource handoff://inbox", "resource handoff://inbox/{agent}", "completions mcp"),
	through(Model, Mark, "prompt inbox", "prompt list", "prompt send", "prompt history", "prompt next",
		"resource handoff://workflow/{id}", "hook claude-code", "hook codex", "hook gemini-cli"),
	// A client says that this is content of a resource, and the author of a template where it stands.
	through(Model, Escape, "resource context://{+path}", "render"),
	through(Program, JSON, "capture", "admin agents_declare", "admin audit_verify",
		"admin connection_close", "admin connection_open",
		"admin handoff_redact", "admin registry_newest", "admin rules_try", "admin session_name", "admin session_news",
		"admin token_add", "admin token_find", "admin token_list", "admin token_revoke", "admin workspace_overview",
		"admin workspace_stats"),
	through(Terminal, Escape, "accept", "agents", "agents check", "agents list", "agents register", "answer",
		"approve", "assign", "audit verify", "call", "cancel", "claim", "complete", "doctor", "edit", "fail", "history", "inbox", "list", "prime",
		"recall", "redact", "refuse", "retry", "rules test", "search", "send", "show", "status", "token add", "token list",
		"token revoke", "update", "wait", "watch", "where", "workflow list", "workflow start", "workspace list", "workspace adopt", "workspace remove",
		"exec", "completions shell"),
	through(Log, Escape, "logs"),
	through(Terminal, Fixed, "agents import", "agents init", "audit", "completion", "demo", "hook", "mcp", "serve",
		"rules", "setup", "token", "tools", "version", "workflow", "workspace"),
)

func through(r Reader, g Guard, ways ...string) (doors []Door) {
	for _, way := range ways {
		doors = append(doors, Door{way, r, g})
	}
	return doors
}
