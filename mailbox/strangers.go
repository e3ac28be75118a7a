package mailbox

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/presence"
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
	err := s.update(ctx, by, func(o *op) error { return o.RecordEvent(life.Denied, what) })
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
	of map[string]denial
}

// denial is what is known of the denials of one token.
type denial struct {
	told time.Time // when the last event was kept
	more int       // denials since
}

// count adds a denial. When an event is due it gives how many denials the event tells of, else zero. A clock that was
// set back makes an event due.
func (d *denials) count(token string, now time.Time) (times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of := d.of[token]
	of.more++
	if now.Sub(of.told) < denialsApart && !now.Before(of.told) {
		d.of[token] = of
		return 0
	}
	d.of[token] = denial{told: now}
	return of.more
}

// noticeActedAs is the kind of a notice that somebody else acts under the reader's name. Its sender is the agent that
// acts so, or system where that one has no name.
const noticeActedAs = "acted_as"

// Borrows tells whether a caller is about to act for the first time over its connection under the name of an agent that
// acts over another one, and leaves a notice with that agent. Package tools asks it before each call that changes
// something and names another agent than own, the caller's. It refuses nothing: subagents share names with good reason.
// On the command line and over HTTP there is no connection to tell by, and a notice that cannot be kept is logged.
func (s *Service) Borrows(ctx context.Context, by schemas.Caller, own schemas.Agent) bool {
	over := func(mine bool) bool {
		return s.here.ActingOver(by.Agent, func(c presence.Connection) bool { return (c.Name == by.Conn) == mine })
	}
	if by.Conn == "" || own == by.Agent || over(true) || !over(false) {
		return false
	}
	name := own
	if own == "" {
		own, name = schemas.System, "another session"
	}
	n := schemas.Notice{
		Kind: noticeActedAs, Title: fmt.Sprintf("%s acts as you", name),
		Text: fmt.Sprintf("%s began to act under your name, %s, while you are here. If that is none of yours, look at what you hold, "+
			"and tell a person.", name, by.Agent),
	}
	agent := by.Agent
	by.Agent = own
	if err := s.update(ctx, by, func(o *op) error { return o.Tell(agent, n) }); err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "an agent was not told that another acts under its name", slog.Any("error", err))
	}
	return true
}
