package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// takeover gives all open work of one agent to another one: the handoffs that it holds, and those that are addressed to
// it and have no holder.
type takeover struct {
	from, to, reason string
	yes              bool // a person need not be asked
}

// addTakeover makes a command for one handoff also accept --from AGENT TO.
func addTakeover(a *cli.App, cmd *cobra.Command) *cobra.Command {
	var t takeover
	assignOne := cmd.RunE
	cmd.Flags().StringVar(&t.from, "from", "", "give everything that this `agent` holds, and that waits for it, to TO")
	cmd.Flags().BoolVarP(&t.yes, "yes", "y", false, "with --from: do not ask")
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		return cobra.ExactArgs(map[bool]int{true: 1, false: 2}[t.from != ""])(cmd, given)
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if t.from == "" {
			return assignOne(cmd, given)
		}
		t.to, t.reason = given[0], cmd.Flags().Lookup("reason").Value.String()
		return a.ConnectAsCaller(cmd.Context(), "update_handoff", func(conn *cli.Connection) error { return t.run(cmd, conn) })
	}
	return cmd
}

// run lists the handoffs, asks, and gives them to the other agent one by one. It reports each refusal and goes on. The
// exit status is the status of the first refusal.
func (t takeover) run(cmd *cobra.Command, conn *cli.Connection) (failed error) {
	found, err := t.findHandoffs(cmd.Context(), conn)
	if err == nil && len(found) == 0 {
		err = schemas.Errorf(schemas.NotFound, "%s holds nothing, and nothing waits for it", schemas.EscapeHidden(t.from)).
			WithNext(schemas.AdviseCall(schemas.AgentsIn{}, "lists the agents"))
	}
	if err = cmp.Or(err, t.confirm(cmd.Context(), conn.App, found)); err != nil {
		return err
	}
	for _, h := range found {
		args := cli.Arguments{"handoff_id": h.HandoffID, "to": t.to}
		if t.reason != "" {
			args["note"] = t.reason
		}
		out, raw, err := assignHandoff(cmd.Context(), conn, args)
		if err == nil {
			err = conn.App.Print(raw, func(p *cli.Page) {
				p.AddLine("%s %s, for %s", p.Bold(out.HandoffID.String()), p.ColourStatus(out.Status), schemas.EscapeHidden(t.to))
				p.AddWarnings(out.Warnings)
			})
		} else {
			fmt.Fprintf(conn.App.Stderr, "%s stays with %s:\n", h.HandoffID, t.from)
			err = cli.ExitStatus(conn.App.Report(cmd, err))
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}

// findHandoffs returns the open handoffs that the agent holds, or that are addressed to it and have no holder.
func (t takeover) findHandoffs(ctx context.Context, conn *cli.Connection) (found []schemas.ListItem, err error) {
	all, err := conn.ListAll(ctx, schemas.ListIn{Box: "all", Status: schemas.Open})
	for _, h := range all {
		whose := h.To
		if h.Status.IsHeld() && h.Holder != "" { // else the holder is the recipient
			whose = schemas.Address(h.Holder)
		}
		if whose == schemas.Address(t.from) {
			found = append(found, h)
		}
	}
	slices.Reverse(found) // the oldest first
	return found, err
}

// confirm shows a person the handoffs and asks. Without a terminal the command needs --yes.
func (t takeover) confirm(ctx context.Context, a *cli.App, found []schemas.ListItem) error {
	lines := schemas.Map(found, func(h schemas.ListItem) string {
		return fmt.Sprintf("  %s %s: %s\n", h.HandoffID, h.Status, schemas.EscapeHidden(schemas.Shorten(h.Title, 60)))
	})
	switch {
	case t.yes:
		return nil
	case !a.IsTerminal(a.Stdin):
		return schemas.Invalidf("--from", "%s would go to %s, and nobody is there to ask", schemas.CountNoun(len(found), "handoff"), schemas.EscapeHidden(t.to)).
			WithHint("Add --yes to do it.\n%s", strings.Join(lines, ""))
	}
	return a.Confirm(ctx, fmt.Sprintf("%sfrom %s to %s.", strings.Join(lines, ""), t.from, t.to))
}
