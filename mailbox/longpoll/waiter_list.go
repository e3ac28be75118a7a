package longpoll

import (
	"cmp"
	"slices"

	"handoff/schemas"
)

// waiterList is the waiters for one mailbox, in order of when their waits began. The one that waits longest is first. It is
// guarded by the mutex of the hub, and no waiter is in it twice.
type waiterList []*Waiter

// compare orders two waiters by when their wait began, then by which arrived first in this process. No two waiters are
// equal, so a waiter is found by its position.
func (w *Waiter) compare(other *Waiter) int {
	return cmp.Or(w.since.Compare(other.since), cmp.Compare(w.arrival, other.arrival))
}

// position is where a waiter stands, or would stand.
func (q waiterList) position(w *Waiter) (i int, found bool) {
	return slices.BinarySearchFunc(q, w, (*Waiter).compare)
}

// with is the queue with a waiter at its place; the same queue if it stands there already. It may write into the array
// of q, so the caller puts the result in the place of q.
func (q waiterList) insert(w *Waiter) waiterList {
	i, found := q.position(w)
	if found {
		return q
	}
	return slices.Insert(q, i, w)
}

// without is the queue without a waiter; the same queue if it does not stand there.
func (q waiterList) remove(w *Waiter) waiterList {
	return slices.DeleteFunc(q, func(other *Waiter) bool { return other == w })
}

// behind is the part of the queue behind w, also where w stands in it no more.
func (q waiterList) behind(w *Waiter) waiterList {
	i, found := q.position(w)
	if found {
		i++
	}
	return q[i:]
}

// permit gives a permit for the mailbox to the first waiter that has none, and wakes it. Where all have one, or nobody
// waits, the permit ends: whoever comes next looks by itself. It costs a step for each waiter that has one already.
func (q waiterList) grant(box schemas.Address) {
	for _, w := range q {
		if !w.granted[box] {
			w.granted[box] = true
			w.wake()
			return
		}
	}
}
