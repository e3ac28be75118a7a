//go:build unix

package together_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// TestNodes_KilledLoseNothing kills nodes, pauses nodes for longer than their lease, and restarts the database.
// Meanwhile eight clients, with two calls under way each, send, claim and complete through a balancer. Afterwards every
// answer to a client must be true.
func TestNodes_KilledLoseNothing(t *testing.T) {
	during := lasting(t, "HANDOFF_CHAOS", 10*time.Second)
	c := newCluster(t, 4)
	until, stop := context.WithTimeout(c.ctx, during)
	defer stop()
	w := &storm{cluster: c, shift: shift{ctx: c.ctx, history: newHistory(), until: until, stop: stop, pace: pace(during)}}

	workers := w.rampage(t, during)
	local := c.start("--agent", "looker")
	found, err := local.everything(c.ctx)
	require.NoError(t, err)
	w.history.ends(found)
	outcomes, err := (&client{process: local, crowd: &crowd{shift: shift{history: w.history}, place: c.place}}).outcomes(0, 1)
	require.NoError(t, err)
	endAll(t, []*process{local})
	registry := c.verify()

	impossible := w.history.judge()
	gaps := w.gaps(workers)
	w.report(t, during, gaps, registry, len(impossible))
	w.history.requireNothingLost(t, found, outcomes)
	require.Empty(t, impossible, "no order of the calls explains these")
	require.False(t, model{w.history.killed}.explains(w.history.claimedTwice(t)), "a second claim that is put in has to be found")
	require.Empty(t, w.tally.named("broken"), "each call is answered or refused")
	for _, refused := range w.tally.named("refused") {
		require.Regexp(t, "^refused: unavailable: .*, [1-9]", refused, "each refusal tells when to try again")
	}
	require.NotZero(t, w.count(nodeKilled))
	require.NotZero(t, w.count(restarted))
	require.NotZero(t, w.count(nodePaused))
	require.Less(t, part(gaps[nodeKilled], 0.99), 2*tolerable) // the aim is 1.5 s on a quiet machine,
	require.Less(t, part(gaps[restarted], 0.99), 3*tolerable)  // and 5 s
}

// A storm is the list of failures of a cluster during a shift.
type storm struct {
	*cluster
	shift

	mu    sync.Mutex // guards the fields below
	blows []blow     // by the round that they began, from 1 on
}

// A blow is one thing that happens to a cluster.
type blow struct {
	what string
	from time.Time
	over time.Time // its end, after which gaps have other causes; zero while it lasts
}

const (
	nodeKilled = "killed"
	nodePaused = "paused"
	restarted  = "restarted"
)

const (
	pauseLasts = 4 * time.Second // a node owns for two seconds without a word, and is taken from after three
	aftermath  = 3 * time.Second // after a failure gaps may come for so long
)

// rampage lets everybody work until the time is over.
func (w *storm) rampage(t *testing.T, during time.Duration) (workers []*worker) {
	t.Helper()
	for i := range places {
		team := i % 2
		name := fmt.Sprintf("%s-%d", teams[team], i)
		r, err := w.remote(name)
		require.NoError(t, err)
		require.NoError(t, r.call(w.ctx, "register_agent", schemas.RegisterIn{Name: name, Accepts: []string{teams[team]}}, nil))
		workers = append(workers, &worker{
			shift: &w.shift, caller: r, repeats: true, number: w.history.enter(),
			mine: "capability:" + teams[team], theirs: "capability:" + teams[1-team],
		})
	}
	var all sync.WaitGroup
	for _, worker := range workers {
		all.Go(worker.work)
	}
	failed := make([]error, 3)
	round := min(20*time.Second, during*8/10)
	all.Go(func() { failed[0] = w.every(time.Second, 0, w.killOne) })
	all.Go(func() { failed[1] = w.every(round, 0, w.restartDatabase) })
	all.Go(func() { failed[2] = w.every(round, round/2, w.pauseOwner) })
	all.Wait()
	require.NoError(t, errors.Join(failed...))
	return workers
}

// every does something again and again until the shift is over, some time before the interval is over each time.
func (w *storm) every(interval, before time.Duration, do func() error) error {
	for next := time.Now().Add(interval - before); ; next = next.Add(interval) {
		select {
		case <-time.After(time.Until(next)):
			if err := do(); err != nil {
				w.stop()
				return err
			}
		case <-w.until.Done():
			return nil
		}
	}
}

