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

// RecordDenial records in the registry that a caller wanted to act as an agent that its token does not name; the
// argument asked is this agent. The transport calls it after it refused the call. It writes at most one event a minute
// for each token, with the number of denials since the last event, so that a client in a loop cannot fill the store.
// Numbers that are not yet in an event are lost when the process ends. An error is only logged.
func (s *Tokens) RecordDenial(ctx context.Context, by schemas.Caller, asked string) {
	if by.Token == "" {
		return
	}
	times := s.denials.countDenial(by.Token, s.Engine.Now())
	if times == 0 {
		return
	}
	what := denialEvent{Agent: schemas.Clip(schemas.EscapeHidden(asked), 64), Times: times}
	err := s.Engine.Update(ctx, by, func(o *operation.Op) error { return o.RecordEvent(life.Denied, what) })
	if err != nil && ctx.Err() == nil {
		s.Engine.Logger.WarnContext(ctx, "a denial was not kept", slog.String("token", by.Token), slog.Any("error", err))
	}
}

// denialEvent is the content of an event with the action [life.Denied].
type denialEvent struct {
	Agent string `json:"agent"` // the agent of the last denial
	Times int    `json:"times"` // since the event before
}

// denialInterval is the minimum time between two events about the same token.
const denialInterval = time.Minute

// denialCounts counts the denials of each token since the last event about the token. It has one entry for each token
// that was denied since this process started.
type denialCounts struct {
	mu      sync.Mutex // guards the fields below
	byToken map[string]tokenDenials
}

// tokenDenials counts the denials of one token since the last event about the token.
type tokenDenials struct {
	lastEvent time.Time // when the last event was kept
	count     int       // denials since
}

// countDenial counts a denial of a token. If a minute has passed since the last event about the token, or if the clock
// was set back, it returns the number of denials for a new event. Otherwise it returns zero.
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
