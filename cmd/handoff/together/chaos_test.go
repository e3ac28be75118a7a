//go:build unix

package together_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// TestOwners_KilledLoseNothing kills the owner of the store again and again. Meanwhile eight processes, with two calls
// under way each, and a person at the command line send, claim and complete. Afterwards every answer to a client must
// be true.
func TestOwners_KilledLoseNothing(t *testing.T) {
	during := lasting(t, "HANDOFF_CHAOS", 10*time.Second)
	p := newPlace(t)
	until, stop := context.WithTimeout(p.ctx, during)
	defer stop()
	c := &crowd{
		shift: shift{ctx: p.ctx, history: newHistory(), until: until, stop: stop, pace: pace(during)},
		place: p, rounds: int64(during / time.Second), seats: map[int]*client{},
	}

	clients, dead, commands := c.rampage(t)
	found, err := clients[0].everything(p.ctx)
	require.NoError(t, err)
	c.history.ends(found)
	outcomes := c.outcomes(t, clients)
	endAll(t, processesOf(clients))
	registry := p.verify()
	list := p.must("list")

	impossible := c.history.judge()
	c.report(t, during, dead, commands, list.took, registry, len(impossible), p.stored())
	c.history.requireNothingLost(t, found, outcomes)
	require.Empty(t, impossible, "no order of the calls explains these")
	require.False(t, model{c.history.killed}.explains(c.history.claimedTwice(t)), "a second claim that is put in has to be found")
	require.NotZero(t, dead.owners)
	require.Empty(t, c.tally.named("broken"), "each call is answered or refused")
	require.Empty(t, commands.failed)
	require.Less(t, part(c.gaps.all, 0.99), tolerable)
}

const (
	places    = 8                      // at which processes sit
	aim       = 250 * time.Millisecond // for the 99th percentile of gaps
	tolerable = 5 * time.Second        // on a machine that does other things as well
)

// pace returns the time between two rounds of a lane. It limits the calls to 1,600 in a second, which keeps two cores
// busy, and to about 300,000 in a run.
func pace(during time.Duration) time.Duration { return max(30*time.Millisecond, during/6000) }

// rampage lets everybody work until the time is over.
func (c *crowd) rampage(t *testing.T) (clients []*client, dead deaths, v visitor) {
	t.Helper()
	clients = make([]*client, places)
	ended := make([]error, places)
	var all sync.WaitGroup
	for seat := range places {
		all.Go(func() {
			if clients[seat], ended[seat] = c.work(seat); ended[seat] != nil {
				c.stop()
			}
		})
	}
	all.Go(func() { dead = c.killAll() })
	all.Go(func() { v.come(c) })
	all.Wait()
	require.NoError(t, errors.Join(ended...))
	for seat, s := range clients { // one may have been killed after its work was done
		if !s.alive() {
			var err error
			clients[seat], err = c.sit(seat)
			require.NoError(t, err)
		}
	}
	return clients, dead, v
}

// deaths counts killed processes.
type deaths struct{ owners, guests int }

// killAll kills the owner every second, and between two of them now and then a guest.
func (c *crowd) killAll() (dead deaths) {
	half := time.NewTicker(time.Second / 2)
	defer half.Stop()
	for tick := 1; ; tick++ {
		select {
		case <-half.C:
		case <-c.until.Done():
			return dead
		}
		switch {
		case tick%2 == 0 && c.killOwner():
			dead.owners++
		case tick%6 == 5 && c.killGuest():
			dead.guests++
		}
	}
}

// A visitor is a person that uses the command line meanwhile.
type visitor struct {
	number  int
	runs    int
	failed  []string
	slowest time.Duration
}

func (v *visitor) come(c *crowd) {
	v.number = c.history.enter()
	often := time.NewTicker(200 * time.Millisecond)
	defer often.Stop()
	for c.until.Err() == nil {
		v.send(c, fmt.Sprintf("%d-%d", v.number, v.runs))
		v.note("list", c.place.run("list"))
		select {
		case <-often.C:
		case <-c.until.Done():
		}
	}
}

func (v *visitor) send(c *crowd, title string) {
	a := act{by: v.number, what: sending, title: title, to: teams[0], from: c.history.now()}
	r := c.place.run("send", a.to, "try it", "--title", title, "--agent", teams[1], "--json")
	a.until = c.history.now()
	var out schemas.SendOut
	if v.note("send", r); r.code != 0 || json.Unmarshal([]byte(r.out), &out) != nil {
		a.fate, a.until = unknown, never
	}
	a.handoff = out.HandoffID
	c.history.add(a)
}

