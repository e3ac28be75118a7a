// Package audit checks that the rows of a store are as they were written. [VerifyRegistry] compares events, records and
// content with their hashes. [CheckRows] compares derived rows with their sources. [ExamineStore] does both and checks
// the disk. [MendRows] computes derived rows again. [VerifyStore] checks a store before it becomes a backup.
//
// Only MendRows changes rows. The package works with every engine.
package audit

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/ledger"
)

// VerifyRegistry compares each event with the Merkle tree, with the previous event of the same handoff, and with its
// content. It compares each record with its last event, and content that handoffs refer to with its digest. So it finds
// every changed byte in these rows, every missing event, tree row or record, and every record that was put back to an
// earlier state. The result has the first twenty problems. An error means that the audit could not be finished.
//
// It cannot find a change after which all rows still agree, such as a log that was cut off together with its counter,
// its tree rows and its records, or a registry that was computed anew. To find such a change, compare Root with a root
// that a person noted outside of the store. No event proves index rows, counters, agents, notices, workflows, receipts
// and words. [CheckRows] checks index rows and counters.
//
// It reads the whole store, with a new snapshot after each thousand rows, so calls continue meanwhile. The end of ctx
// ends it with the error of ctx. It changes nothing. Root is the hash of the tree over the events that the audit has
// read. For each number n in sizes, Roots has the root over the first n events. It leaves a number out if the registry
// has fewer events, or if an event before it is missing.
func VerifyRegistry(ctx context.Context, s *store.Store, sizes ...uint64) (schemas.AuditOut, error) {
	out, _, err := verifyRegistry(ctx, s, sizes...)
	return out, err
}

func verifyRegistry(ctx context.Context, s *store.Store, sizes ...uint64) (out schemas.AuditOut, found *foundFaults, err error) {
	a := newRegistryWalk()
	if len(sizes) > 0 {
		a.roots = make(map[uint64]string, len(sizes))
	}
	for _, size := range sizes {
		a.roots[size] = ""
	}
	if err := s.EachRow(ctx, store.Events, a.checkEvent, a.checkLogEnd); err != nil {
		return out, nil, err
	}
	if err := s.EachRow(ctx, store.Records, a.checkRecord); err != nil {
		return out, nil, err
	}
	a.reportUnexplained()
	if err := s.EachRow(ctx, store.References, a.checkReference); err != nil {
		return out, nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(a.last)) {
		a.problems.addFault("%s has events and no record", id)
	}
	maps.DeleteFunc(a.roots, func(_ uint64, root string) bool { return root == "" })
	return schemas.AuditOut{
		Events: a.events, Handoffs: a.handoffs, Root: a.walk.Root(), Roots: a.roots, OK: a.problems.n == 0, Problems: a.problems.problems(),
	}, &a.problems, nil
}

// registryWalk is one walk over all events and then over all records. It keeps one number for each handoff whose record
// it has not read yet, and two digests for each redacted content, so its memory stays small.
type registryWalk struct {
	walk     ledger.TreeWalk
	gap      bool              // an event is missing: the tree cannot be computed from there on
	fits     bool              // the last event fits its row of the tree
	roots    map[uint64]string // requested roots, by the number of events
	problems foundFaults
	n        uint64 // the last event seen
	events   uint64 // number of events seen
	handoffs uint64
	last     map[schemas.ID]uint64 // the last event seen of each handoff whose record was not yet seen
	contents ContentCheck
	buf      bytes.Buffer // content of the last event
	content  string       // digest of the referenced content that was checked last
}

func newRegistryWalk() registryWalk {
	return registryWalk{last: map[schemas.ID]uint64{}, contents: NewContentCheck()}
}

// checkLogEnd checks that no event is missing at the end. If the counter of events is too small, a new event would
// overwrite the last event. The tree proves the right number, so this fault can be mended.
func (a *registryWalk) checkLogEnd(v *store.View) error {
	cut := false
	for row, err := range v.RawRows().Scan(store.Range{Space: store.Tree, From: append(store.EncodeNumber(a.n), 0)}) {
		if err != nil {
			return err
		}
		a.problems.addFault("event %d is in the tree and is missing", store.DecodeLastNumber(row.Key))
		cut = true
		break
	}
	count, err := v.RawRows().Get(store.Sys, []byte(store.EventCountKey))
	if err != nil || bytes.Equal(count, store.EncodeNumber(a.n)) || count == nil && a.n == 0 {
		return err
	}
	const text = "the log ends with event %d and claims to end with %d"
	if a.fits && !a.gap && !cut && (len(count) != 8 || store.DecodeLastNumber(count) < a.n) {
		a.problems.addMendableFault(putFix(store.Sys, []byte(store.EventCountKey), store.EncodeNumber(a.n)), text, a.n, store.DecodeLastNumber(count))
	} else {
		a.problems.addFault(text, a.n, store.DecodeLastNumber(count))
	}
	return nil
}

