package look

import (
	"handoff/cmd/handoff/internal/cli"
)

// Spellings are how calls of tools are said in these commands: where several fit, the first that does.
var Spellings = []cli.Spelling{
	{
		Tool: "get_handoff", Command: "show", Places: []string{"handoff_id"},
		Choices: []cli.Choice{
			{Argument: "view", Value: "full", Flag: "full"},
			{Argument: "view", Value: "brief", Flag: "brief"},
			{Argument: "view", Value: "outcome", Flag: "outcome"},
			{Argument: "view", Value: "events", Flag: "events"},
			{Argument: "view", Value: "checkpoint", Flag: "checkpoint"},
		},
	},
	{
		Tool: "handoff_history", Command: "history", Places: []string{"workflow", "handoff_id"},
		Fields: []cli.Field{cli.Number("limit", "limit", "")},
		Choices: []cli.Choice{
			{Argument: "format", Value: "mermaid", Flag: "mermaid"}, {Argument: "format", Value: "rows", Flag: "rows"},
		},
	},
	{
		Tool: "list_handoffs", Command: "list", Fields: listFields,
		Choices: []cli.Choice{{Argument: "box", Value: "all", Flag: "all"}},
	},
	{Tool: "list_agents", Command: "agents", Fields: agentsFields},
	{Tool: "register_agent", Command: "agents register", Places: []string{"name"}, Fields: registerFields},
}
