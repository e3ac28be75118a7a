package mailbox

import (
	"cmp"
	"context"
	"log/slog"

	"handoff/mailbox/operation"
)

// offerLostWork offers work to others that belongs to sessions which ended together with an earlier owner of the
// store: the claims that nobody read, and the work of pools that is reserved for one of these sessions. It does so once
// in the life of the service, when it presumes that none of their connections returns. After an error, the leases and
// the reservations end by themselves.
func (s *Service) offerLostWork(ctx context.Context) {
	if !s.here.Alone && s.Now().Sub(s.here.Started) < operation.UnreadGrace || s.lostOffered.Swap(true) {
		return
	}
	err := s.update(ctx, operation.ClockCaller, func(o *op) error {
		names, err := o.AgentNames()
		if err != nil {
			return err
		}
		for _, a := range names {
			if s.here.IsActing(a) {
				continue
			}
			err = cmp.Or(err, o.EndFirstOffers(a))
			for r, damage := range o.HandoffsHeldBy(a) {
				if damage == nil && r.Conn != "" && o.Leases.IsUnread(r) {
					err = cmp.Or(err, o.GiveBackUnread(r))
				}
			}
		}
		return err
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "work of sessions that are gone stays with them", slog.Any("error", err))
	}
}
