package mailbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// The hub is tested from inside where it matters what comes between two of its steps.

func TestALookIntoNewBoxesTakesNoBatonInHand(t *testing.T) {
	h := newHub()
	w := h.arrive(time.Time{}, time.Time{})
	require.True(t, h.lineUp(w, boxes("b")))
	h.changed(effects{boxes: boxes("b")})
	require.True(t, h.lineUp(w, boxes("b", "c")))
	require.Empty(t, w.inHand)
	<-w.woken // so that it looks for the baton too
	require.True(t, h.lineUp(w, boxes("b", "c")))
	require.Len(t, w.inHand, 1)
}

func TestAWaiterThatMovesHandsOnWhatItLeaves(t *testing.T) {
	h := newHub()
	first, second := h.arrive(time.Time{}, time.Time{}), h.arrive(time.Time{}, time.Time{})
	h.lineUp(first, boxes("b", "c"))
	h.lineUp(second, boxes("b", "c"))
	h.changed(effects{boxes: boxes("b", "c")})
	h.lineUp(first, boxes("c"))
	require.Equal(t, map[schemas.Address]bool{"c": true}, first.batons)
	require.Equal(t, map[schemas.Address]bool{"b": true}, second.batons)
}

func TestNothingIsLeftOfWhoLeft(t *testing.T) {
	h := newHub()
	w := h.arrive(time.Time{}, time.Time{})
	h.lineUp(w, boxes("b", "c"))
	h.changed(effects{boxes: boxes("b")})
	h.leave(w)
	require.Empty(t, h.lines)
	require.Empty(t, h.waiters)
}

func boxes(names ...schemas.Address) []schemas.Address { return names }
