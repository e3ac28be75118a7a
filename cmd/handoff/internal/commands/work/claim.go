package work

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/project"
	"handoff/cmd/handoff/internal/render"
	"handoff/schemas"
)

func claimFields() []cli.Field { return cli.ReadFields(helpTexts, "claim") }

// exitNothing is the status if there is nothing to claim.
const exitNothing = 6

func claimCommand(a *cli.App) *cobra.Command {
	var wait cli.Seconds
	cmd := &cobra.Command{
		Use:  "claim [ID]",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			args := cli.Arguments{}
			if len(given) > 0 {
				args["handoff_id"] = given[0]
			}
			if err := args.SetFields(cmd, claimFields()); err != nil {
				return err
			}
			some := func(out schemas.ClaimOut) bool { return !out.Empty || len(out.Notices) > 0 }
			out, raw, err := cli.CallUntil(cmd.Context(), a, wait.Duration, "claim_handoff", args, some)
			if err != nil {
				return err
			}
			person, err := readClaimedForPerson(cmd.Context(), a, out)
			if err != nil {
				return err
			}
			err = a.PrintWithMail(raw, func(p *cli.Page) { printClaimed(a, p, out, person, raw) })
			if err == nil && out.Empty {
				err = cli.ExitStatus(exitNothing)
			}
			return err
		},
	}
	cli.DefineFlags(cmd, claimFields())
	a.Limits.DefineHiddenFlags(cmd)
	cmd.Flags().VarP(&wait, "wait", "w", "wait this long for a handoff; bare numbers are seconds")
	return cmd
}

// readClaimedForPerson returns the claimed handoff in full if a person claimed it, because the brief is written for
// models. It returns nil if an agent claimed it.
func readClaimedForPerson(ctx context.Context, a *cli.App, out schemas.ClaimOut) (*schemas.GetOut, error) {
	by, err := a.Caller(true)
	if err != nil || by.Agent != schemas.Human || out.Empty || a.JSON {
		return nil, err
	}
	all, _, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": out.HandoffID, "view": "full"})
	return &all, err
}

func printClaimed(a *cli.App, p *cli.Page, out schemas.ClaimOut, person *schemas.GetOut, raw json.RawMessage) {
	if out.Empty {
		p.AddLine("nothing to claim")
		for _, n := range out.Notices {
			p.AddField(fmt.Sprintf("%s from %s, %s", n.NoticeID, schemas.SenderLine(n.Rule, n.From), n.Kind), n.Text)
		}
		p.AddField("you hold", cli.JoinAll(out.Holding))
		for _, said := range cli.AdviceOf(raw) {
			if said.Tool == "" {
				p.AddLine("%s", said.Say)
			}
		}
		return
	}
	p.AddLine("%s %s, from %s, attempt %d", p.Bold(out.HandoffID.String()), p.Quote(out.Title, 40), schemas.SenderLine(out.Rule, out.From), out.Attempt)
	p.AddField("workflow", string(out.Workflow))
	p.AddField("claim token", out.Token)
	p.AddField("lease until", cli.FormatTime(out.LeaseEnds))
	if len(out.Holding) > 1 {
		p.AddField("you hold", cli.JoinAll(out.Holding))
	}
	switch {
	case person != nil:
		p.AddLine("")
		render.DrawHandoff(p, *person, nil)
		_, changed, _ := strings.Cut(out.Brief, project.ChangedFilesIntro)
		p.AddField("in this checkout", changed)
	case out.Brief != "":
		p.AddLine("\n%s", out.Brief) // the renderer made it safe to show
	}
	p.AddJSON(out.Handoff)
	p.AddWarnings(out.Overlaps)
	printEndingCommands(a, p, raw)
}

// flagsOfNextCommands returns the flags that the holder's next commands need: the workspace, and the agent name even if
// this call had no --agent.
func flagsOfNextCommands(a *cli.App) string {
	by, err := a.Caller(true)
	if err != nil {
		return "" // it could not have claimed
	}
	return " --agent " + cli.ShellWord(string(by.Agent)) + a.WorkspaceFlags()
}

// printEndingCommands prints the commands that end a claim. Agents in a shell need them, because the brief names only
// tools. The commands need no claim token.
func printEndingCommands(a *cli.App, p *cli.Page, raw json.RawMessage) {
	p.AddLine("\n%s", p.Faint("Then one of:"))
	flags := flagsOfNextCommands(a)
	for _, call := range cli.AdviceOf(raw) {
		if call.Tool != "" { // a sentence names no command
			p.AddLine("  %s", a.CommandLine(call, flags, "claim_token"))
		}
	}
}
