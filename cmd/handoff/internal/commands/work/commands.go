// Package work has the commands that change handoffs: send, claim, complete, fail, update, assign, wait, and a command
// for each single action.
//
// Each command defines the flags that become arguments of one tool. It calls the tool and prints the result for people.
// With --silent it prints only the id. The mailbox alone decides whether an action is allowed.
package work

import (
	"embed"
	"slices"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily], and tables of
// their flags, for [cli.ReadFields].
//
//go:embed help_*.txt fields_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package except [WaitCommand], for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	all := append(schemas.Map(actionCommands(), func(c actionCommand) *cobra.Command { return c.newCommand(a) }),
		sendCommand(a), runCommand(a), claimCommand(a), completeCommand(a), failCommand(a), updateCommand(a), assignCommand(a), editCommand(a),
		redactCommand(a), workflowCommand(a))
	return cli.NewFamily(helpTexts, all...)
}

// Spellings returns the ways to write calls of tools as command lines. The first spelling that fits a call is used.
func Spellings() []cli.CommandSpelling {
	return slices.Concat(actionSpellings(), []cli.CommandSpelling{
		{
			Tool: "claim_handoff", Command: "claim", Places: []string{"handoff_id"},
			Fields: append(claimFields(), cli.Number("wait", "wait_seconds", "")),
		},
		{
			Tool: "complete_handoff", Command: "complete", Places: []string{"handoff_id"}, Fields: completeFields(),
			Usage: map[string]string{"verification.criteria": "Add --met N=EVIDENCE or --unmet N=WHY."},
		},
		{Tool: "fail_handoff", Command: "fail", Places: []string{"handoff_id", "description"}, Fields: failFields()},
		newUpdateSpelling("update", "ask", updateFields()...),
		newUpdateSpelling("retry", "retry", cli.Text("to", "to", "")),
		{
			Tool: "update_handoff", Command: "update", Places: []string{"handoff_id"},
			Fields: append(updateActions(),
				cli.Text("reason", "note", ""), cli.Text("to", "to", ""), cli.Words("after", "changes.options.after", ""),
				cli.Texts("criteria", "changes.expectations.success_criteria", "")),
		},
		{Tool: "update_handoff", Command: "assign", When: cli.Arguments{"action": "amend"}, Places: []string{"handoff_id", "to"}},
		{
			Tool: "get_handoff", Command: "wait", When: cli.Arguments{"view": "outcome", "wait_seconds": nil},
			Places: []string{"handoff_id"},
		},
		{Tool: "send_handoff", Command: "send", Places: []string{"to", "task"}, Fields: sendFields()},
	})
}

// newUpdateSpelling is the spelling of one action as a command.
func newUpdateSpelling(command, action string, fields ...cli.Field) cli.CommandSpelling {
	return cli.CommandSpelling{
		Tool: "update_handoff", Command: command, When: cli.Arguments{"action": action}, Places: []string{"handoff_id"},
		Fields: fields,
	}
}
