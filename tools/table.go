package tools

import (
	"context"
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
// Their arguments are decoded and checked like those of the others, but they have neither title, description nor
// published schema, and give no advice. Programs of other versions call them at the owner of the store.
var Admin = []Tool{
	// What the files of a project declare of agents, and their rules. What they no longer declare is forgotten.
	admin(Tool{Name: "agents_declare"}, (*mailbox.Service).Declare),
	// The digest of what files declared last, so that it is not declared again.
	admin(Tool{Name: "agents_declared", ReadOnly: true}, (*mailbox.Service).Declared),
	// The next events after one, as the bytes whose hashes are the leaves of the tree.
	admin(Tool{Name: "audit_events", ReadOnly: true}, (*mailbox.Service).RawEvents),
	// The root of the tree over the events, and proofs of an event and of an older tree.
	admin(Tool{Name: "audit_tree", ReadOnly: true}, (*mailbox.Service).Tree),
	// The whole registry is walked and compared with the records.
	admin(Tool{Name: "audit_verify", ReadOnly: true}, (*mailbox.Service).Audit),
	// What was seen of the checks of completed work is kept.
	admin(Tool{Name: "checks_observe"}, (*mailbox.Service).Observe),
	// A client left: its claims end after a grace.
	admin(Tool{Name: "connection_close"}, (*mailbox.Service).Detach),
	// A client is there: its claims are renewed until it leaves.
	admin(Tool{Name: "connection_open"}, (*mailbox.Service).Attach),
	// Texts are taken out of what was kept, for good. The registry still verifies.
	admin(Tool{Name: "handoff_redact"}, (*mailbox.Service).Redact),
	// The number of the newest event, from which changes can be followed.
	admin(Tool{Name: "registry_newest", ReadOnly: true}, (*mailbox.Service).Head),
	// What rules would send because of what happened to a handoff last, and why others send nothing.
	admin(Tool{Name: "rules_try", ReadOnly: true}, (*mailbox.Service).TryRules),
	// Under which name a session acts, for the shells that its client started.
	admin(Tool{Name: "session_name", ReadOnly: true}, (*mailbox.Service).NameOf),
	// What the hooks of a session tell it: who it is, new mail, what it holds. Each once.
	admin(Tool{Name: "session_news"}, (*mailbox.Service).News),
	// All that is kept is compared with what it follows from: pages, index rows, counters, registry.
	admin(Tool{Name: "store_check", ReadOnly: true}, (*mailbox.Service).Check),
	// What takes space is taken out of handoffs that ended before a time. The registry still verifies.
	admin(Tool{Name: "store_retain"}, (*mailbox.Service).Retain),
	// Callers over a network act as some agents, with a secret of which only the hash is told.
	admin(Tool{Name: "token_add"}, (*mailbox.Service).AddToken),
	// Whose secret has a hash, and whether a token is needed at all.
	admin(Tool{Name: "token_find", ReadOnly: true}, (*mailbox.Service).FindToken),
	// All tokens, also those that are revoked or expired.
	admin(Tool{Name: "token_list", ReadOnly: true}, (*mailbox.Service).ListTokens),
	// A token is good no more, at once.
	admin(Tool{Name: "token_revoke"}, (*mailbox.Service).RevokeToken),
	// Everything as it is now is written into a file that the caller made.
	admin(Tool{Name: "workspace_backup"}, (*mailbox.Service).Backup),
	// What is kept is written into a file of the owner of the store, and read from there in parts.
	admin(Tool{Name: "workspace_export"}, (*mailbox.Service).Export),
	// What needs a person, what runs, what is stuck and why, and how much there is.
	admin(Tool{Name: "workspace_overview", ReadOnly: true}, (*mailbox.Service).Overview),
	// How many handoffs are in which state and mailbox, and how long the store takes.
	admin(Tool{Name: "workspace_stats", ReadOnly: true}, (*mailbox.Service).Stats),
}

// admin completes a row of [Admin].
func admin[In, Out any](t Tool, method func(*mailbox.Service, context.Context, schemas.Caller, In) (Out, error)) Tool {
	t.Admin = true
	return define(t, method, func(In, Out) []schemas.Advice { return nil })
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
