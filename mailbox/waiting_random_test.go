package mailbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// TestNoMailIsLeftWhileAWaiterMayTakeIt lets many wait in random boxes for random tags, while mail is sent,
// delayed, taken, given back, declined and changed, agents register anew and waits are cancelled, all at once.
// Whenever that comes to rest, nobody waits who may take what is pending.
func TestNoMailIsLeftWhileAWaiterMayTakeIt(t *testing.T) {
	runs := 120
	if testing.Short() {
		runs = 20
	}
	for seed := range runs {
		synctest.Test(t, func(t *testing.T) {
			l := newLobby(t, uint64(seed))
			defer l.close()
			for range 8 {
				for range 5 + l.intN(30) {
					l.begin(l.deed())
				}
				l.rest()
				l.fair(seed)
			}
		})
	}
}

// slow is a backend on which every transaction begins late and tells late that it has ended.
type slow struct {
	store.Backend
	pause func()
}

func (b slow) View(ctx context.Context, fn func(store.Reader) error) error {
	defer b.pause()
	b.pause()
	return b.Backend.View(ctx, fn)
}

func (b slow) Update(ctx context.Context, fn func(store.Writer) error) error {
	defer b.pause()
	b.pause()
	return b.Backend.Update(ctx, fn)
}

// lobby is where agents wait for work.
type lobby struct {
	*world
	doing sync.WaitGroup
	intN  func(n int) int

	mu      sync.Mutex // guards the fields below
	count   int
	waiting []*wait
	held    []schemas.ClaimOut
	holders map[schemas.ID]schemas.Caller
}

type wait struct {
	by     schemas.Caller
	tags   []string
	cancel context.CancelFunc
}

var (
	workers = []string{"w1", "w2", "w3", "w4"}
	pools   = []string{"x", "y"}
	skills  = []string{"go", "sql"}
)

func newLobby(t *testing.T, seed uint64) *lobby {
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(seed, 1))
	l := &lobby{holders: map[schemas.ID]schemas.Caller{}, intN: func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rnd.IntN(n)
	}}
	l.world = newLivingWorld(t, slow{memory.New(), func() { time.Sleep(time.Duration(l.intN(5)) * 10 * time.Microsecond) }})
	for _, name := range workers {
		l.register(name)
	}
	return l
}

// some gives each of the words with the chance of one half.
func (l *lobby) some(words []string) (got []string) {
	for _, w := range words {
		if l.intN(2) == 0 {
			got = append(got, w)
		}
	}
	return got
}

func (l *lobby) one(words []string) string { return words[l.intN(len(words))] }

// begin does something at some moment of the next half millisecond.
func (l *lobby) begin(do func()) {
	when := time.Duration(l.intN(10)) * 50 * time.Microsecond
	l.doing.Go(func() {
		time.Sleep(when)
		do()
	})
}

// rest lets everything that was begun come to its end, also what the clock does, but for the waits.
func (l *lobby) rest() {
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

func (l *lobby) close() {
	l.mu.Lock()
	for _, w := range l.waiting {
		w.cancel()
	}
	l.mu.Unlock()
	l.doing.Wait()
}

func (l *lobby) deed() func() {
	switch l.intN(15) {
	case 0, 1, 2, 3:
		return l.wait
	case 4, 5, 6:
		return l.sendAny
	case 7:
		return l.cancelAny
	case 8, 12, 13, 14:
		return l.endAny
	case 9:
		return func() { l.register(l.one(workers)) }
	case 10:
		return l.changeAny
	default:
		return l.declineAny
	}
}

func (l *lobby) wait() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	l.mu.Lock()
	l.count++
	w := &wait{cancel: cancel, by: remote(schemas.Agent(workers[l.intN(len(workers))]), fmt.Sprint(l.count))}
	if l.intN(2) == 0 {
		w.by.Since = time.Now().Add(-time.Duration(l.intN(5000)) * time.Millisecond)
	}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	w.tags = l.some(skills)
	out, err := l.Claim(ctx, w.by, schemas.ClaimIn{WaitSeconds: 50, Tags: w.tags})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(o *wait) bool { return o == w })
	if err == nil && !out.Empty {
		l.held = append(l.held, out)
		l.holders[out.HandoffID] = w.by
	}
}

