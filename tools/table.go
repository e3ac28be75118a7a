package tools

import (
	"encoding/json"

	"handoff/mailbox"
	"handoff/schemas"
)

// Table is what agents are offered, by name. It never depends on who asks: a caller that may not call a tool is told
// so when it calls. A row is all that a tool needs. Its schemas come from the types of the method, its advice from the
// function beside the method, and protocol, documentation and command line are drawn from the row.
//
// Nobody changes it after the start. What a row promises to clients is in its hints: a client may ask its user before a
// call that is not ReadOnly, and may repeat one that is Idempotent. Titles and descriptions are what models choose a
// tool by. Names never change once released: rules and hooks of clients name them.
var Table = []Tool{
	define(Tool{
		Name: "claim_handoff", Title: "Claim handoff", undone: "Nothing was claimed.",
		Description: "Take the next task from your inbox, waiting if asked. " +
			"Do what the brief says, then complete_handoff or fail_handoff.",
	}, (*mailbox.Service).Claim, afterClaim),
	define(Tool{
		Name: "complete_handoff", Title: "Complete handoff", Idempotent: true,
		Description: "Finish a claim: answer every criterion, met or not, with evidence.",
	}, (*mailbox.Service).Complete, afterComplete),
	define(Tool{
		Name: "fail_handoff", Title: "Fail handoff", Idempotent: true,
		Description: "Give a claim up, or reject it: why, and what is left. Others go on from there.",
	}, (*mailbox.Service).Fail, afterFail),
	define(Tool{
		Name: "get_handoff", Title: "Read handoff", ReadOnly: true, Idempotent: true,
		Description: "Read a handoff or its outcome, or wait until it changes.",
	}, (*mailbox.Service).Get, afterGet),
	define(Tool{
		Name: "handoff_history", Title: "Handoff history", ReadOnly: true, Idempotent: true,
		Description: "The chain of a workflow: who did what, verified.",
	}, (*mailbox.Service).History, afterHistory),
	define(Tool{
		Name: "list_agents", Title: "List agents", ReadOnly: true, Idempotent: true,
		Description: "Who can take what, who is live, how busy.",
	}, (*mailbox.Service).Agents, afterAgents),
	define(Tool{
		Name: "list_handoffs", Title: "List handoffs", ReadOnly: true, Idempotent: true,
		Description: "Your mailbox; filters, search. Listed notices count as read.",
	}, (*mailbox.Service).List, afterList),
	define(Tool{
		Name: "register_agent", Title: "Register agent", Idempotent: true,
		Description: "Say what an agent accepts, so that work is routed to it.",
	}, (*mailbox.Service).Register, afterRegister),
	define(Tool{
		Name: "send_handoff", Title: "Send handoff", undone: "Nothing was sent.",
		Description: "Hand off or delegate a task, or send a message, to another agent's mailbox. " +
			"The outcome comes to your inbox.",
	}, (*mailbox.Service).Send, afterSend),
	define(Tool{
		Name: "update_handoff", Title: "Update handoff",
		Description: "Report progress, ask, answer, release, amend, cancel, accept or return a result, retry; only human: approve, refuse.",
	}, (*mailbox.Service).Update, afterUpdate),
}

