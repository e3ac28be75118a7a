package audit

import (
	"cmp"
	"errors"

	"handoff/schemas"
	"handoff/store"
)

// EventFields holds the fields of a [schemas.Event] that an audit needs. Decoding all fields would take twice as long.
type EventFields struct {
	N       uint64     `json:"n"`
	Handoff schemas.ID `json:"handoff_id"`
	Action  string     `json:"action"`
	Said    string     `json:"said"`
	Bytes   int        `json:"bytes"`
	State   string     `json:"state"`
	Before  uint64     `json:"before"`
	Prev    string     `json:"prev"`
}

// isNewerRecord reports whether a record was refused because a newer program wrote it.
func isNewerRecord(err error) bool {
	coded, is := errors.AsType[*schemas.Error](err)
	return is && coded.Code == schemas.Unavailable
}

// checkEvent checks an event of the log.
func (a *registryWalk) checkEvent(v *store.View, row store.Row) error {
	n := store.DecodeLastNumber(row.Key)
	tree, err := v.RawRows().Get(store.Tree, row.Key)
	if err != nil {
		return err
	}
	a.checkTreeRow(n, row, tree)
	e, err := store.DecodeJSONRow[EventFields](row)
	if err != nil {
		a.problems.addFault("event %d cannot be read", n)
		return nil //nolint:nilerr // it is a finding
	}
	return cmp.Or(a.checkEventLinks(v, n, e), a.checkContent(v, n, e))
}

// checkTreeRow compares an event and its row of the tree with the tree over all events so far. After a missing event
// all later rows would differ, so checkTreeRow does not compare them.
func (a *registryWalk) checkTreeRow(n uint64, event store.Row, tree []byte) {
	if n != a.n+1 || len(event.Key) != 8 {
		a.problems.addFault("event %d is missing", a.n+1)
		a.gap = true
	}
	a.n = n
	a.events++
	if a.gap {
		return
	}
	wrong := a.walk.AddAndCompare(event.Value, tree)
	if a.fits = wrong == nil; !a.fits {
		a.problems.addFault("event %d: %v", n, wrong)
	}
	if _, asked := a.roots[n]; asked {
		a.roots[n] = a.walk.Root()
	}
}

// checkRecord checks a record.
func (a *registryWalk) checkRecord(v *store.View, row store.Row) error {
	id := schemas.ID(store.DecodeLastNumber(row.Key))
	last := a.last[id]
	delete(a.last, id)
	a.handoffs++
	n, err := a.compareRecord(v, id, row.Value)
	if n != 0 && n != last && n <= a.n { // later events were added during the walk
		a.problems.addFault("the record of %s is as event %d left it, and event %d came after", id, n, last)
	}
	return err
}
