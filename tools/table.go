package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"sync"

	"handoff/mailbox"
	"handoff/schemas"
)

// Table holds the tools for agents, by name. It is the same for all callers: a caller that may not call a tool is
// refused when it calls. A row has all data of a tool. Its schemas come from the types of the method, its advice from
// the function next to the method, and its title and description from the file table.txt. Protocol, documentation and
// command line are made of the row.
//
// It is made when it is first needed, and never changes. The hints of a row are promises to clients: a client may ask
// its user before a call that is not ReadOnly, and may repeat one that is Idempotent. Models choose tools by their
// titles and descriptions. Names never change once released: rules and hooks of clients name them.
var Table = sync.OnceValue(func() []Tool {
	return []Tool{
		defineTool(Tool{Name: "claim_handoff", undone: "Nothing was claimed."}, (*mailbox.Service).Claim, adviseAfterClaim),
		defineTool(Tool{Name: "complete_handoff", Idempotent: true}, (*mailbox.Service).Complete, adviseAfterComplete),
		defineTool(Tool{Name: "fail_handoff", Idempotent: true}, (*mailbox.Service).Fail, adviseAfterFail),
		defineTool(Tool{Name: "get_handoff", ReadOnly: true, Idempotent: true}, (*mailbox.Service).Get, adviseAfterGet),
		defineTool(Tool{Name: "handoff_history", ReadOnly: true, Idempotent: true}, (*mailbox.Service).History, adviseAfterHistory),
		defineTool(Tool{Name: "list_agents", ReadOnly: true, Idempotent: true}, (*mailbox.Service).Agents, adviseAfterAgents),
		defineTool(Tool{Name: "list_handoffs", ReadOnly: true, Idempotent: true}, (*mailbox.Service).List, adviseAfterList),
		defineTool(Tool{Name: "register_agent", Idempotent: true}, (*mailbox.Service).Register, adviseAfterRegister),
		defineTool(Tool{Name: "send_handoff", undone: "Nothing was sent."}, (*mailbox.Service).Send, adviseAfterSend),
		defineTool(Tool{Name: "update_handoff"}, (*mailbox.Service).Update, adviseAfterUpdate),
	}
})

// tableText has a line for each tool of [Table]. Its first line says what a line holds.
//
//go:embed table.txt
var tableText string

