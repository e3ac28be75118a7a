package mailbox

import (
	"context"
	"errors"
	"maps"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

const (
	// newsShown is how many items, and how many handoffs that are held, one answer names.
	newsShown = 5

	// neighboursShown is how many others one answer names.
	neighboursShown = 8
)

// News says what a session is to be told on an [schemas.Occasion]: by its hooks, which run when something happens
// in it. It names each handoff and each notice once in a session, and marks what it names in the same transaction,
// so hooks that run at once do not repeat each other. A mention is not reading, and nothing is written when there
// is nothing to tell. On wake it waits for a handoff, if asked.
func (s *Service) News(ctx context.Context, by schemas.Caller, in schemas.NewsIn) (schemas.NewsOut, error) {
	if in.On != schemas.OnWake {
		return s.news(ctx, by, in, 0)
	}
	since, until := s.turn(by, in.WaitSeconds)
	for {
		changed := s.hub.anything()
		out, err := s.news(ctx, by, in, since.UnixNano())
		if err != nil || len(out.New) > 0 || out.Over != "" || !s.Now().Before(until) {
			return out, err
		}
		if err := s.sleep(ctx, changed, until); err != nil {
			return out, err
		}
	}
}

func (s *Service) news(ctx context.Context, by schemas.Caller, in schemas.NewsIn, since int64) (out schemas.NewsOut, err error) {
	err = s.update(ctx, by, func(o *op) (err error) {
		out, err = once(o, func(o *op) (schemas.NewsOut, error) { return o.news(in, since) })
		return err
	})
	return out, err
}

// news is one answer in the making.
type news struct {
	*op
	in    schemas.NewsIn
	since int64 // when a wait began, in nanoseconds since 1970
	out   schemas.NewsOut
	told  store.Told
	moved bool // told is to be remembered
	noted bool // something was kept about handoffs

	handoffs []schemas.ID       // that are told of
	notices  []schemas.NoticeID // the same
}

// occasions is what there is to tell on each.
var occasions = map[schemas.Occasion]func(*news) error{
	schemas.OnStart:   (*news).start,
	schemas.OnMail:    (*news).mail,
	schemas.OnStop:    (*news).stop,
	schemas.OnEnd:     (*news).end,
	schemas.OnCompact: func(n *news) error { return n.leaveNotes("was compacted") },
	schemas.OnWake:    (*news).wake,
	schemas.OnLook:    (*news).look,
}

func (o *op) news(in schemas.NewsIn, since int64) (out schemas.NewsOut, err error) {
	tell, ok := occasions[in.On]
	if !ok {
		return out, schemas.Invalidf("on", "%q is not an occasion", schemas.Visible(string(in.On)))
	}
	if o.by.Agent, err = o.nameOf(in); err != nil {
		return out, err
	}
	n := &news{op: o, in: in, since: since, out: schemas.NewsOut{Agent: o.by.Agent}}
	if n.told, err = o.Told(o.by.Agent, in.Session); err != nil {
		return out, err
	}
	if err := tell(n); err != nil {
		return out, err
	}
	waits := in.On == schemas.OnWake && len(n.out.New) == 0 && n.out.Over == ""
	o.fruitless = !n.moved && !n.noted || waits // it is yet to be answered
	return n.out, n.remember()
}

// start tells all that matters to a session that knows nothing yet, or nothing any more.
func (n *news) start() error {
	if err := n.look(); err != nil {
		return err
	}
	n.mark()
	return nil
}

// look tells the same to whoever looks, and marks nothing.
func (n *news) look() (err error) {
	n.neighbours()
	if err := n.holding(); err != nil {
		return err
	}
	if n.out.Mail, err = n.inboxOf(n.View, n.by.Agent); err != nil {
		return err
	}
	return errors.Join(n.findHandoffs(false), n.findNotices(anyNotice))
}

// end leaves a note, and lets go of a name under which nothing was done. Nobody is to be woken any more.
func (n *news) end() error {
	if n.told.Waits != 0 {
		n.told.Waits, n.moved = n.now.UnixNano(), true
		n.wrote = true // so that those who wait look again
	}
	return errors.Join(n.leaveNotes("ended"), n.letGo(n.in))
}

// neighbours names who else is here. Who is known and not here is for list_agents.
func (n *news) neighbours() {
	here := n.conns.everybody()
	delete(here, n.by.Agent)
	names := slices.Sorted(maps.Keys(here))
	n.out.Here = names[:min(len(names), neighboursShown)]
	n.out.More = len(names) - len(n.out.Here)
}

// mail tells what has come since the session was last told.
func (n *news) mail() error {
	if err := errors.Join(n.findHandoffs(true), n.findNotices(n.unseen)); err != nil {
		return err
	}
	n.mark()
	return nil
}

// wake tells the handoffs for which a session is to wake up: those that came, and those of its own whose question
// was answered. The newest wait of a session ends those before it.
func (n *news) wake() error {
	switch {
	case n.told.Waits > n.since:
		n.out.Over = "the session has ended, or a newer command waits for it"
		return nil
	case n.told.Waits < n.since:
		n.told.Waits, n.moved = n.since, true
		n.wrote = true // so that those before it look again
	}
	held, err := n.held()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(held, works) {
		n.out.Over = "the session is at work"
		return nil
	}
	answered := func(item schemas.Notice) bool { return n.unseen(item) && item.Kind == string(noticeAnswer) }
	if err := errors.Join(n.findHandoffs(true), n.findNotices(answered)); err != nil {
		return err
	}
	n.mark()
	return nil
}
