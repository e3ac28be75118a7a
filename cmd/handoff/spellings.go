package main

import (
	"slices"

	"handoff/cmd/handoff/internal/cli"
)

// spellings are how calls of tools are said in commands, where several fit the first that does.
var spellings = []cli.Spelling{
	{
		Tool: "claim_handoff", Command: "claim", Places: []string{"handoff_id"},
		Fields:  append(slices.Clip(claimFields), cli.Number("wait", "wait_seconds", "")),
		Choices: []cli.Choice{{Argument: "view", Value: "full", Flag: "full"}},
	},
	{Tool: "complete_handoff", Command: "complete", Places: []string{"handoff_id"}, Fields: completeFields},
	{
		Tool: "fail_handoff", Command: "fail", Places: []string{"handoff_id", "description"}, Fields: failFields,
		Choices: []cli.Choice{{Argument: "outcome", Value: "rejected", Flag: "reject"}},
	},
	{Tool: "update_handoff", Command: "update", When: cli.Arguments{"action": "ask"}, Places: []string{"handoff_id"}, Fields: updateFields},
	{
		Tool: "update_handoff", Command: "update", Places: []string{"handoff_id"},
		Fields:  []cli.Field{cli.Text("reason", "note", ""), cli.Text("to", "to", "")},
		Choices: []cli.Choice{{Argument: "action", Value: "release", Flag: "release"}},
	},
	{Tool: "get_handoff", Command: "wait", When: cli.Arguments{"view": "outcome", "wait_seconds": nil}, Places: []string{"handoff_id"}},
	{
		Tool: "get_handoff", Command: "show", Places: []string{"handoff_id"},
		Choices: []cli.Choice{
			{Argument: "view", Value: "full", Flag: "full"}, {Argument: "view", Value: "brief", Flag: "brief"},
			{Argument: "view", Value: "outcome", Flag: "outcome"}, {Argument: "view", Value: "events", Flag: "events"},
			{Argument: "view", Value: "checkpoint", Flag: "checkpoint"},
		},
	},
	{
		Tool: "handoff_history", Command: "history", Places: []string{"workflow", "handoff_id"},
		Fields:  []cli.Field{cli.Number("limit", "limit", "")},
		Choices: []cli.Choice{{Argument: "format", Value: "mermaid", Flag: "mermaid"}, {Argument: "format", Value: "rows", Flag: "rows"}},
	},
	{
		Tool: "list_handoffs", Command: "list", Fields: listFields,
		Choices: []cli.Choice{{Argument: "box", Value: "all", Flag: "all"}},
	},
	{Tool: "list_agents", Command: "agents", Fields: agentsFields},
	{Tool: "register_agent", Command: "agents register", Places: []string{"name"}, Fields: registerFields},
	{Tool: "send_handoff", Command: "send", Places: []string{"to", "task"}, Fields: sendFields},
}
