package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"handoff/mailbox/draw"
	"handoff/schemas"
)

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one handoff, or one notice in full",
		Example: `  handoff show 12
  handoff show 12 --full         # also everything that was said, as JSON
  handoff show 12 --brief        # what its receiver reads
  handoff show 12 --events       # every step, as the registry has it
  handoff show no_3 --agent dev  # a notice of dev, with all that came along`,
		Args: cobra.ExactArgs(1),
	}
	views := []string{"full", "brief", "events", "outcome", "checkpoint"}
	cmd.Flags().Bool("full", false, "also everything that was said, as JSON")
	cmd.Flags().Bool("brief", false, "what its receiver reads")
	cmd.Flags().Bool("events", false, "every step")
	cmd.Flags().Bool("outcome", false, "how it ended")
	cmd.Flags().Bool("checkpoint", false, "where work stood when it stopped")
	cmd.MarkFlagsMutuallyExclusive(views...)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		view, everything := "full", cmd.Flags().Changed("full")
		for _, name := range views {
			if cmd.Flags().Changed(name) {
				view = name
			}
		}
		switch {
		case !isNotice(given[0]):
			return a.showHandoff(cmd.Context(), given[0], view, everything)
		case view != "full":
			return onlyRead(given[0], "has no "+view)
		}
		return a.showNotice(cmd.Context(), given[0])
	}
	return cmd
}

func (a *app) showHandoff(ctx context.Context, id, view string, everything bool) error {
	out, raw, err := once[schemas.GetOut](ctx, a, "get_handoff", arguments{"handoff_id": id, "view": view})
	if err != nil {
		return err
	}
	end, err := a.ending(ctx, out)
	if err != nil {
		return err
	}
	return a.print(raw, func(p *page) { p.shown(out, end, view, everything) })
}

// shown draws one handoff at the depth that was asked for.
func (p *page) shown(out schemas.GetOut, end *schemas.Event, view string, everything bool) {
	switch view {
	case "brief":
		p.line("%s", out.Brief) // made safe to show by whoever rendered it
	case "events":
		p.events(out.Events)
	case "outcome":
		p.outcome(out, end)
	case "checkpoint":
		p.document(out.Checkpoint)
	default:
		p.handoff(out, end, everything)
	}
	if out.NextOffset > 0 {
		p.line("%s", p.Faint("There is more: handoff call get_handoff with an offset shows it."))
	}
}

func (p *page) handoff(out schemas.GetOut, end *schemas.Event, everything bool) {
	p.WriteString(draw.Show(out, end, p.drawing()))
	if len(out.Children) > 0 {
		p.line("\n%s\n- %s", p.Bold("Children"), ids(out.Children))
	}
	if !everything {
		return
	}
	p.document(out.Handoff)
	if out.Completion != nil {
		p.document(out.Completion)
	}
	if out.Failure != nil {
		p.document(out.Failure)
	}
	for _, late := range out.Late {
		p.document(late)
	}
}

func (p *page) events(events []schemas.Event) {
	var rows [][]string
	for _, e := range events {
		rows = append(rows, []string{
			strconv.FormatUint(e.N, 10), e.At.Format("2006-01-02 15:04:05"), string(e.Agent), e.Action, string(e.From), string(e.To), e.Other.String(),
		})
	}
	p.WriteString(p.Table([]string{"EVENT", "AT", "AGENT", "ACTION", "FROM", "TO", "OTHER"}, rows))
}
