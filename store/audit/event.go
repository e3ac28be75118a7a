package audit

import (
	"cmp"
	"errors"

	"handoff/schemas"
	"handoff/store"
)

// Event holds the fields of a [schemas.Event] that an audit needs. Decoding all fields takes twice as long, and the
// tree proves the other bytes.
type Event struct {
	N       uint64     `json:"n"`
	Handoff schemas.ID `json:"handoff_id"`
	Action  string     `json:"action"`
	Said    string     `json:"said"`
	Bytes   int        `json:"bytes"`
	State   string     `json:"state"`
	Before  uint64     `json:"before"`
	Prev    string     `json:"prev"`
}

// recordSummary holds the fields of a [store.Record] that an audit needs, and the digest of the whole record.
type recordSummary struct {
	Schema int        `json:"v"`
	ID     schemas.ID `json:"id"`
	Event  uint64     `json:"ev"`
	sum    string
	err    error
}

func summarise(b []byte) (r recordSummary) {
	r.err = schemas.Decode(b, &r)
	if r.err != nil || r.Schema > schemas.Version {
		if _, err := store.DecodeRecord(b); isNewer(err) || r.err == nil {
			r.err = err
		}
	}
	r.sum = store.Hash(b)
	return r
}

// isNewer reports whether a record was refused because a newer program wrote it.
func isNewer(err error) bool {
	coded, is := errors.AsType[*schemas.Error](err)
	return is && coded.Code == schemas.Unavailable
}

// checkEvent checks an event of the log.
func (a *auditor) checkEvent(v *store.View, row store.Row) error {
	n := store.LastNumber(row.Key)
	tree, err := v.Rows().Get(store.Tree, row.Key)
	if err != nil {
		return err
	}
	a.checkTree(n, row, tree)
	e, err := store.FromJSON[Event](row)
	if err != nil {
		a.problems.addf("event %d cannot be read", n)
		return nil //nolint:nilerr // it is a finding
	}
	return cmp.Or(a.checkLinks(v, n, e), a.checkContent(v, n, e))
}

// checkTree compares an event and its row in the tree with the tree of all events so far. After a missing event it
// stops comparing: all later rows would differ, and only the first fault is worth a sentence.
func (a *auditor) checkTree(n uint64, event store.Row, tree []byte) {
	if n != a.n+1 || len(event.Key) != 8 {
		a.problems.addf("event %d is missing", a.n+1)
		a.gap = true
	}
	a.n = n
	a.events++
	if a.gap {
		return
	}
	wrong := a.walk.Next(event.Value, tree)
	if a.fits = wrong == nil; !a.fits {
		a.problems.addf("event %d: %v", n, wrong)
	}
	if _, asked := a.roots[n]; asked {
		a.roots[n] = a.walk.Root()
	}
}

// checkRecord checks a record.
func (a *auditor) checkRecord(v *store.View, row store.Row) error {
	id := schemas.ID(store.LastNumber(row.Key))
	last := a.last[id]
	delete(a.last, id)
	a.handoffs++
	n, err := a.compareRecord(v, id, summarise(row.Value))
	if n != 0 && n != last && n <= a.n { // later events were added during the walk
		a.problems.addf("the record of %s is as event %d left it, and event %d came after", id, n, last)
	}
	return err
}