// Admin holds the tools that commands and servers of handoff call to maintain a workspace. They are rows as in [Table],
// so that they also work while another process owns the store. No protocol offers them, and callers over a network
// cannot call them.
//
// Their arguments are decoded and checked like those for agents, but they have neither title, description nor
// published schema, and give no advice. Programs of other versions call them at the owner of the store.
var Admin = sync.OnceValue(func() []Tool {
	return []Tool{
		// Declares the agents and rules in the files of a project. Earlier declarations that the files no longer hold are
		// removed.
		defineAdminTool(Tool{Name: "agents_declare"}, (*mailbox.Service).Declare),
		// Returns the digest of the last declaration, so that the same files are not declared again.
		defineAdminTool(Tool{Name: "agents_declared", ReadOnly: true}, (*mailbox.Service).Declared),
		// Returns the next events after one, as the bytes whose hashes are the leaves of the tree.
		defineAdminTool(Tool{Name: "audit_events", ReadOnly: true}, (*mailbox.Service).RawEvents),
		// Returns the root of the tree over the events.
		defineAdminTool(Tool{Name: "audit_tree", ReadOnly: true}, (*mailbox.Service).Tree),
		// Walks the whole registry and compares it with the records.
		defineAdminTool(Tool{Name: "audit_verify", ReadOnly: true}, (*mailbox.Service).Audit),
		// Stores observations of the checks of completed work.
		defineAdminTool(Tool{Name: "checks_observe"}, (*mailbox.Service).Observe),
		// Adds facts about the working tree of a claim that its process learned after the call.
		defineAdminTool(Tool{Name: "claim_locate"}, (*mailbox.Service).Locate),
		// Closes the connection of a client that left: its claims end after a grace period.
		defineAdminTool(Tool{Name: "connection_close"}, (*mailbox.Service).Detach),
		// Opens the connection of a client: its claims are renewed until it leaves.
		defineAdminTool(Tool{Name: "connection_open"}, (*mailbox.Service).Attach),
		// Removes texts from the store, for good. The registry still verifies.
		defineAdminTool(Tool{Name: "handoff_redact"}, (*mailbox.Service).Redact),
		// Returns the number of the newest event, from which changes can be followed.
		defineAdminTool(Tool{Name: "registry_newest", ReadOnly: true}, (*mailbox.Service).Head),
		// Shows the sends of rules after the last event of a handoff, and why other rules send nothing.
		defineAdminTool(Tool{Name: "rules_try", ReadOnly: true}, (*mailbox.Service).TryRules),
		// Returns the agent name of a session, for the shells that its client started.
		defineAdminTool(Tool{Name: "session_name", ReadOnly: true}, (*mailbox.Service).NameOf),
		// Delivers news to the hooks of a session: its name, new mail, held handoffs. Each once.
		defineAdminTool(Tool{Name: "session_news"}, (*mailbox.Service).News),
		// Compares all stored data with its sources: pages, index rows, counters, registry.
		defineAdminTool(Tool{Name: "store_check", ReadOnly: true}, (*mailbox.Service).Check),
		// Removes large texts from handoffs that ended before a time. The registry still verifies.
		defineAdminTool(Tool{Name: "store_retain"}, (*mailbox.Service).Retain),
		// Adds a token with which callers over a network act as some agents. The caller sends only the hash of its secret.
		defineAdminTool(Tool{Name: "token_add"}, (*mailbox.Service).AddToken),
		// Finds the token of a hash, and reports whether callers need a token at all.
		defineAdminTool(Tool{Name: "token_find", ReadOnly: true}, (*mailbox.Service).FindToken),
		// Lists all tokens, also revoked and expired ones.
		defineAdminTool(Tool{Name: "token_list", ReadOnly: true}, (*mailbox.Service).ListTokens),
		// Revokes a token, at once.
		defineAdminTool(Tool{Name: "token_revoke"}, (*mailbox.Service).RevokeToken),
		// Ends a wait whose client polls, and gives back what was claimed for it.
		defineAdminTool(Tool{Name: "wait_end"}, (*mailbox.Service).EndWait),
		// Writes the present state of the workspace into a file that the caller made.
		defineAdminTool(Tool{Name: "workspace_backup"}, (*mailbox.Service).Backup),
		// Writes an export into a file of the owner of the store, and returns it in parts.
		defineAdminTool(Tool{Name: "workspace_export"}, (*mailbox.Service).Export),
		// Lists work that needs a person, runs, or is stuck and why, with totals.
		defineAdminTool(Tool{Name: "workspace_overview", ReadOnly: true}, (*mailbox.Service).Overview),
		// Returns the secret with which the servers of the workspace seal what clients keep for them.
		defineAdminTool(Tool{Name: "workspace_seal"}, (*mailbox.Service).Seal),
		// Counts handoffs by state and mailbox, and measures the duration of commits.
		defineAdminTool(Tool{Name: "workspace_stats", ReadOnly: true}, (*mailbox.Service).Stats),
	}
})

// defineAdminTool completes a row of [Admin].
func defineAdminTool[In, Out any](t Tool, method func(*mailbox.Service, context.Context, schemas.Caller, In) (Out, error)) Tool {
	t.Admin = true
	return defineTool(t, method, func(In, Out) []schemas.Advice { return nil })
}

// ToolListing returns the tools for agents as one compact JSON array: of each tool its name, title, description and
// input schema. Every session of every client pays tokens for this part of tools/list of the MCP specification. The
// command line prints it.
//
// It has the order of [Table]. It is the same for every caller and for the whole life of the program.
func ToolListing() []byte {
	type row struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
	}
	rows := schemas.Map(Table(), func(t Tool) row { return row{t.Name, t.Title, t.Description, t.InputSchema()} })
	b, err := schemas.Encode(rows)
	if err != nil {
		panic(err) // a generated schema is JSON
	}
	return b
}