// checkEventLinks compares an event with the event before it.
func (a *registryWalk) checkEventLinks(v *store.View, n uint64, e EventFields) error {
	if e.N != n {
		a.problems.addFault("event %d calls itself %d", n, e.N)
	}
	if (e.State != "" || e.Before != 0) && a.last[e.Handoff] != e.Before {
		a.problems.addFault("event %d does not follow event %d of %s", n, a.last[e.Handoff], e.Handoff)
	}
	if e.Before != 0 {
		b, err := v.RawRows().Get(store.Events, store.EncodeNumber(e.Before))
		if err != nil {
			return err
		}
		if store.HashOf(b) != e.Prev {
			a.problems.addFault("event %d of %s was changed: its hash is not the one in event %d", e.Before, e.Handoff, n)
		}
	}
	if e.State != "" {
		a.last[e.Handoff] = n
	}
	return nil
}

// checkContent checks the content of an event.
func (a *registryWalk) checkContent(v *store.View, n uint64, e EventFields) error {
	c, err := v.Content(e.Handoff, n, &a.buf)
	if err != nil {
		return err
	}
	if wrong := a.contents.Compare(n, e, c); wrong != "" {
		a.problems.addFault("%s", wrong)
	}
	return nil
}

// reportUnexplained adds a fault for each replaced content without a redaction.
func (a *registryWalk) reportUnexplained() {
	for _, wrong := range a.contents.Unexplained() {
		a.problems.addFault("%s", wrong)
	}
}

// compareRecord compares a record with its last event. It returns the number of that event, or zero if the record and
// the event differ.
func (a *registryWalk) compareRecord(v *store.View, id schemas.ID, row []byte) (uint64, error) {
	r, err := store.DecodeRecord(row)
	if err != nil {
		a.problems.addFault("the record of %s cannot be read: %v", id, err)
		return 0, nil // it is a finding
	}
	event, err := v.RawRows().Get(store.Events, store.EncodeNumber(r.Event))
	if err != nil {
		return 0, err
	}
	e, err := store.DecodeJSONRow[EventFields](store.Row{Value: event})
	if err != nil || e.Handoff != id || r.ID != id || e.State != store.HashOf(row) {
		a.problems.addFault("the record of %s does not match its event %d", id, r.Event)
		return 0, nil //nolint:nilerr // it is a finding
	}
	return r.Event, nil
}

// IsHandoffIntact reports whether a record fits its last event, and each event of the handoff fits the previous event
// and its content. It returns false, without an error, if there is no such handoff. It cannot find a record that was
// put back to an earlier state: only [VerifyRegistry] compares with the tree.
//
// It reads one snapshot, with one read for each event and one for each content. The tool handoff_history calls it for
// each handoff that it shows.
func IsHandoffIntact(v *store.View, id schemas.ID) (bool, error) {
	b, err := v.RawRows().Get(store.Records, store.EncodeNumber(id))
	if err != nil || b == nil {
		return false, err
	}
	a := newRegistryWalk()
	n, err := a.compareRecord(v, id, b)
	if err != nil || n == 0 {
		return false, err
	}
	for n != 0 {
		b, err := v.RawRows().Get(store.Events, store.EncodeNumber(n))
		if err != nil {
			return false, err
		}
		e, err := store.DecodeJSONRow[EventFields](store.Row{Value: b})
		if err != nil || e.Handoff != id || e.Before >= n {
			return false, nil //nolint:nilerr // it was changed
		}
		a.last[id] = e.Before
		if err := cmp.Or(a.checkEventLinks(v, n, e), a.checkContent(v, n, e)); err != nil {
			return false, err
		}
		n = e.Before
	}
	a.reportUnexplained()
	return a.problems.n == 0, nil
}
