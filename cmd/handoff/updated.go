package main

import (
	"strings"
	"time"

	"handoff/schemas"
)

// updated tells what an update changed.
func (p *page) updated(out schemas.UpdateOut) {
	p.line("%s %s", p.Bold(out.HandoffID.String()), p.status(out.Status))
	p.field("changed", strings.Join(out.Changed, ", "))
	p.field("to", string(out.To))
	p.field("claim token", out.Token)
	if out.LeaseEnds != nil {
		p.field("lease until", out.LeaseEnds.Format(time.RFC3339))
	}
	p.field("checkpoint", out.Checkpoint)
	p.field("goes on with", out.Created.String())
	p.field("children still open", ids(out.Children))
	p.warn(out.Warnings)
}
