package main

import "slices"

// reader is the reader of a door's output.
type reader string

const (
	byModel    reader = "model"
	atTerminal reader = "terminal" // a person, or a pipe; with --json a program, and the guard is JSON
	byProgram  reader = "program"  // our own commands
	inLog      reader = "log"
)

// guard is the protection of a reader against forged text.
type guard string

// All guards but the guards for programs make hidden characters visible, see schemas.Visible.
const (
	// framed puts text between tags that its writer cannot know, see package brief.
	framed guard = "frame"
	// marked quotes text within a line of ours, or puts a mark before each of its lines.
	marked guard = "mark"
	// escaped shows text behind a name, an indent or within a frame, so that no line of it stands in the first column.
	escaped guard = "escape"
	// inJSON keeps text within a string of JSON.
	inJSON guard = "JSON"
	// fixed doors show no text that others wrote.
	fixed guard = "fixed"
)

// A door is one output of the program with text of others. Way has its kind, its name and its format.
type door struct {
	way    string
	reader reader
	guard  guard
}

// doors is the list of all doors, with their readers and guards.
var doors = slices.Concat(
	through(byModel, framed, "tool claim_handoff brief", "tool get_handoff brief"),
	through(byModel, inJSON, "tool claim_handoff full", "tool get_handoff full", "tool get_handoff outcome",
		"tool get_handoff events", "tool get_handoff audit", "tool get_handoff checkpoint",
		"tool get_handoff reference", "tool handoff_history tree", "tool handoff_history rows",
		"tool handoff_history mermaid", "tool handoff_history markdown", "tool list_agents",
		"tool list_handoffs inbox", "tool list_handoffs claimed", "tool list_handoffs sent",
		"tool list_handoffs notices", "tool list_handoffs all", "tool complete_handoff", "tool fail_handoff",
		"tool register_agent", "tool send_handoff", "tool update_handoff", "resource handoff://handoff/{id}",
		"resource handoff://inbox", "resource handoff://inbox/{agent}", "completions mcp"),
	through(byModel, fixed, "prompt inbox", "prompt list", "prompt send", "prompt history", "prompt next", "prompt show", "prompt retry"),
	through(byModel, marked, "resource handoff://workflow/{id}", "hook claude-code", "hook codex", "hook copilot-cli", "hook gemini-cli",
		"hook qwen-code"),
	// A client says that this is content of a resource, and the author of a template where it stands.
	through(byModel, escaped, "resource context://{+path}", "render"),
	through(byProgram, inJSON, "capture", "admin agents_declare", "admin agents_declared", "admin checks_observe", "admin claim_locate", "admin audit_events", "admin audit_tree",
		"admin audit_verify",
		"admin connection_close", "admin connection_open",
		"admin handoff_redact", "admin registry_newest", "admin rules_try", "admin session_name", "admin session_news", "admin store_check", "admin store_retain",
		"admin token_add", "admin token_find", "admin token_list", "admin token_revoke", "admin wait_end", "admin workspace_backup", "admin workspace_export", "admin workspace_overview",
		"admin workspace_seal", "admin workspace_stats"),
	through(atTerminal, escaped, "accept", "agents", "agents check", "agents list", "agents register", "answer",
		"approve", "assign", "audit verify", "call", "cancel", "check", "allow", "checks allow", "checks list", "checks run", "claim", "complete", "diff", "doctor", "edit", "export", "fail", "history", "import", "inbox", "list", "prime",
		"recall", "redact", "refuse", "retry", "rules test", "run", "search", "send", "show", "status", "token add", "token list",
		"token revoke", "update", "wait", "watch", "where", "workflow list", "workflow start", "workspace list", "workspace adopt", "workspace remove",
		"exec", "completions shell"),
	through(inLog, escaped, "logs"),
	through(atTerminal, fixed, "agents import", "agents init", "audit", "audit anchor", "audit checkpoint",
		"audit export", "audit key", "checks", "checks deny", "deny", "compact", "completion", "demo", "hook", "mcp", "serve",
		"rules", "setup", "token", "tools", "version", "workflow", "workspace", "backup", "restore"),
)

func through(r reader, g guard, ways ...string) (all []door) {
	for _, way := range ways {
		all = append(all, door{way, r, g})
	}
	return all
}
