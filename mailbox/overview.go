package mailbox

import (
	"context"
	"time"

	"handoff/mailbox/overview"
	"handoff/schemas"
	"handoff/store"
)

// Overview tells what is going on in the workspace, for the person who looks after it: what needs the person, what agents
// are at work on, what is stuck and why, and how much there is, see [overview.Of]. Any caller calls it; nothing changes
// but what the clock has changed, and no notice counts as read.
//
// A part has limit rows, 20 by default, and counts the others. The number of rows that are read is bounded, whatever the
// workspace holds. The only errors are those of the store. It can be repeated freely.
func (s *Service) Overview(
	ctx context.Context, _ schemas.Caller, in schemas.OverviewIn,
) (out schemas.OverviewOut, err error) {
	now, _ := s.clock.Read()
	err = s.read(ctx, func(v *store.View) error {
		known, err := s.known(v, now)
		if err != nil {
			return err
		}
		out, err = overview.Of(v, overview.Config{
			Now: now, Limit: in.Limit, Silence: s.Lease * 4 / 3, Known: known, Reader: s.reader,
		})
		return err
	})
	return out, err
}

// lately is for how long an agent counts as here after a call, where no connection shows whether it is.
const lately = 5 * time.Minute

// known are the agents of a workspace, a thousand at most, with whether each is here as far as anybody knows.
func (s *Service) known(v *store.View, now time.Time) (known []overview.Agent, err error) {
	for a, err := range s.everybody(v) {
		if err != nil {
			return nil, err
		}
		if len(known) == mostLooked {
			break
		}
		known = append(known, overview.Agent{
			Card: a.Card, Client: a.Client,
			Here: s.here.Holds(a) || a.Client == "" && now.Sub(a.Seen.Time()) < lately,
		})
	}
	return known, nil
}
