package main

import (
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// printUpdated tells what an update changed.
func printUpdated(p *cli.Page, out schemas.UpdateOut) {
	p.Line("%s %s", p.Bold(out.HandoffID.String()), p.Status(out.Status))
	p.Field("changed", strings.Join(out.Changed, ", "))
	p.Field("to", string(out.To))
	p.Field("claim token", out.Token)
	if out.LeaseEnds != nil {
		p.Field("lease until", out.LeaseEnds.Format(time.RFC3339))
	}
	p.Field("checkpoint", out.Checkpoint)
	p.Field("goes on with", out.Created.String())
	p.Field("children still open", cli.IDs(out.Children))
	p.Warn(out.Warnings)
}
