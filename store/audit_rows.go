package store

import (
	"cmp"

	"handoff/schemas"
)

// linked is the part of a [schemas.Event] that an audit looks at. To decode all of it takes twice as long, and the tree
// proves the other bytes.
type linked struct {
	N       uint64     `json:"n"`
	Handoff schemas.ID `json:"handoff_id"`
	Action  string     `json:"action"`
	Said    string     `json:"said"`
	Bytes   int        `json:"bytes"`
	State   string     `json:"state"`
	Before  uint64     `json:"before"`
	Prev    string     `json:"prev"`
}

func readEvent(b []byte) (e linked, ok bool) {
	err := schemas.Decode(b, &e)
	return e, err == nil
}

// spoken is what was said with an event.
type spoken struct {
	salt  []byte
	parts [][]byte // of the content
	size  int
	sum   string // of salt and content
}

// add sums up the content.
func (c *spoken) add() {
	if c.salt != nil || c.parts != nil {
		c.sum = digest(append([][]byte{c.salt}, c.parts...)...)
	}
	for _, part := range c.parts {
		c.size += len(part)
	}
}

func (v *View) spoken(n uint64, e linked) (c spoken, err error) {
	if c.salt, err = v.r.Get(Salts, number(n)); err != nil {
		return c, err
	}
	if c.parts, err = v.parts(Bodies, join(number(e.Handoff), number(n))); err == nil {
		c.add()
	}
	return c, err
}

// stood is the part of a [Record] that an audit looks at, and the digest of all of it.
type stood struct {
	Schema int        `json:"v"`
	ID     schemas.ID `json:"id"`
	Event  uint64     `json:"ev"`
	sum    string
	err    error
}

func standing(b []byte) (r stood) {
	r.err = schemas.Decode(b, &r)
	if r.err != nil || r.Schema > schemas.Version {
		r.err = cmp.Or(newer(b), r.err)
	}
	r.sum = digest(b)
	return r
}

// event checks an event of the log.
func (a *auditor) event(v *View, row Row) error {
	n := lastNumber(row.Key)
	tree, err := v.r.Get(Tree, row.Key)
	if err != nil {
		return err
	}
	a.tree(n, row, tree)
	e, readable := readEvent(row.Value)
	if !readable {
		a.problems.addf("event %d cannot be read", n)
		return nil
	}
	said, err := v.spoken(n, e)
	if err = cmp.Or(err, a.links(v, n, e)); err != nil {
		return err
	}
	a.said(n, e, said)
	return nil
}

// tree compares an event and its row in the tree with the tree that the events before it make. After a missing event
// that is no longer possible: all later rows would differ, and only the first fault is worth a sentence.
func (a *auditor) tree(n uint64, event Row, tree []byte) {
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

// standing checks a record.
func (a *auditor) standing(v *View, row Row) error {
	id := schemas.ID(lastNumber(row.Key))
	last := a.last[id]
	delete(a.last, id)
	a.handoffs++
	n, err := a.record(v, id, standing(row.Value))
	if n != 0 && n != last && n <= a.n { // later events were added during the walk
		a.problems.addf("the record of %s is as event %d left it, and event %d came after", id, n, last)
	}
	return err
}
