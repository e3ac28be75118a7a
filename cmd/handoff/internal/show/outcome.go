package show

import (
	"context"
	"slices"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// Ending is the event that ended a handoff, where no completion or failure tells how it ended: it was
// cancelled, refused, returned or timed out. Else it is nil.
func Ending(ctx context.Context, a *cli.App, out schemas.GetOut) (*schemas.Event, error) {
	if !out.Status.Ended() || out.Status == schemas.Completed || out.Failure != nil {
		return nil, nil
	}
	got, _, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": out.HandoffID, "view": "events"})
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

// Outcome tells how a handoff ended. End is what [Ending] gave.
func Outcome(p *cli.Page, out schemas.GetOut, end *schemas.Event) {
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
	for _, l := range lateResults(out.Late) {
		p.Field(l.label, l.text)
	}
}

// A lateResult is what came back when the claim was lost already.
type lateResult struct{ label, text string }

func lateResults(results []schemas.Late) (all []lateResult) {
	for _, l := range results {
		switch {
		case l.Completion != nil:
			by := one(string(l.Completion.Source.Agent))
			all = append(all, lateResult{"late result from " + by, l.Completion.Summary})
		case l.Failure != nil:
			by := one(string(l.Failure.Source.Agent))
			all = append(all, lateResult{"late failure from " + by, l.Failure.Failure.Description})
		}
	}
	return all
}
