package mailbox

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"handoff/mailbox/life"
	"handoff/schemas"
)

// Denied keeps in the registry that a caller with a token asked to act as an agent that the token does not name. The
// transport calls it after it refused the caller. Each token has one event a minute at most, which says how often it
// happened since the event before, so a client in a loop cannot fill the store. The caller has its refusal already, so
// an error here goes to the log alone. Denials that no event tells of yet are lost when the process ends.
func (s *Service) Denied(ctx context.Context, by schemas.Caller, asked string) {
	if by.Token == "" {
		return
	}
	times := s.denials.count(by.Token, s.Now())
	if times == 0 {
		return
	}
	what := denied{Agent: schemas.Clip(schemas.Visible(asked), 64), Times: times}
	err := s.update(ctx, by, func(o *op) error { return o.recordSaid(life.Denied, what) })
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "a denial was not kept", slog.String("token", by.Token), slog.Any("error", err))
	}
}

// denied is the content of an event of [life.Denied].
type denied struct {
	Agent string `json:"agent"` // that was asked for last
	Times int    `json:"times"` // since the event before
}

// denialsApart is the least time between two events that tell of denials of one token.
const denialsApart = time.Minute

// denials counts, by token, the denials that no event of the registry tells of yet. It is memory of this process. It
// has one entry for each token that was ever denied here, and tokens are few: a person makes each.
type denials struct {
	mu sync.Mutex // guards the fields below
	of map[string]*denial
}

// denial is what is known of the denials of one token.
type denial struct {
	told time.Time // when the last event was kept
	more int       // denials since
}

func newDenials() *denials { return &denials{of: map[string]*denial{}} }

// count adds a denial. When an event is due it gives how many denials the event tells of, else zero. A clock that was
// set back makes an event due.
func (d *denials) count(token string, now time.Time) (times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of := d.of[token]
	if of == nil {
		of = &denial{}
		d.of[token] = of
	}
	of.more++
	if now.Sub(of.told) < denialsApart && !now.Before(of.told) {
		return 0
	}
	times, *of = of.more, denial{told: now}
	return times
}

// A token may have only so many handoffs pending at a time. Each handoff counts that a caller sends with it: by a send,
// by the continuation of a completion, by a retry, by giving work back. A handoff that the rules send does not count
// for the caller whose action led to it, and is never refused. Work that is tried again counts for its first sender.

// drains is after how long it makes sense to send again, because some may have been claimed. The error of
// [op.checkPending] tells it.
const drains = 30 * time.Second

// checkPending refuses a handoff of which the caller's token would have one too many pending: the error is limit, and
// says after how many seconds it makes sense to try again. The count is kept by the store with each record, so it is
// exact in this transaction. A token without a limit, and a caller without a token, may have any number.
func (o *op) checkPending() error {
	if o.by.Token == "" || o.by.MaxPending == 0 {
		return nil
	}
	n, err := o.PendingOf(o.by.Token)
	if err != nil || n < o.by.MaxPending {
		return err
	}
	return schemas.Errorf(schemas.Limit, "%d handoffs that were sent with token %s are pending, and it may have %d",
		n, o.by.Token, o.by.MaxPending).
		WithHint("Wait until some are claimed. Nothing was sent.").
		WithNext(schemas.Call(schemas.ListIn{Box: "sent", Status: schemas.Standings(schemas.Pending)}, "shows them")).
		After(drains)
}