func (l *lobby) sendAny() {
	in := schemas.SendIn{Task: "x", Tags: l.some(skills), To: l.one(workers), Priority: schemas.Priorities[l.intN(4)]}
	if l.intN(3) > 0 {
		in.To = "capability:" + l.one(pools)
	}
	if l.intN(4) == 0 {
		in.Options = &schemas.SendOptions{NotBefore: "100ms"}
	}
	_, err := l.Send(context.Background(), remote("sender", ""), in)
	l.ok(err)
}

func (l *lobby) cancelAny() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 {
		l.waiting[l.intN(len(l.waiting))].cancel()
	}
}

// endAny completes something that is held, gives it back, or asks and is answered.
func (l *lobby) endAny() {
	l.mu.Lock()
	if len(l.held) == 0 {
		l.mu.Unlock()
		return
	}
	i := l.intN(len(l.held))
	c := l.held[i]
	by := l.holders[c.HandoffID]
	l.held = slices.Delete(l.held, i, i+1)
	l.mu.Unlock()
	token := func(in *schemas.UpdateIn) { in.Token = c.Token }
	switch l.intN(3) {
	case 0:
		_, err := l.Complete(context.Background(), by, schemas.CompleteIn{HandoffID: c.HandoffID.String(), Token: c.Token, Result: schemas.Result{Summary: "done"}})
		l.ok(err)
	case 1:
		_, err := l.tryUpdate(by, c.HandoffID, schemas.ActRelease, token)
		l.ok(err)
	default:
		_, err := l.tryUpdate(by, c.HandoffID, schemas.ActAsk, token, note("what?"))
		l.ok(err)
		_, err = l.tryUpdate(person, c.HandoffID, schemas.ActAnswer, note("this"))
		l.ok(err)
	}
}

func (l *lobby) register(name string) {
	accepts := append([]string{"z"}, l.some(pools)...)
	_, err := l.Register(context.Background(), person, schemas.RegisterIn{Name: name, Accepts: accepts, MaxOpen: 1 + l.intN(3)})
	l.ok(err)
}

// changeAny changes the tags of what may be pending, or for whom it is.
func (l *lobby) changeAny() {
	_, _ = l.tryUpdate(person, l.any(), schemas.ActAmend, func(in *schemas.UpdateIn) {
		if in.Changes = (&schemas.Changes{Tags: l.some(skills)}); l.intN(2) == 0 {
			in.To = l.one(workers)
		}
	})
}

func (l *lobby) declineAny() {
	_, _ = l.Fail(context.Background(), remote(schemas.Agent(l.one(workers)), ""), schemas.FailIn{
		HandoffID: l.any().String(), FailureDetail: because("no"), Outcome: schemas.OutcomeRejected,
	})
}

func (l *lobby) any() schemas.ID { return schemas.ID(1 + l.intN(20)) }

func (l *lobby) ok(err error) {
	if err != nil {
		l.t.Error(err)
	}
}

// fair checks that none of those who wait may take what is pending.
func (l *lobby) fair(seed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	require.NoError(l.t, l.Store.View(context.Background(), func(v *store.View) error {
		for id, err := range v.Oldest(store.InState(schemas.Pending), 0) {
			require.NoError(l.t, err)
			r, err := v.Record(id)
			require.NoError(l.t, err)
			for _, w := range l.waiting {
				require.False(l.t, l.mayTake(v, w, r), "seed %d: %s lies in %s with tags %v, and %s waits for %v", seed, id, r.Box, r.Tags, w.by.Agent, w.tags)
			}
		}
		return nil
	}))
}

func (l *lobby) mayTake(v *store.View, w *wait, r *store.Record) bool {
	a, err := v.Agent(w.by.Agent)
	require.NoError(l.t, err)
	m, err := v.Mailbox(schemas.Address(w.by.Agent))
	require.NoError(l.t, err)
	boxes := []schemas.Address{schemas.Address(w.by.Agent)}
	full := m.Held >= a.Card.MaxOpen
	for _, word := range a.Card.Accepts {
		if !full {
			boxes = append(boxes, schemas.Address("capability:"+word))
		}
	}
	wanted := len(w.tags) == 0 || slices.ContainsFunc(w.tags, func(t string) bool { return slices.Contains(r.Tags, t) })
	_, directed := r.To.Directed() // else it was told of work of its pool first
	return slices.Contains(boxes, r.Box) && (directed || !full) && !slices.Contains(r.Excluded, w.by.Agent) && wanted
}
