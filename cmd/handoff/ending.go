package main

import (
	"context"
	"slices"

	"handoff/schemas"
)

// ending is the event that ended a handoff, where no completion or failure tells how it ended: it was
// cancelled, refused, returned or timed out. Else it is nil.
func (a *app) ending(ctx context.Context, out schemas.GetOut) (*schemas.Event, error) {
	if !out.Status.Ended() || out.Status == schemas.Completed || out.Failure != nil {
		return nil, nil
	}
	got, _, err := once[schemas.GetOut](ctx, a, "get_handoff", arguments{"handoff_id": out.HandoffID, "view": "events"})
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(got.Events) {
		if e.To.Ended() && e.From != e.To {
			return &e, nil
		}
	}
	return nil, nil
}

// outcome tells how a handoff ended. End is what [app.ending] gives.
func (p *page) outcome(out schemas.GetOut, end *schemas.Event) {
	p.line("%s %s", p.Bold(out.HandoffID.String()), p.status(out.Status))
	if end != nil {
		p.field("ended by", string(end.Agent))
		if end.Said != "" && out.Standing != nil { // else the note is of a progress before
			p.field("reason", out.Standing.Note)
		}
	}
	if c := out.Completion; c != nil {
		p.field("outcome", string(c.Status))
		p.field("by", string(c.Source.Agent))
		p.field("summary", c.Summary)
		for _, answered := range c.Criteria {
			p.line("%s %d. %s", p.mark(answered.Met), answered.Number, schemas.Visible(answered.Criterion))
		}
	}
	if f := out.Failure; f != nil {
		p.field("by", string(f.Source.Agent))
		p.field("reason", f.Failure.Description)
	}
	p.late(out.Late)
}

// late tells what came back when the claim was lost already.
func (p *page) late(results []schemas.Late) {
	for _, l := range results {
		switch {
		case l.Completion != nil:
			p.field("late result from "+schemas.Visible(string(l.Completion.Source.Agent)), l.Completion.Summary)
		case l.Failure != nil:
			p.field("late failure from "+schemas.Visible(string(l.Failure.Source.Agent)), l.Failure.Failure.Description)
		}
	}
}
