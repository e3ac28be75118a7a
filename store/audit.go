package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"handoff/schemas"
	"handoff/store/ledger"
)

// Audit walks through all events and compares each with the Merkle tree, with the event before it of the same handoff,
// and with its content; each record with its last event; and content that handoffs refer to with its digest. It finds
// every byte that was changed in them, every event, tree row or record that is missing, also at the end, and records
// that were put back to an earlier state. It reads each thousand rows from a snapshot of their own, so work goes on
// meanwhile. The result has the first twenty problems. An error means that the audit could not be finished.
//
// Audit reads only the store, so it cannot find a change that is consistent in itself: a log that was cut off at its
// end together with its counter, its tree rows and all records of that time; or a registry that was computed anew.
// Compare Root with one that was noted elsewhere before to find these. Content whose salt is gone was redacted if the
// last redaction of it has its digest. Audit does not look for rows to which no event and no record leads.
// [Store.Check] looks at index rows and counters. Nothing proves agents, notices, workflows, receipts and words.
//
// It reads every event, every content and every record, so it takes time in proportion to the whole store. The end of
// ctx ends it between two slices, with the error of ctx. It changes nothing and may be repeated. Root is the hash of
// the tree over the events that the walk saw; events that are added after its end are not in it. Roots are those over
// the first events alone, for each of sizes that the walk came to before an event was missing.
func (s *Store) Audit(ctx context.Context, sizes ...uint64) (schemas.AuditOut, error) {
	out, _, err := s.audit(ctx, sizes...)
	return out, err
}

func (s *Store) audit(ctx context.Context, sizes ...uint64) (out schemas.AuditOut, found *faults, err error) {
	a := newAuditor()
	if len(sizes) > 0 {
		a.roots = make(map[uint64]string, len(sizes))
	}
	for _, size := range sizes {
		a.roots[size] = ""
	}
	if err := s.eachRow(ctx, Events, a.event, a.ended); err != nil {
		return out, nil, err
	}
	if err := s.EachRow(ctx, Records, a.standing); err != nil {
		return out, nil, err
	}
	a.redactions()
	if err := s.EachRow(ctx, References, a.kept); err != nil {
		return out, nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(a.last)) {
		a.problems.addf("%s has events and no record", id)
	}
	maps.DeleteFunc(a.roots, func(_ uint64, root string) bool { return root == "" })
	return schemas.AuditOut{
		Events: a.events, Handoffs: a.handoffs, Root: a.walk.Root(), Roots: a.roots, OK: a.problems.n == 0, Problems: a.problems.problems(),
	}, &a.problems, nil
}

// auditor is one walk over the events and then over the records. It keeps one number for each handoff whose record it
// has not yet met, and two digests for each content that was redacted or let go of: no other memory grows with the
// store.
type auditor struct {
	walk     ledger.Walk
	gap      bool              // an event is missing: the tree cannot be computed from there on
	fits     bool              // the last event fits its row of the tree
	roots    map[uint64]string // that were asked for, by the number of events
	problems faults
	n        uint64 // the last event seen
	events   uint64 // number of events seen
	handoffs uint64
	last     map[schemas.ID]uint64 // the last event seen of each handoff whose record was not yet seen
	unsalted map[uint64]string     // digests of contents that stand in the place of others, by event
	redacted map[uint64]redaction  // what redactions say of them
	content  []byte                // the digest of the content that others refer to and that was last looked at
}

// redaction is what the last one said of a content, and its event.
type redaction struct {
	by     uint64
	digest string
}

func newAuditor() auditor {
	return auditor{last: map[schemas.ID]uint64{}, unsalted: map[uint64]string{}, redacted: map[uint64]redaction{}}
}

// ended checks that no event is missing at the end. A counter that is behind would have the last events overwritten; the
// tree proves them, so it can be mended.
func (a *auditor) ended(v *View) error {
	cut := false
	for row, err := range v.r.Scan(Range{Space: Tree, From: beyond(a.n)}) {
		if err != nil {
			return err
		}
		a.problems.addf("event %d is in the tree and is missing", lastNumber(row.Key))
		cut = true
		break
	}
	count, err := v.r.Get(Sys, eventCount)
	if err != nil || bytes.Equal(count, number(a.n)) || count == nil && a.n == 0 {
		return err
	}
	const said = "the log ends with event %d and claims to end with %d"
	if a.fits && !a.gap && !cut && (len(count) != 8 || lastNumber(count) < a.n) {
		a.problems.mendf(put(Sys, eventCount, number(a.n)), said, a.n, lastNumber(count))
	} else {
		a.problems.addf(said, a.n, lastNumber(count))
	}
	return nil
}

