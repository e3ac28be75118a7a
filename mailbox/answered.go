package mailbox

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"handoff/mailbox/listing"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// takeAnswer gives the agent that asked its claim back, where it waited for the answer in the session that asked: with
// the questions, the answer and a token, but not with the brief that it has read. Taken is false where nothing was
// answered, where the session only reads, and where another was faster.
//
// [Service.Get] calls it after a wait, so that the session that asked needs no second call. The claim is a transaction
// of its own, with the rules and errors of [Service.Claim]; that it is no new attempt comes from the answer. operation.Conflict
// and denied are no errors here: the caller is shown how the handoff stands instead.
func (s *Service) takeAnswer(
	ctx context.Context, by schemas.Caller, in schemas.GetIn,
) (out schemas.GetOut, taken bool, err error) {
	taken, err = operation.Look(ctx, s.engine, func(v *store.View) (bool, error) {
		r, err := reading.Find(v, in.HandoffID, by.Agent)
		return err == nil && answered(r, by) && sameSession(r, by) && by.Scope != schemas.ScopeRead, err
	})
	if !taken || err != nil {
		return out, false, err
	}
	got, err := s.Claim(ctx, by, schemas.ClaimIn{HandoffID: in.HandoffID, MaxTokens: in.MaxTokens})
	if e := schemas.AsError(err); e != nil && (e.Code == schemas.Conflict || e.Code == schemas.Denied) {
		return out, false, nil
	}
	return schemas.GetOut{
		HandoffID: got.HandoffID, Status: schemas.Accepted, Brief: got.Brief, Token: got.Token, LeaseEnds: got.LeaseEnds,
	}, err == nil, err
}

// settle marks as read what tells an agent of a handoff, when the agent is shown or does what it tells of. Messages
// stay: what they say stands nowhere else.
func (o *op) settle(id schemas.ID, a schemas.Agent) error {
	told, err := o.UnreadAbout(a, id, reading.MostLooked)
	if err != nil || len(told) == 0 {
		return err
	}
	return o.Read(a, told...)
}

// settleShown is [op.settle] for what a call has shown. Where nothing is to be marked nothing is written. It looks on a
// snapshot first, so that a view that is repeated costs no write. A caller that may only read marks nothing.
func (s *Service) settleShown(ctx context.Context, by schemas.Caller, id schemas.ID) error {
	if by.Agent == "" || by.Scope == schemas.ScopeRead {
		return nil
	}
	told, err := operation.Look(ctx, s.engine, func(v *store.View) ([]schemas.NoticeID, error) {
		return v.UnreadAbout(by.Agent, id, reading.MostLooked)
	})
	if err != nil || len(told) == 0 {
		return err
	}
	return s.update(ctx, by, func(o *op) error { return o.settle(id, by.Agent) })
}

// nothing is the answer to a claim for which nothing waits. It shows what the caller has not read: a model that waits
// for mail would else wait for ever on a message that tells it to stop. What it holds, and what waits and may not be taken
// yet, is named as well. Where that cannot be read, the log says so and the result is without it: a caller that polls is not stopped by
// it.
func (s *Service) nothing(ctx context.Context, by schemas.Caller) (out schemas.ClaimOut, err error) {
	out.Empty = true
	out.Waits, err = operation.Look(ctx, s.engine, func(v *store.View) (string, error) {
		kept, err := s.offers(v).KeptFrom(by.Agent)
		return kept, cmp.Or(err, s.remind(v, by, &out))
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "what waits was not told", slog.Any("error", err))
	}
	if some, err := s.unread(ctx, by.Agent); !some || err != nil || by.Scope == schemas.ScopeRead {
		return out, err
	}
	if by.Agent == schemas.Human { // what a person has not read needs the person: only looking at it by name reads it
		by.Scope = schemas.ScopeRead
	}
	f, err := listing.Parse(schemas.ListIn{}, s.Now())
	if err != nil {
		return out, err
	}
	err = s.showNotices(ctx, by, func(v *store.View) ([]schemas.NoticeID, error) {
		page, shown, err := f.Unread(v, by.Agent)
		out.Notices, out.MoreNotices = page.Items, page.Cursor != ""
		return shown, err
	})
	return out, err
}

// amendedSince tells whether what is asked was changed since the question that was answered last.
//
// Then the session that asked is shown the whole brief again, and not the answer alone. It looks at the newest
// [eventsBack] events; where no question is among them, it says that something may have changed.
func amendedSince(v *store.View, r *store.Record) (bool, error) {
	events, err := v.EventsOf(r, eventsBack)
	asked := slices.IndexFunc(events, func(e schemas.Event) bool { return e.Action == "asked" })
	return asked < 0 || slices.ContainsFunc(events[:max(asked, 0)], func(e schemas.Event) bool {
		return e.Action == "amended"
	}), err
}

// eventsBack is how far an amendment is looked for.
const eventsBack = 50
