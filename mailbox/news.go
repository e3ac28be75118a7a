package mailbox

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"handoff/mailbox/waiting"
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
// in it. It tells of each handoff and each notice once in a session: it names the first few, counts the others, and marks
// them all in the same transaction, so hooks that run at once do not repeat each other. A mention is not reading, and nothing is written when there
// is nothing to tell. On wake it waits for a handoff, if asked.
func (s *Service) News(ctx context.Context, by schemas.Caller, in schemas.NewsIn) (schemas.NewsOut, error) {
	if in.On != schemas.OnWake {
		return s.newsNow(ctx, by, in, 0)
	}
	since, until := waiting.Turn(by, in.WaitSeconds, s.Now())
	for {
		changed := s.hub.NextChange()
		out, err := s.newsNow(ctx, by, in, since.UnixNano())
		if err != nil || len(out.New) > 0 || out.Over != "" || !s.Now().Before(until) {
			return out, err
		}
		if err := s.sleep(ctx, changed, until); err != nil {
			return out, err
		}
	}
}

// newsNow takes back what it marked when its answer can no longer be delivered.
func (s *Service) newsNow(ctx context.Context, by schemas.Caller, in schemas.NewsIn, since int64) (out schemas.NewsOut, err error) {
	err = s.update(ctx, by, func(o *op) (err error) {
		out, err = once(o, func(o *op) (schemas.NewsOut, error) {
			t := telling{op: o, in: in, since: since}
			return t.answer()
		})
		return err
	})
	if gone := ctx.Err(); gone != nil && out.Marked != nil {
		return schemas.NewsOut{}, cmp.Or(s.unheard(by, in, out), s.coded(gone))
	}
	return out, err
}

// telling is one answer in the making.
type telling struct {
	*op
	in    schemas.NewsIn
	since int64 // when a wait began, in nanoseconds since 1970
	out   schemas.NewsOut
	told  store.Delivered // in the session, before and now
	moved bool            // told is to be remembered
	noted bool            // something was kept about handoffs

	found schemas.Marks // what there is to tell of
}

// occasions is what there is to tell on each.
var occasions = map[schemas.Occasion]func(*telling) error{
	schemas.OnStart:   (*telling).onStart,
	schemas.OnMail:    (*telling).onMail,
	schemas.OnStop:    (*telling).onStop,
	schemas.OnEnd:     (*telling).onEnd,
	schemas.OnCompact: func(t *telling) error { return t.leaveNotes("was compacted") },
	schemas.OnWake:    (*telling).onWake,
	schemas.OnLook:    (*telling).onLook,
	schemas.OnUnheard: (*telling).onUnheard,
}

// answer finds what there is to tell, and keeps that it was told.
func (t *telling) answer() (out schemas.NewsOut, err error) {
	tell, ok := occasions[t.in.On]
	if !ok {
		return out, schemas.Invalidf("on", "%q is not an occasion", schemas.Visible(string(t.in.On)))
	}
	if t.by.Agent, err = t.nameOf(t.in); err != nil {
		return out, err
	}
	t.out.Agent = t.by.Agent
	if t.told, err = t.Delivered(t.by.Agent, t.in.Session); err != nil {
		return out, err
	}
	if err := tell(t); err != nil {
		return out, err
	}
	waits := t.in.On == schemas.OnWake && len(t.out.New) == 0 && t.out.Over == ""
	t.fruitless = !t.moved && !t.noted || waits // it is yet to be answered
	return t.out, t.keep()
}

// onStart tells all that matters to a session that knows nothing yet, or nothing any more.
func (t *telling) onStart() error {
	if err := t.onLook(); err != nil {
		return err
	}
	t.mark()
	return nil
}

// onLook tells the same to whoever looks, and marks nothing.
func (t *telling) onLook() (err error) {
	t.neighbours()
	if err := t.holding(); err != nil {
		return err
	}
	if t.out.Mail, err = t.inboxOf(t.View, t.by.Agent); err != nil {
		return err
	}
	return errors.Join(t.findHandoffs(false), t.findNotices(anyNotice))
}

// onEnd leaves a note, and releases a name under which nothing was done. Nobody is to be woken any more.
func (t *telling) onEnd() error {
	if t.told.Waits != 0 {
		t.told.Waits, t.moved = t.now.UnixNano(), true
		t.wrote = true // so that those who wait look again
	}
	return errors.Join(t.leaveNotes("ended"), t.releaseName())
}

// neighbours names who else is here. Who is known and not here is for list_agents.
func (t *telling) neighbours() {
	names := slices.DeleteFunc(t.everybodyHere(), func(name schemas.Agent) bool { return name == t.by.Agent })
	t.out.Here = names[:min(len(names), neighboursShown)]
	t.out.More = len(names) - len(t.out.Here)
}

// onMail tells what has come since the session was last told.
func (t *telling) onMail() error {
	if err := errors.Join(t.findHandoffs(true), t.findNotices(t.untold)); err != nil {
		return err
	}
	t.mark()
	return nil
}

// onWake tells the handoffs for which a session is to wake up: those that came, and those of its own whose question
// was answered. The newest wait of a session ends those before it.
func (t *telling) onWake() error {
	switch {
	case t.told.Waits > t.since:
		t.out.Over = "the session has ended, or a newer command waits for it"
		return nil
	case t.told.Waits < t.since:
		t.told.Waits, t.moved = t.since, true
		t.wrote = true // so that those before it look again
	}
	held, err := t.held()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(held, works) {
		t.out.Over = "the session is at work"
		return nil
	}
	answered := func(item schemas.Notice) bool { return t.untold(item) && item.Kind == string(noticeAnswer) }
	if err := errors.Join(t.findHandoffs(true), t.findNotices(answered)); err != nil {
		return err
	}
	t.markFirst()
	return nil
}
