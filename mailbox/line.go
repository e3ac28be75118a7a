package mailbox

import (
	"cmp"
	"slices"

	"handoff/schemas"
)

// line is those who wait for mail in one box, who came first at its head.
type line []*waiter

// compare orders two waiters by since when they wait, then by who arrived first in this process.
func (w *waiter) compare(other *waiter) int {
	return cmp.Or(w.since.Compare(other.since), cmp.Compare(w.arrival, other.arrival))
}

func (l line) place(w *waiter) (i int, found bool) {
	return slices.BinarySearchFunc(l, w, (*waiter).compare)
}

func (l line) with(w *waiter) line {
	i, found := l.place(w)
	if found {
		return l
	}
	return slices.Insert(l, i, w)
}

func (l line) without(w *waiter) line {
	i, found := l.place(w)
	if !found {
		return l
	}
	return slices.Delete(l, i, i+1)
}

// behind is the part of the line behind w.
func (l line) behind(w *waiter) line {
	i, found := l.place(w)
	if found {
		i++
	}
	return l[i:]
}

// hand gives a baton for box to the first who has none.
func (l line) hand(box schemas.Address) {
	for _, w := range l {
		if !w.batons[box] {
			w.batons[box] = true
			w.wake()
			return
		}
	}
}

func (w *waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it has a signal already
	}
}