// links compares an event with the event before it.
func (a *auditor) links(v *View, n uint64, e linked) error {
	if e.N != n {
		a.problems.addf("event %d calls itself %d", n, e.N)
	}
	if (e.State != "" || e.Before != 0) && a.last[e.Handoff] != e.Before {
		a.problems.addf("event %d does not follow event %d of %s", n, a.last[e.Handoff], e.Handoff)
	}
	if e.Before != 0 {
		b, err := v.r.Get(Events, number(e.Before))
		if err != nil {
			return err
		}
		if digest(b) != e.Prev {
			a.problems.addf("event %d of %s is not what event %d followed", e.Before, e.Handoff, n)
		}
	}
	if e.State != "" {
		a.last[e.Handoff] = n
	}
	return nil
}

// said compares content with its digest, and with its size: the digest alone does not say where the salt ends and the
// content begins. Content without a salt is left for [auditor.redactions].
func (a *auditor) said(n uint64, e linked, c spoken) {
	if wrong := a.judge(n, e, c); wrong != "" {
		a.problems.addf("%s", wrong)
	}
}

// judge says what is wrong with the content of an event, nothing where it is right or left for [auditor.redactions].
func (a *auditor) judge(n uint64, e linked, c spoken) string {
	switch {
	case c.salt == nil && e.Said != "" && e.Said != c.sum:
		a.unsalted[n] = c.sum
	case (c.salt != nil || c.parts != nil) && (c.size != e.Bytes || c.sum != e.Said):
		return fmt.Sprintf("what was said with event %d of %s was changed", n, e.Handoff)
	case e.Action == schemas.Redacted:
		var said schemas.Redaction
		if err := schemas.Decode(join(c.parts...), &said); err != nil {
			return fmt.Sprintf("what event %d redacted cannot be read: %v", n, err)
		}
		for event, sum := range said.Events {
			if a.redacted[event].by < n {
				a.redacted[event] = redaction{n, sum}
			}
		}
	}
	return ""
}

// redactions checks that content without a salt is what the last redaction of it left.
func (a *auditor) redactions() {
	for _, n := range slices.Sorted(maps.Keys(a.unsalted)) {
		if a.redacted[n].digest != a.unsalted[n] {
			a.problems.addf("what was said with event %d was changed, and no redaction tells of it", n)
		}
	}
}

// record compares a record with its last event, of which it gives the number. It gives zero when they do not fit.
func (a *auditor) record(v *View, id schemas.ID, r stood) (uint64, error) {
	if r.err != nil {
		a.problems.addf("the record of %s cannot be read: %v", id, r.err)
		return 0, nil //nolint:nilerr // it is a finding
	}
	event, err := v.r.Get(Events, number(r.Event))
	if err != nil {
		return 0, err
	}
	e, ok := readEvent(event)
	if !ok || e.Handoff != id || r.ID != id || e.State != r.sum {
		a.problems.addf("the record of %s is not what event %d left", id, r.Event)
		return 0, nil
	}
	return r.Event, nil
}

// Verify reports whether one handoff is unchanged: its record fits the event that it names as its last, and each of its
// events fits the event before and its content. It returns false, without an error, when there is no such handoff. Only
// [Store.Audit] compares with the tree and finds a record that was put back to an earlier state, because no event names
// the next one.
//
// It takes one read for each event of the handoff and one for each content. It reads one snapshot, so events that are
// added meanwhile do not disturb it. It is called for each handoff of a history that is shown.
func (v *View) Verify(id schemas.ID) (bool, error) {
	b, err := v.r.Get(Records, number(id))
	if err != nil || b == nil {
		return false, err
	}
	a := newAuditor()
	n, err := a.record(v, id, standing(b))
	if err != nil || n == 0 {
		return false, err
	}
	for n != 0 {
		b, err := v.r.Get(Events, number(n))
		if err != nil {
			return false, err
		}
		e, ok := readEvent(b)
		if !ok || e.Handoff != id || e.Before >= n {
			return false, nil
		}
		a.last[id] = e.Before
		c, err := v.spoken(n, e)
		if err = cmp.Or(err, a.links(v, n, e)); err != nil {
			return false, err
		}
		a.said(n, e, c)
		n = e.Before
	}
	a.redactions()
	return a.problems.n == 0, nil
}
