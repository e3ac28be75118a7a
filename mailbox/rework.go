package mailbox

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// accept takes the result of a completed handoff as good enough, see [life.Accept]. Once it is accepted, a repetition
// keeps nothing.
func (o *op) accept(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	now, err := o.step(life.Accept, r)
	if err != nil {
		return nil, err
	}
	if r.Accepted != 0 {
		out.Warnings = append(out.Warnings, "it was accepted before")
		return r, nil
	}
	now.Accepted = store.At(o.now)
	text := strings.TrimSpace(fmt.Sprintf("%s accepted the result. %s", o.by.Agent, in.Note))
	accepted := happening{action: life.Accept, was: r, now: &now, text: text}
	return &now, o.commitNote(accepted, schemas.UpdateIn{Action: in.Action, Note: in.Note})
}

// returnWork gives a completed handoff back whose result is not good enough, see [life.Return]: the same agent gets a
// child with the reasons. It can be done once. That the chain has room for the child is checked first, since here the
// caller can be refused.
func (o *op) returnWork(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	now, err := o.step(life.Return, r)
	if err != nil {
		return nil, err
	}
	rev, err := o.revised(r, in, out)
	if err != nil {
		return nil, err
	}
	if err := rev.nextRound(o.by.Agent, r); err != nil {
		return nil, err
	}
	if err := cmp.Or(o.checkDepth(rev.under(r), r), o.checkPending()); err != nil {
		return nil, err
	}
	now.Accepted = 0
	returned := happening{action: life.Return, was: r, now: &now, why: lost{Reason: rev.said()}, again: rev}
	said := schemas.UpdateIn{Action: in.Action, Note: rev.said(), Changes: in.Changes}
	if err := o.commitNote(returned, said); err != nil {
		return nil, err
	}
	followed, err := o.follow()
	if err != nil {
		return nil, err
	}
	out.Created, out.To = followed.successor.ID, followed.successor.To
	out.Warnings = append(out.Warnings, o.begunWarnings(r.ID)...)
	return &now, nil
}

// revision is what a sender changes about work that is done again, checked before anything is written.
type revision struct {
	changes   schemas.Changes
	note      string
	to        schemas.Address // "" for whom it goes to by itself
	stated    time.Time       // the deadline that was asked for
	notBefore time.Time
	waits     waits
	round     *schemas.Rework // of returned work
	changed   []string        // the fields that differ, once it was applied
}

// revised checks what a sender changes about r, which is done again, as an amendment is checked, and for whom it is
// then. The fields of the errors are below changes.
func (o *op) revised(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (rev *revision, err error) {
	rev = &revision{note: strings.TrimSpace(in.Note), changes: orZero(in.Changes)}
	c := &rev.changes
	opt := orZero(c.Options)
	if err := o.checkChanges(c); err != nil {
		return nil, inChanges(err)
	}
	if to := cmp.Or(in.To, c.To); to != "" {
		if rev.to, err = schemas.ParseAddress("to", to); err != nil {
			return nil, err
		}
		if out.Warnings, err = o.checkRecipient(rev.to, cmp.Or(c.Type, r.Type), opt.Force); err != nil {
			return nil, err
		}
	}
	rev.stated, err = schemas.ParseDeadline("deadline", c.Deadline, o.now)
	if err == nil {
		rev.notBefore, err = schemas.ParseTime("options.not_before", opt.NotBefore, o.now)
	}
	if err = cmp.Or(err, checkDeadline(rev.stated, rev.notBefore, o.now), checkLimits(opt.Limits)); err != nil {
		return nil, inChanges(err)
	}
	var sent schemas.Handoff
	if err := o.Saying(r.ID, r.Body, &sent); err != nil {
		return nil, err
	}
	if rev.waits, err = o.waitsFor(o.waitsAgain(sent.Metadata), opt.After, opt.AfterAccepted); err == nil {
		err = o.noCircle(r, rev.waits)
	}
	out.Warnings = append(out.Warnings, withoutEffect(schemas.SendIn{Options: &opt, Summary: sent.Summary})...)
	return rev, inChanges(err)
}

// nextRound makes criteria of what returned work is to mend: those that the changes name, else what the note says. The
// error is invalid where neither says anything.
func (rev *revision) nextRound(by schemas.Agent, r *store.Record) error {
	round := schemas.Rework{Of: cmp.Or(r.ReworkOf, r.ID), Round: max(r.Round, 1) + 1, By: by, Reason: rev.note}
	round.Points, rev.changes = compose.Points(rev.changes)
	switch {
	case len(round.Points) > 0:
	case rev.note == "":
		next := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActReturn, Note: schemas.Blank}
		return schemas.Invalidf("note", "is needed to return work").
			WithHint("Say what is not good enough, so that it can be mended, or what has to be met next.").
			WithNext(schemas.Call(next, "returns it with points to mend"))
	default:
		round.Reason, round.Points = compose.PointsIn(rev.note)
	}
	rev.round = &round
	return nil
}

// under is the place of the rework in its chain: a child of the returned handoff, under the stricter limit.
func (rev *revision) under(r *store.Record) lineage {
	l := lineage{maxDepth: int(orZero(rev.changes.Options).Limits["max_handoffs"]), waits: rev.waits}
	return l.under(r)
}

// said is why work was returned, in one text for histories: the note, and the criteria that it does not contain.
func (rev *revision) said() string {
	all := []string{rev.note}
	for i, point := range rev.round.Points {
		if !strings.Contains(rev.note, strings.TrimPrefix(point, "Mended: ")) {
			all = append(all, fmt.Sprintf("%d. %s", i+1, point))
		}
	}
	return strings.TrimSpace(strings.Join(all, " "))
}

// apply makes the changes in a draft of the same work. A timeout that is given anew counts from now. The note of a retry
// is read as advice, that of a return as the reason.
func (rev *revision) apply(d *draft, by schemas.Agent, now time.Time) error {
	h := &d.handoff
	var err error
	if rev.changed, err = changed(h, rev.changes); err != nil {
		return err
	}
	d.notBefore = rev.notBefore
	h.Metadata.NotBefore = unlessZero(rev.notBefore)
	if !rev.stated.IsZero() {
		h.Metadata.Deadline = &rev.stated
	}
	timeout, estimate, err := durations(h.Expectations)
	if err != nil {
		return inChanges(err)
	}
	d.estimate = cmp.Or(estimate, d.estimate)
	if !rev.stated.IsZero() || orZero(rev.changes.Expectations).Timeout != "" {
		d.deadline = deadline(orZero(h.Metadata.Deadline), now, timeout)
	}
	switch {
	case rev.round != nil:
		compose.Rework(h, *rev.round)
	case rev.note != "":
		compose.Note(h, schemas.Remark{With: schemas.ActRetry, Note: rev.note, From: by, At: now})
	}
	return wholeSizes(h)
}
