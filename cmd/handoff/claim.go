package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

var claimFields = []Field{
	Words("tags", "tags", "only with one of these: a,b"),
	Number("max-tokens", "max_tokens", "size of the brief (default 1500)"),
}

// exitNothing is the status where nothing waits to be claimed.
const exitNothing = 6

func (a *app) claimCommand() *cobra.Command {
	var wait seconds
	var full bool
	cmd := &cobra.Command{
		Use:   "claim [ID]",
		Short: "Take the next handoff for you, or a given one",
		Example: `  handoff claim --agent qa
  handoff claim --agent qa --wait 60        # up to a minute for something to arrive
  handoff claim 12 --agent qa --full`,
		Long: `Prints what is to be done, what is known and what must come back. The claim ends when nothing was heard
of it for 30 minutes, or twice the estimate; reporting progress renews it. Exit status 6:
nothing waits.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			args := arguments{}
			if len(given) > 0 {
				args["handoff_id"] = given[0]
			}
			if full {
				args["view"] = "full"
			}
			if err := args.set(cmd, claimFields); err != nil {
				return err
			}
			out, raw, err := a.claim(cmd.Context(), args, wait.Duration)
			if err != nil {
				return err
			}
			if err := a.printWithMail(raw, func(p *page) { p.claimed(out); p.next(out, a.nextFlags()) }); err != nil || !out.Empty {
				return err
			}
			return Exit(exitNothing)
		},
	}
	bind(cmd, claimFields)
	a.keeping.bindHidden(cmd)
	cmd.Flags().Var(&wait, "wait", "wait so long for something to claim; bare numbers are seconds")
	cmd.Flags().BoolVar(&full, "full", false, "also everything that was sent, as JSON")
	return cmd
}

// claim claims as soon as there is something, or gives an empty result after the wait.
func (a *app) claim(ctx context.Context, args arguments, wait time.Duration) (out schemas.ClaimOut, raw json.RawMessage, err error) {
	by, err := a.caller(true)
	if err != nil {
		return out, nil, err
	}
	err = a.visit(ctx, by, func(v *visit) error {
		return v.wait(ctx, wait, func(now arguments) (done bool, err error) {
			maps.Copy(now, args)
			out = schemas.ClaimOut{}
			raw, err = v.call(ctx, "claim_handoff", now, &out)
			return err == nil && !out.Empty, err
		})
	})
	return out, raw, err
}

func (p *page) claimed(out schemas.ClaimOut) {
	if out.Empty {
		p.line("nothing to claim")
		return
	}
	p.line("%s %s, from %s, attempt %d", p.Bold(out.HandoffID.String()), schemas.Visible(out.Title), out.From, out.Attempt)
	p.field("workflow", string(out.Workflow))
	p.field("claim token", out.Token)
	if out.LeaseEnds != nil {
		p.field("lease until", out.LeaseEnds.Format(time.RFC3339))
	}
	if len(out.Holding) > 1 {
		p.field("you hold", ids(out.Holding))
	}
	if out.Brief != "" {
		p.line("\n%s", out.Brief) // made safe to show by whoever rendered it
	}
	p.document(out.Handoff)
}

// nextFlags are what the commands of the holder need: its name, said or not, and the workspace.
func (a *app) nextFlags() string {
	by, err := a.caller(true)
	if err != nil {
		return "" // it could not have claimed
	}
	return " --agent " + inShell(string(by.Agent)) + a.placeAgain()
}

// next tells who works from a shell how a claim ends: the brief speaks of tools.
func (p *page) next(out schemas.ClaimOut, flags string) {
	if out.Empty {
		return
	}
	const named = 3 // criteria; more only make the line long
	var answers strings.Builder
	for n := range min(out.Criteria, named) {
		fmt.Fprintf(&answers, ` --met "%d=EVIDENCE"`, n+1)
	}
	if out.Criteria > named {
		answers.WriteString(" …")
	}
	p.line("\n%s", p.Faint("Then one of:"))
	p.line(`  handoff complete %s%s --summary "…"%s`, out.HandoffID, flags, answers.String())
	p.line(`  handoff update %s%s --ask "…"`, out.HandoffID, flags)
	p.line(`  handoff fail %s%s "why"`, out.HandoffID, flags)
}