// Admin is what our own programs call to keep a workspace. They are rows of the same kind so that they work while
// another process owns the store. No protocol offers them, and there are none for callers over a network.
//
// Their arguments are decoded and checked like those of the others, but they have no published schema and give no
// advice. Programs of other versions call them at the owner of the store.
var Admin = []Tool{
	define(Tool{
		Name: "agents_declare", Title: "Declare agents", Idempotent: true, Admin: true,
		Description: "Say what the files of a project declare of agents, and their rules. What they no longer declare is forgotten.",
	}, (*mailbox.Service).Declare, nothing),
	define(Tool{
		Name: "agents_declared", Title: "What was declared", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "The digest of what files declared last, so that it is not declared again.",
	}, (*mailbox.Service).Declared, nothing),
	define(Tool{
		Name: "audit_events", Title: "Events as they are kept", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "The next events after one, as the bytes whose hashes are the leaves of the tree.",
	}, (*mailbox.Service).RawEvents, nothing),
	define(Tool{
		Name: "audit_tree", Title: "Tree of the registry", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "The root of the tree over the events, and proofs of an event and of an older tree.",
	}, (*mailbox.Service).Tree, nothing),
	define(Tool{
		Name: "audit_verify", Title: "Verify the registry", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "Walk the whole registry and compare it with the records.",
	}, (*mailbox.Service).Audit, nothing),
	define(Tool{
		Name: "checks_observe", Title: "Observe checks", Idempotent: true, Admin: true,
		Description: "Tell what was seen of the checks of completed work.",
	}, (*mailbox.Service).Observe, nothing),
	define(Tool{
		Name: "connection_close", Title: "Close a connection", Idempotent: true, Admin: true,
		Description: "Tell that a client left: its claims end after a grace.",
	}, (*mailbox.Service).Detach, nothing),
	define(Tool{
		Name: "connection_open", Title: "Open a connection", Idempotent: true, Admin: true,
		Description: "Tell that a client is there: its claims are renewed until it leaves.",
	}, (*mailbox.Service).Attach, nothing),
	define(Tool{
		Name: "handoff_redact", Title: "Redact a handoff", Admin: true,
		Description: "Take texts out of what was kept, for good. The registry still verifies.",
	}, (*mailbox.Service).Redact, nothing),
	define(Tool{
		Name: "registry_newest", Title: "Newest event", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "The number of the newest event, from which changes can be followed.",
	}, (*mailbox.Service).Head, nothing),
	define(Tool{
		Name: "rules_try", Title: "Try rules", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "What rules would send because of what happened to a handoff last, and why others send nothing.",
	}, (*mailbox.Service).TryRules, nothing),
	define(Tool{
		Name: "session_name", Title: "Name of a session", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "Under which name a session acts, for the shells that its client started.",
	}, (*mailbox.Service).NameOf, nothing),
	define(Tool{
		Name: "session_news", Title: "News for a session", Admin: true,
		Description: "What the hooks of a session tell it: who it is, new mail, what it holds. Each once.",
	}, (*mailbox.Service).News, nothing),
	define(Tool{
		Name: "store_check", Title: "Check the store", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "Compare all that is kept with what it follows from: pages, index rows, counters, registry.",
	}, (*mailbox.Service).Check, nothing),
	define(Tool{
		Name: "store_retain", Title: "Let go of old texts", Idempotent: true, Admin: true,
		Description: "Take out of handoffs that ended before a time what takes space. The registry still verifies.",
	}, (*mailbox.Service).Retain, nothing),
	define(Tool{
		Name: "token_add", Title: "Add a token", Admin: true,
		Description: "Let callers over a network act as some agents, with a secret of which only the hash is told.",
	}, (*mailbox.Service).AddToken, nothing),
	define(Tool{
		Name: "token_find", Title: "Find a token", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "Whose secret has a hash, and whether a token is needed at all.",
	}, (*mailbox.Service).FindToken, nothing),
	define(Tool{
		Name: "token_list", Title: "List tokens", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "All tokens, also those that are revoked or expired.",
	}, (*mailbox.Service).ListTokens, nothing),
	define(Tool{
		Name: "token_revoke", Title: "Revoke a token", Idempotent: true, Admin: true,
		Description: "Make a token good no more, at once.",
	}, (*mailbox.Service).RevokeToken, nothing),
	define(Tool{
		Name: "workspace_backup", Title: "Back up the workspace", Admin: true,
		Description: "Write everything as it is now into a file that the caller made.",
	}, (*mailbox.Service).Backup, nothing),
	define(Tool{
		Name: "workspace_export", Title: "Export the workspace", Admin: true,
		Description: "Write what is kept into a file of the owner of the store, and read it from there in parts.",
	}, (*mailbox.Service).Export, nothing),
	define(Tool{
		Name: "workspace_overview", Title: "What is going on", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "What needs a person, what runs, what is stuck and why, and how much there is.",
	}, (*mailbox.Service).Overview, nothing),
	define(Tool{
		Name: "workspace_stats", Title: "Figures of the workspace", ReadOnly: true, Idempotent: true, Admin: true,
		Description: "How many handoffs are in which state and mailbox, and how long the store takes.",
	}, (*mailbox.Service).Stats, nothing),
}

// Listing gives what agents are offered as one compact JSON array: of each tool its name, title, description and input
// schema. It is the part of tools/list of the MCP specification for which every session of every client pays in
// tokens, and a test holds it to 12,000 bytes. The command line prints it.
//
// The order is that of [Table]. It is the same for every caller and for the whole life of the program.
func Listing() []byte {
	type row struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
	}
	rows := schemas.Map(Table, func(t Tool) row { return row{t.Name, t.Title, t.Description, t.Input()} })
	b, err := schemas.Encode(rows)
	if err != nil {
		panic(err) // a schema that was generated is JSON
	}
	return b
}
