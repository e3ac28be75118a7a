package tokens

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
)

// RecordDenial records in the registry that a caller with a token asked to act as an agent that the token does not
// name. The transport calls it after it refused the caller. Each token has at most one event a minute, with the number
// of denials since its last event, so a client in a loop cannot fill the store. The caller has its refusal already, so
// Denied only logs an error. Denials without an event yet are lost when the process ends.
func (s *Tokens) RecordDenial(ctx context.Context, by schemas.Caller, asked string) {
	if by.Token == "" {
		return
	}
	times := s.denials.countDenial(by.Token, s.Engine.Now())
	if times == 0 {
		return
	}
	what := denialEvent{Agent: schemas.Clip(schemas.Visible(asked), 64), Times: times}
	err := s.Engine.Update(ctx, by, func(o *operation.Op) error { return o.RecordEvent(life.Denied, what) })
	if err != nil && ctx.Err() == nil {
		s.Engine.Logger.WarnContext(ctx, "a denial was not kept", slog.String("token", by.Token), slog.Any("error", err))
	}
}

// denialEvent is the content of an event of [life.Denied].
type denialEvent struct {
	Agent string `json:"agent"` // the agent of the last denial
	Times int    `json:"times"` // since the event before
}

// denialInterval is the least time between two events about denials of one token.
const denialInterval = time.Minute

// denialCounts counts, by token, the denials without an event yet. It is memory of this process. It has one entry for
// each token that was ever denied here, and tokens are few: a person makes each.
type denialCounts struct {
	mu      sync.Mutex // guards the fields below
	byToken map[string]tokenDenials
}

// tokenDenials counts the denials of one token.
type tokenDenials struct {
	lastEvent time.Time // when the last event was kept
	count     int       // denials since
}

// countDenial adds a denial. If an event is due, it returns the number of denials for it, else zero. A clock that was
// set back makes an event due.
func (d *denialCounts) countDenial(token string, now time.Time) (times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byToken == nil {
		d.byToken = map[string]tokenDenials{}
	}
	of := d.byToken[token]
	of.count++
	if now.Sub(of.lastEvent) < denialInterval && !now.Before(of.lastEvent) {
		d.byToken[token] = of
		return 0
	}
	d.byToken[token] = tokenDenials{lastEvent: now}
	return of.count
}
