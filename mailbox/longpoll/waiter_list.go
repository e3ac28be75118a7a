package longpoll

import (
	"cmp"
	"slices"

	"handoff/schemas"
)

// waiterList is the list of the waiters for one mailbox, the longest wait first. No waiter is in the list twice. The
// mutex of the hub guards the list.
type waiterList []*Waiter

// compare orders two waiters by the beginning of their waits, and waiters that began at the same time by their arrival
// in this process. No two waiters are equal, so a binary search finds each waiter.
func (w *Waiter) compare(other *Waiter) int {
	return cmp.Or(w.since.Compare(other.since), cmp.Compare(w.arrival, other.arrival))
}

// insert returns the list with a waiter at its position. It may change the array of q, so the caller must replace q by
// the result.
func (q waiterList) insert(w *Waiter) waiterList {
	i, found := slices.BinarySearchFunc(q, w, (*Waiter).compare)
	if found {
		return q
	}
	return slices.Insert(q, i, w)
}

// waitersBehind returns the waiters that come after w in the order of the list, even if w is not in the list.
func (q waiterList) waitersBehind(w *Waiter) waiterList {
	i, found := slices.BinarySearchFunc(q, w, (*Waiter).compare)
	if found {
		i++
	}
	return q[i:]
}

// grantPermit gives a permit for the mailbox to the first waiter without one, and wakes this waiter. If no waiter is
// without a permit, it does nothing.
func (q waiterList) grantPermit(box schemas.Address) {
	for _, w := range q {
		if !w.granted[box] {
			w.granted[box] = true
			w.wake()
			return
		}
	}
}
