package work

import (
	"slices"

	"handoff/cmd/handoff/internal/cli"
)

// Spellings are how calls of tools are said in these commands: where several fit, the first that does.
var Spellings = []cli.Spelling{
	{
		Tool: "claim_handoff", Command: "claim", Places: []string{"handoff_id"},
		Fields:  append(slices.Clip(claimFields), cli.Number("wait", "wait_seconds", "")),
		Choices: []cli.Choice{{Argument: "view", Value: "full", Flag: "full"}},
	},
	{
		Tool: "complete_handoff", Command: "complete", Places: []string{"handoff_id"}, Fields: completeFields,
		Told: map[string]string{"verification.criteria": "Add --met N=EVIDENCE or --unmet N=WHY."},
	},
	{
		Tool: "fail_handoff", Command: "fail", Places: []string{"handoff_id", "description"}, Fields: failFields,
		Choices: []cli.Choice{{Argument: "outcome", Value: "rejected", Flag: "reject"}},
	},
	{
		Tool: "update_handoff", Command: "update", When: cli.Arguments{"action": "ask"}, Places: []string{"handoff_id"},
		Fields: updateFields,
	},
	{
		Tool: "update_handoff", Command: "update", Places: []string{"handoff_id"},
		Fields:  []cli.Field{cli.Text("reason", "note", ""), cli.Text("to", "to", "")},
		Choices: []cli.Choice{{Argument: "action", Value: "release", Flag: "release"}},
	},
	{
		Tool: "get_handoff", Command: "wait", When: cli.Arguments{"view": "outcome", "wait_seconds": nil},
		Places: []string{"handoff_id"},
	},
	{Tool: "send_handoff", Command: "send", Places: []string{"to", "task"}, Fields: sendFields},
}
