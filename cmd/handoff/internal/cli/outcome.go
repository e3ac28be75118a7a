package cli

import (
	"context"
	"slices"

	"handoff/schemas"
)

// EndingOf is the event that ended a handoff, where no completion or failure tells how it ended: it was
// cancelled, refused, returned or timed out. Else it is nil.
func EndingOf(ctx context.Context, a *App, out schemas.GetOut) (*schemas.Event, error) {
	if !out.Status.Ended() || out.Status == schemas.Completed || out.Failure != nil {
		return nil, nil
	}
	got, _, err := Call[schemas.GetOut](ctx, a, "get_handoff", Arguments{"handoff_id": out.HandoffID, "view": "events"})
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

// PrintOutcome tells how a handoff ended. End is what [app.ending] gives.
func PrintOutcome(p *Page, out schemas.GetOut, end *schemas.Event) {
	p.Line("%s %s", p.Bold(out.HandoffID.String()), p.Status(out.Status))
	if end != nil {
		p.Field("ended by", string(end.Agent))
		if end.Said != "" && out.Standing != nil { // else the note is of a progress before
			p.Field("reason", out.Standing.Note)
		}
	}
	if c := out.Completion; c != nil {
		p.Field("outcome", string(c.Status))
		p.Field("by", string(c.Source.Agent))
		p.Field("summary", c.Summary)
		for _, answered := range c.Criteria {
			p.Line("%s %d. %s", p.Mark(answered.Met), answered.Number, schemas.Visible(answered.Criterion))
		}
	}
	if f := out.Failure; f != nil {
		p.Field("by", string(f.Source.Agent))
		p.Field("reason", f.Failure.Description)
	}
	printLate(p, out.Late)
}

// printLate tells what came back when the claim was lost already.
func printLate(p *Page, results []schemas.Late) {
	for _, l := range results {
		switch {
		case l.Completion != nil:
			p.Field("late result from "+schemas.Visible(string(l.Completion.Source.Agent)), l.Completion.Summary)
		case l.Failure != nil:
			p.Field("late failure from "+schemas.Visible(string(l.Failure.Source.Agent)), l.Failure.Failure.Description)
		}
	}
}
