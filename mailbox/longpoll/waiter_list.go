package longpoll

import (
	"cmp"
	"slices"

	"handoff/schemas"
)

// waiterList is the list of waiters for one mailbox, in the order in which their waits began: the longest wait is
// first. The mutex of the hub guards it. No waiter is in it twice.
type waiterList []*Waiter

// compare orders two waiters by the beginning of their wait, then by their arrival in this process. No two waiters are
// equal, so a binary search finds a waiter in a list.
func (w *Waiter) compare(other *Waiter) int {
	return cmp.Or(w.since.Compare(other.since), cmp.Compare(w.arrival, other.arrival))
}

// position returns the index of a waiter, or the index at which it would stand.
func (q waiterList) position(w *Waiter) (i int, found bool) {
	return slices.BinarySearchFunc(q, w, (*Waiter).compare)
}

// insert returns the list with a waiter at its position, or the same list if the waiter is in it. It may write into the
// array of q, so the caller replaces q by the result.
func (q waiterList) insert(w *Waiter) waiterList {
	i, found := q.position(w)
	if found {
		return q
	}
	return slices.Insert(q, i, w)
}

// remove returns the list without a waiter, or the same list if the waiter is not in it.
func (q waiterList) remove(w *Waiter) waiterList {
	return slices.DeleteFunc(q, func(other *Waiter) bool { return other == w })
}

// waitersBehind returns the waiters behind w, also if w is no longer in the list.
func (q waiterList) waitersBehind(w *Waiter) waiterList {
	i, found := q.position(w)
	if found {
		i++
	}
	return q[i:]
}

// grantPermit gives a permit for the mailbox to the first waiter without one, and wakes it. If all waiters have one, or
// the list is empty, the permit ends: the next waiter begins with a look. The cost is one step for each waiter that has
// a permit already.
func (q waiterList) grantPermit(box schemas.Address) {
	for _, w := range q {
		if !w.granted[box] {
			w.granted[box] = true
			w.wake()
			return
		}
	}
}
