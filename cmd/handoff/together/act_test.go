//go:build unix

package together_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// An act is one call about one handoff, as its client saw it.
type act struct {
	by      int // the client, see [history.enter]
	what    deed
	fate    fate
	handoff schemas.ID // zero where the client was not told
	title   string     // of a handoff sent: no two are the same
	to      string     // the mailbox that it was sent to or claimed from
	waits   bool       // for mail
	token   string     // of a claim
	result  string     // summary of a completion, which no other has
	status  schemas.Status
	from    time.Duration // when it was called, since the history began
	until   time.Duration // when it was answered, [never] if it was not
}

type deed int

const (
	sending deed = iota
	claiming
	completing
	reading
)

// fate is the client's knowledge about the effect of its call.
type fate int

const (
	done    fate = iota // it was told so
	refused             // it was told that nothing was done
	unknown             // it was told nothing, or that it may or may not have been done
)

const never = time.Duration(math.MaxInt64)

func (a act) String() string {
	what := [...]string{"send", "claim", "complete", "read"}[a.what]
	known := [...]string{"done", "refused", "unknown"}[a.fate]
	until := "never"
	if a.until != never {
		until = a.until.String()
	}
	return fmt.Sprintf("%v – %v: client %d: %s %v: %s %s %s", a.from, until, a.by, what, a.handoff, known, a.token, a.status)
}

// A history has the acts of all clients. Many may write to it at a time.
type history struct {
	began time.Time

	mu     sync.Mutex // guards the fields below
	acts   []act
	client int
	killed map[int]time.Duration // from when on a client was being killed
}

// nobody is a client that is dead from the beginning: its claims are released.
const nobody = 0

func newHistory() *history {
	return &history{began: time.Now(), killed: map[int]time.Duration{nobody: 0}}
}

func (h *history) now() time.Duration { return time.Since(h.began) }

// enter gives a new client its number.
func (h *history) enter() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.client++
	return h.client
}

func (h *history) add(a act) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acts = append(h.acts, a)
}

// dies notes that a client is about to be killed.
func (h *history) dies(client int) {
	at := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.killed[client] = at
}

// ends adds the final state of each handoff to the history. A send without an answer gets the handoff that it created.
func (h *history) ends(found []schemas.ListItem) {
	at := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	titled := map[string]schemas.ID{}
	ends := map[schemas.ID]act{}
	for _, item := range found {
		titled[item.Title] = item.HandoffID
		ends[item.HandoffID] = act{to: string(item.To), status: item.Status}
	}
	for i, a := range h.acts {
		if a.what == sending && a.handoff == 0 {
			h.acts[i].handoff = titled[a.title]
		}
		if _, ok := ends[a.handoff]; !ok && a.handoff != 0 {
			ends[a.handoff] = act{} // without a status: it is not there
		}
	}
	for id, end := range ends {
		end.what, end.handoff, end.from, end.until = reading, id, at, at
		h.acts = append(h.acts, end)
	}
}

// count counts acts of a kind.
func (h *history) count(what deed, f fate) (n int) {
	for _, a := range h.acts {
		if a.what == what && a.fate == f && (a.handoff != 0 || f != done) {
			n++
		}
	}
	return n
}

// takenAgain counts the handoffs that more than one client was given: the later ones after a death.
func (h *history) takenAgain() (n int) {
	for _, life := range h.lives() {
		holders := map[int]bool{}
		for _, a := range life {
			if a.what == claiming && a.fate == done {
				holders[a.by] = true
			}
		}
		if len(holders) > 1 {
			n++
		}
	}
	return n
}

// lives returns the acts on each handoff, in the order of their calls. A claim without an answer may have taken any
// handoff of its mailbox. It is listed only where it can explain a handoff that is held although no client was told so.
func (h *history) lives() map[schemas.ID][]act {
	lives := map[schemas.ID][]act{}
	var lost []act
	for _, a := range h.acts {
		switch {
		case a.handoff != 0:
			lives[a.handoff] = append(lives[a.handoff], a)
		case a.what == claiming && a.fate == unknown:
			lost = append(lost, a)
		}
	}
	for id, life := range lives {
		if end, ok := heldUntold(life); ok {
			for _, a := range lost {
				if a.to == end.to {
					lives[id] = append(lives[id], a)
				}
			}
		}
		slices.SortStableFunc(lives[id], func(a, b act) int { return int(a.from - b.from) })
	}
	return lives
}

// heldUntold reports whether a handoff is held in the end although no claim of it was answered.
func heldUntold(life []act) (end act, ok bool) {
	for _, a := range life {
		switch {
		case a.what == claiming && a.fate == done:
			return act{}, false
		case a.what == reading:
			end, ok = a, a.status.IsHeld()
		}
	}
	return end, ok
}

// claimedTwice is the life of some handoff with a second claim put in, by another client, while the first held
// it.
func (h *history) claimedTwice(t *testing.T) []act {
	t.Helper()
	for _, life := range h.lives() {
		var claim act
		for _, a := range life {
			_, killed := h.killed[claim.by]
			switch {
			case a.what == claiming && a.fate == done:
				claim = a
			case a.what == completing && a.fate == done && a.token == claim.token && a.from > claim.until+1 && !killed:
				second := claim
				second.by, second.token, second.from, second.until = claim.by+1, "another", claim.until+1, claim.until+1
				return append(life, second)
			}
		}
	}
	require.Fail(t, "no handoff was claimed and completed")
	return nil
}
