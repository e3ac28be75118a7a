package work

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// actionCommand describes a command that takes one action on handoffs. The command may have a text as an argument.
type actionCommand struct {
	action schemas.Action
	words  bool // its other argument is a text; otherwise only a reason may be given
	tool   cli.ToolCommand[schemas.UpdateOut]
	cmd    cobra.Command
}

// actionCommands returns the commands for single actions. Package life has the effects of an action and the callers
// that may take it.
func actionCommands() []actionCommand {
	return []actionCommand{{
		action: schemas.ActApprove, tool: cli.ToolCommand[schemas.UpdateOut]{Many: true}, cmd: cobra.Command{Use: "approve ID…"},
	}, {
		action: schemas.ActRefuse, tool: cli.ToolCommand[schemas.UpdateOut]{Many: true}, cmd: cobra.Command{Use: "refuse ID…"},
	}, {
		action: schemas.ActAnswer, words: true,
		tool: cli.ToolCommand[schemas.UpdateOut]{ID: idOfAnswer, Print: printAnswered},
		cmd:  cobra.Command{Use: "answer ID TEXT…", Aliases: []string{"reply"}, Args: cobra.MinimumNArgs(1)},
	}, {
		action: schemas.ActAccept, tool: cli.ToolCommand[schemas.UpdateOut]{Many: true}, cmd: cobra.Command{Use: "accept ID…"},
	}, {
		action: schemas.ActCancel, tool: cli.ToolCommand[schemas.UpdateOut]{Many: true, WholeWorkflow: true},
		cmd: cobra.Command{Use: "cancel ID… | WORKFLOW"},
	}, {
		action: schemas.ActCancel,
		tool: cli.ToolCommand[schemas.UpdateOut]{
			Arguments: func(_ *cobra.Command, given []string, _ cli.Arguments) error {
				if !cli.IsNoticeID(given[0]) {
					return schemas.Invalidf("ID", "%s is no message", schemas.EscapeHidden(schemas.Clip(given[0], 80))).
						WithHint("Only a message is taken back so. Work is cancelled instead.")
				}
				return nil
			},
			ID:    func(out schemas.UpdateOut) string { return out.NoticeID.String() },
			Print: func(p *cli.Page, out schemas.UpdateOut) { p.AddLine("%s recalled", p.Bold(out.NoticeID.String())) },
		},
		cmd: cobra.Command{Use: "recall ID", Args: cobra.ExactArgs(1)},
	}, {
		action: schemas.ActRetry,
		tool: cli.ToolCommand[schemas.UpdateOut]{
			Many:   true,
			ID:     func(out schemas.UpdateOut) string { return out.Created.String() },
			Print:  printRetried,
			Fields: cli.ReadFields(helpTexts, "retry"),
		},
		cmd: cobra.Command{Use: "retry ID…"},
	}}
}

// toolFields returns the flags of an act.
func (c actionCommand) toolFields() []cli.Field {
	if c.words {
		return []cli.Field{cli.Text("note", "note", "instead of TEXT…").WithShortFlag("m")}
	}
	return append(slices.Clip(c.tool.Fields), cli.Text("reason", "note", "why").WithShortFlag("m"))
}

// newCommand returns the command of an act.
func (c actionCommand) newCommand(a *cli.App) *cobra.Command {
	t := c.tool
	t.Tool, t.Place, t.Fields = "update_handoff", "handoff_id", c.toolFields()
	if c.words {
		t.Rest = "note"
	}
	t.Arguments = func(cmd *cobra.Command, given []string, args cli.Arguments) error {
		if more := c.tool.Arguments; more != nil {
			if err := more(cmd, given, args); err != nil {
				return err
			}
		}
		return args.SetPath("action", c.action)
	}
	if t.Print == nil {
		t.ID, t.Print = idOfUpdated, printUpdated
	}
	cmd := c.cmd
	return t.Configure(a, &cmd)
}

// actionSpellings returns the spellings of calls with these actions.
func actionSpellings() []cli.CommandSpelling {
	return schemas.Map(actionCommands(), func(c actionCommand) cli.CommandSpelling {
		s := newUpdateSpelling(string(c.action), string(c.action), c.toolFields()...)
		if c.words {
			s.Places, s.Fields = append(s.Places, "note"), nil
		}
		return s
	})
}

func idOfAnswer(out schemas.UpdateOut) string {
	return cmp.Or(out.Reply.String(), out.HandoffID.String())
}

// printAnswered prints the effect of an answer to a question, and which agent is told. If the question was a message, it
// prints the id of the notice with the answer.
func printAnswered(p *cli.Page, out schemas.UpdateOut) {
	switch {
	case out.NoticeID != 0:
		p.AddLine("%s answered with %s, to %s", p.Bold(out.NoticeID.String()), out.Reply, schemas.EscapeHidden(string(out.To)))
	case out.Status == schemas.Pending:
		p.AddLine("%s answered, %s is told", p.Bold(out.HandoffID.String()), schemas.EscapeHidden(string(out.To)))
	default:
		printUpdated(p, out)
		return
	}
	p.AddWarnings(out.Warnings)
}

func printRetried(p *cli.Page, out schemas.UpdateOut) {
	if out.To == "" { // only a new retry has a recipient
		p.AddLine("Handoff %s was retried before: %s, the same as before", out.HandoffID, p.Bold(out.Created.String()))
	} else {
		p.AddLine("Retrying handoff %s as %s", out.HandoffID, p.Bold(out.Created.String()))
		if out.Checkpoint != "" {
			p.AddLine("- Restoring checkpoint: %s", out.Checkpoint)
		}
		p.AddLine("- Re-initiating handoff to %s", schemas.EscapeHidden(string(out.To)))
		p.AddLine("- Context preserved from previous attempt")
	}
	p.AddWarnings(out.Warnings)
}