func (v *visitor) note(name string, r ran) {
	v.runs++
	v.slowest = max(v.slowest, r.took)
	if r.code != 0 {
		v.failed = append(v.failed, fmt.Sprintf("%s: exit status %d: %s%s", name, r.code, r.out, r.errs))
	}
}

// outcomes are the completions that are stored, by handoff.
func (c *crowd) outcomes(t *testing.T, clients []*client) map[schemas.ID]string {
	t.Helper()
	var all sync.WaitGroup
	parts := make([]map[schemas.ID]string, len(clients))
	failed := make([]error, len(clients))
	for i, s := range clients {
		all.Go(func() { parts[i], failed[i] = s.outcomes(i, len(clients)) })
	}
	all.Wait()
	require.NoError(t, errors.Join(failed...))
	stored := parts[0]
	for _, part := range parts[1:] {
		maps.Copy(stored, part)
	}
	return stored
}

// outcomes reads every so many-th of the completions that somebody was told of.
func (s *client) outcomes(first, every int) (map[schemas.ID]string, error) {
	stored := map[schemas.ID]string{}
	acts := s.crowd.history.acts
	for i := first; i < len(acts); i += every {
		a := acts[i]
		if a.what != completing || a.fate != done {
			continue
		}
		out, err := s.get(s.crowd.place.ctx, schemas.GetIn{HandoffID: a.handoff.String(), View: "full"})
		if err != nil {
			return nil, err
		}
		if out.Completion != nil {
			stored[a.handoff] = out.Completion.Summary
		}
	}
	return stored, nil
}

func processesOf(clients []*client) (all []*process) {
	for _, s := range clients {
		all = append(all, s.process)
	}
	return all
}

// requireNothingLost compares answers to clients with the store: every send once, every completion unchanged.
func (h *history) requireNothingLost(t *testing.T, found []schemas.ListItem, outcomes map[schemas.ID]string) {
	t.Helper()
	titled := map[string]schemas.ID{}
	for _, item := range found {
		require.Zero(t, titled[item.Title], "%s was sent once and is there twice", item.Title)
		titled[item.Title] = item.HandoffID
	}
	for _, a := range h.acts {
		switch {
		case a.what == sending && a.fate == done:
			require.Equal(t, a.handoff, titled[a.title], "%v", a)
		case a.what == sending && a.fate == refused:
			require.Zero(t, titled[a.title], "%v", a)
		case a.what == completing && a.fate == done:
			require.Equal(t, a.result, outcomes[a.handoff], "%v", a)
		}
	}
}

// report prints the figures of a run.
func (c *crowd) report(t *testing.T, during time.Duration, dead deaths, v visitor, list time.Duration, registry schemas.AuditOut, impossible int, stored int64) {
	t.Helper()
	h, gaps := c.history, &c.gaps
	lines := []string{
		fmt.Sprintf("%v, %d processes with two calls under way; %d owners and %d guests killed", during, places, dead.owners, dead.guests),
		fmt.Sprintf("calls      %d answered, %d refused %q, %d of processes that were killed, %d never answered",
			c.tally.of("answered"), c.tally.of("refused"), c.tally.named("refused"), c.tally.of(killedWith), c.tally.of("broken")),
		fmt.Sprintf("handoffs   %d sent, %d claimed, %d completed; %d taken over from the dead",
			h.count(sending, done), h.count(claiming, done), h.count(completing, done), h.takenAgain()),
		fmt.Sprintf("gaps       p50 %v, p99 %v, worst %v: the longest of each surviving client after each kill, %d in all (aim: p99 %v)",
			part(gaps.all, 0.5), part(gaps.all, 0.99), part(gaps.all, 1), len(gaps.all), aim),
		fmt.Sprintf("           p50 %v after the first ten kills, %v after the last ten, with a store of %d MB",
			part(gaps.early, 0.5), part(gaps.late, 0.5), stored>>20),
		fmt.Sprintf("commands   %d run meanwhile, %d failed, slowest %v", v.runs, len(v.failed), v.slowest),
		fmt.Sprintf("history    %d calls: %d handoffs that no order explains", len(h.acts), impossible),
		fmt.Sprintf("registry   %d events of %d handoffs, verified", registry.Events, registry.Handoffs),
		fmt.Sprintf("afterwards every process ended; the store was free: a command took %v", list),
	}
	t.Log("\n" + strings.Join(lines, "\n"))
}
