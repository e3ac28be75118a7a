package store

import (
	"bytes"
	"cmp"
	"runtime/debug"

	"handoff/schemas"
)

// An audit reads and computes about as long. So it reads a slice of rows of each space in their order, and what it needs
// of them is computed on another processor meanwhile.

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
	if e, ok := scanEvent(b); ok {
		return e, true
	}
	err := schemas.Decode(b, &e)
	return e, err == nil
}

// scanEvent reads an event as [Tx.Change] writes nearly all: one object of numbers and of texts without a backslash. It
// refuses others, which a decoder reads, ten times as slowly. A fuzzer holds both to the same result.
func scanEvent(b []byte) (e linked, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte("{"))
	for ok {
		name, rest, isName := scanText(b)
		if !isName || len(rest) == 0 || rest[0] != ':' || !plainName(name) {
			return e, false
		}
		value, rest, isText := scanText(rest[1:])
		if !isText {
			value, rest, ok = scanDigits(rest)
		}
		if ok = ok && len(rest) > 0 && e.take(string(name), value, isText); !ok || rest[0] == '}' {
			return e, ok && len(rest) == 1
		}
		ok, b = rest[0] == ',', rest[1:]
	}
	return e, false
}

// take takes one field. It tells whether the value is of its kind.
func (e *linked) take(name string, value []byte, isText bool) bool {
	text, number := (*string)(nil), (*uint64)(nil)
	size := uint64(0)
	switch name {
	case "handoff_id":
		return isText && e.Handoff.UnmarshalText(value) == nil
	case "n":
		number = &e.N
	case "before":
		number = &e.Before
	case "bytes":
		number = &size
	case "action":
		text = &e.Action
	case "said":
		text = &e.Said
	case "state":
		text = &e.State
	case "prev":
		text = &e.Prev
	}
	if number != nil {
		for _, d := range value {
			*number = 10**number + uint64(d-'0')
		}
		if name == "bytes" {
			e.Bytes = int(size)
		}
		return !isText
	}
	if text != nil {
		*text = string(value)
		return isText
	}
	return true
}

// plainName tells whether a name is written in no other way than ours: a decoder heeds no case.
func plainName(name []byte) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return true
}

// scanText takes a text off the beginning. Without one it gives all back as the rest.
func scanText(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, b, false
	}
	text, rest, ok = bytes.Cut(b[1:], []byte(`"`))
	return text, rest, ok && bytes.IndexByte(text, '\\') < 0
}

// scanDigits takes a number off the beginning that is neither negative nor large.
func scanDigits(b []byte) (digits, rest []byte, ok bool) {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return b[:n], b[n:], n > 0 && n <= 15 && (n == 1 || b[0] != '0')
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
	c.parts, err = v.parts(Bodies, join(number(e.Handoff), number(n)))
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

// told is an event of a slice, with the rows that belong to it.
type told struct {
	n        uint64
	row      []byte
	tree     []byte
	event    linked
	readable bool
	said     spoken
}

// log checks a slice of events.
func (a *auditor) log(v *View, rows []Row) error {
	all := make([]told, len(rows))
	decoded := meanwhile(func() {
		for i, row := range rows {
			all[i].n, all[i].row = lastNumber(row.Key), row.Value
			all[i].event, all[i].readable = readEvent(row.Value)
		}
	})
	err := v.beside(Tree, rows, func(i int, row []byte) { all[i].tree = row })
	err = cmp.Or(err, v.beside(Salts, rows, func(i int, row []byte) { all[i].said.salt = row }))
	decoded()
	if err != nil {
		return err
	}
	hashed := meanwhile(func() {
		for i := range all { // not a copy: what was said is written meanwhile
			a.tree(&all[i], len(rows[i].Key))
		}
	})
	for i := 0; i < len(all) && err == nil; i++ {
		all[i].said.parts, err = v.parts(Bodies, join(number(all[i].event.Handoff), number(all[i].n)))
	}
	hashed()
	if err != nil {
		return err
	}
	summed := meanwhile(func() {
		for i := range all {
			all[i].said.add()
		}
	})
	for i := 0; i < len(all) && err == nil; i++ {
		if all[i].readable {
			err = a.links(v, all[i].n, all[i].event)
		} else {
			a.problems.addf("event %d cannot be read", all[i].n)
		}
	}
	summed()
	for _, t := range all {
		if t.readable {
			a.said(t.n, t.event, t.said)
		}
	}
	return err
}

// tree compares an event and its row in the tree with the tree that the events before it make. After a missing event
// that is no longer possible: all later rows would differ, and only the first fault is worth a sentence.
func (a *auditor) tree(t *told, keyed int) {
	if t.n != a.n+1 || keyed != 8 {
		a.problems.addf("event %d is missing", a.n+1)
		a.gap = true
	}
	a.n = t.n
	a.events++
	if a.gap {
		return
	}
	wrong := a.walk.Next(t.row, t.tree)
	if a.fits = wrong == nil; !a.fits {
		a.problems.addf("event %d: %v", t.n, wrong)
	}
	if _, asked := a.roots[t.n]; asked {
		a.roots[t.n] = a.walk.Root()
	}
}

// standing checks a slice of records.
func (a *auditor) standing(v *View, rows []Row) error {
	all := make([]stood, len(rows))
	half := len(rows) / 2
	read := func(from, to int) {
		for i := from; i < to; i++ {
			all[i] = standing(rows[i].Value)
		}
	}
	summed := meanwhile(func() { read(half, len(rows)) })
	read(0, half)
	summed()
	for i, row := range rows {
		id := schemas.ID(lastNumber(row.Key))
		last := a.last[id]
		delete(a.last, id)
		a.handoffs++
		n, err := a.record(v, id, all[i])
		if err != nil {
			return err
		}
		if n != 0 && n != last && n <= a.n { // later events were added during the walk
			a.problems.addf("the record of %s is as event %d left it, and event %d came after", id, n, last)
		}
	}
	return nil
}

// beside gives the rows of another space that have the keys of these rows, which it reads in their order.
func (v *View) beside(space Space, rows []Row, found func(i int, value []byte)) error {
	i := 0
	for row, err := range v.r.Scan(Range{Space: space, From: rows[0].Key, To: join(rows[len(rows)-1].Key, []byte{0})}) {
		if err != nil {
			return err
		}
		for i < len(rows) && bytes.Compare(rows[i].Key, row.Key) < 0 {
			i++
		}
		if i < len(rows) && bytes.Equal(rows[i].Key, row.Key) {
			found(i, row.Value)
		}
	}
	return nil
}

// meanwhile runs fn on another goroutine, until wait. A panic of fn is that of wait. Rows of a mapped file that was cut
// off are such a panic.
func meanwhile(fn func()) (wait func()) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		fn()
	}()
	return func() {
		if failed := <-done; failed != nil {
			panic(failed)
		}
	}
}