// killOne kills the owner, or another node every third time, and starts it again.
func (w *storm) killOne() error {
	i, err := w.owner()
	if i < 0 || err != nil || rand.N(3) == 0 {
		i = rand.N(len(w.nodes))
	}
	if n := w.nodes[i].Load(); n == nil || n.frozen.Load() {
		return nil
	}
	over := w.strikes(nodeKilled)
	w.kill(i)
	over()
	return w.revive(i)
}

// revive starts a node, again while the database is away.
func (w *storm) revive(i int) error {
	for w.nodes[i].Load() == nil && w.ctx.Err() == nil {
		if err := w.begin(i); err != nil {
			return err
		}
	}
	return nil
}

func (w *storm) restartDatabase() error {
	defer w.strikes(restarted)()
	return w.restart(rand.N(2) == 0)
}

// pauseOwner stops the owner for longer than its lease, and then lets it continue. If the workspace has no owner,
// pauseOwner waits.
func (w *storm) pauseOwner() error {
	n := w.freezeOwner()
	for ; n == nil; n = w.freezeOwner() {
		select {
		case <-w.until.Done():
			return nil
		case <-time.After(10 * time.Millisecond):
		}
	}
	defer n.frozen.Store(false)
	defer w.strikes(nodePaused)()
	if err := n.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	time.Sleep(pauseLasts)
	return n.cmd.Process.Signal(syscall.SIGCONT)
}

// freezeOwner gives the owner, which nobody kills from now on; nil where there is none.
func (w *storm) freezeOwner() *node {
	i, err := w.owner()
	if i < 0 || err != nil {
		return nil // it is between two owners, or the database is away
	}
	if n := w.nodes[i].Load(); n != nil && n.frozen.CompareAndSwap(false, true) {
		return n
	}
	return nil
}

// strikes notes the start of a failure; the returned function notes its end.
func (w *storm) strikes(what string) (over func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := len(w.blows)
	w.blows = append(w.blows, blow{what: what, from: time.Now()})
	w.round.Add(1)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.blows[i].over = time.Now()
	}
}

func (w *storm) count(what string) (n int) {
	for _, b := range w.blows {
		if b.what == what {
			n++
		}
	}
	return n
}

// gaps returns each client's worst gap after each failure, by cause. The cause is the gravest failure whose effects
// were not over.
func (w *storm) gaps(workers []*worker) map[string][]time.Duration {
	all := map[string][]time.Duration{}
	for _, worker := range workers {
		for round, worst := range worker.pulse.worst {
			if round > 0 {
				what := w.blame(w.blows[round-1])
				all[what] = append(all[what], worst)
			}
		}
	}
	return all
}

func (w *storm) blame(b blow) string {
	for _, what := range []string{restarted, nodePaused} {
		for _, other := range w.blows {
			if other.what == what && !other.from.After(b.from.Add(time.Second)) && b.from.Before(other.over.Add(aftermath)) {
				return what
			}
		}
	}
	return b.what
}

func (w *storm) report(t *testing.T, during time.Duration, gaps map[string][]time.Duration, registry schemas.AuditOut, impossible int) {
	t.Helper()
	h := w.history
	lines := []string{
		fmt.Sprintf("%v, %d clients with two calls under way, %d nodes: %d killed, %d paused for %v, the database restarted %d times",
			during, places, len(w.nodes), w.count(nodeKilled), w.count(nodePaused), pauseLasts, w.count(restarted)),
		fmt.Sprintf("calls      %d answered, %d refused %q, %d broken", w.tally.of("answered"), w.tally.of("refused"), w.tally.named("refused"), w.tally.of("broken")),
		fmt.Sprintf("handoffs   %d sent, %d claimed, %d completed", h.count(sending, done), h.count(claiming, done), h.count(completing, done)),
	}
	for _, what := range []string{nodeKilled, nodePaused, restarted} {
		lines = append(lines, fmt.Sprintf("gaps       %s: p50 %v, p99 %v, worst %v of %d",
			what, part(gaps[what], 0.5), part(gaps[what], 0.99), part(gaps[what], 1), len(gaps[what])))
	}
	lines = append(lines,
		fmt.Sprintf("history    %d calls: %d handoffs that no order explains", len(h.acts), impossible),
		fmt.Sprintf("registry   %d events of %d handoffs, verified", registry.Events, registry.Handoffs))
	t.Log("\n" + strings.Join(lines, "\n"))
}
