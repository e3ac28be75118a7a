package audit

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/tlog"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func logCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List the events of the registry, with the hashes of their leaves",
		Example: `  handoff audit log
  handoff audit log --after 120 --json`,
		Long: "Prints each event with its number and the hash that is its leaf in the tree (RFC 6962), the oldest first.",
		Args: cobra.NoArgs,
	}
	after := cmd.Flags().Uint64("after", 0, "only events after this `number`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return eachEvent(cmd, a, *after, func(events [][]byte) error {
			p := &cli.Page{Style: a.Style()}
			for _, b := range events {
				line(p, a.JSON, b)
			}
			return a.Write(p.String())
		})
	}
	return cmd
}

// eachEvent gives the events after one to fn, in order, as many at once as one call gives.
func eachEvent(cmd *cobra.Command, a *cli.App, after uint64, fn func([][]byte) error) error {
	return a.Act(cmd.Context(), "audit_events", func(conn *cli.Connection) error {
		for {
			var out schemas.EventsOut
			if _, err := conn.Call(cmd.Context(), "audit_events", schemas.EventsIn{After: after}, &out); err != nil || len(out.Events) == 0 {
				return err
			}
			if err := fn(out.Events); err != nil {
				return err
			}
			after += uint64(len(out.Events))
		}
	})
}

func line(p *cli.Page, asJSON bool, b []byte) {
	leaf := tlog.RecordHash(b).String()
	var e schemas.Event
	err := json.Unmarshal(b, &e)
	switch {
	case asJSON && err == nil:
		raw, _ := json.Marshal(map[string]any{"n": e.N, "leaf": leaf, "event": json.RawMessage(b)})
		p.Line("%s", cli.Inert(raw))
	case err != nil:
		p.Line("%s %s", leaf, p.Red("cannot be read"))
	default:
		p.Line("%d %s %s", e.N, leaf, told(p, e))
	}
}

// told says in a line what an event tells.
func told(p *cli.Page, e schemas.Event) string {
	return p.Quote(e.At.UTC().Format(time.RFC3339)+" "+string(e.Agent)+" "+e.Action+" "+e.Handoff.String(), 0)
}
