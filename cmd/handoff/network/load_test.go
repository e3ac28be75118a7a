//go:build unix

package network_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// loadKnob in the environment is how many handoffs there are.
const loadKnob = "HANDOFF_LOAD"

const (
	crowd   = 200 // clients over HTTP
	locals  = 4   // sessions on this machine
	holders = 4   // of tokens
	names   = 10  // of one token
)

// TestServer_ManyAgentsLoseNothing has two hundred clients over HTTP and four local sessions pass handoffs to each
// other. None is lost, and none is claimed twice.
func TestServer_ManyAgentsLoseNothing(t *testing.T) {
	s := newSite(t)
	secrets := make([]string, holders)
	for i := range secrets {
		secrets[i] = s.token(fmt.Sprintf("t%d", i), namesOf(i), "--rate", "1000000")
	}
	v := s.serve()
	e := &exchange{total: int64(many(t, loadKnob, 2000)), claims: map[schemas.ID]int{}}
	for i := range locals {
		name := fmt.Sprintf("local%d", i)
		e.add(name, s.sit(name, eras[i%2]))
	}
	connections := &http.Transport{MaxIdleConnsPerHost: crowd}
	t.Cleanup(connections.CloseIdleConnections)
	for i := range crowd {
		name := fmt.Sprintf("t%d-%d", i%holders, i/holders%names)
		a, err := v.join(s.ctx, secrets[i%holders], name, eras[i/holders/names%2], connections)
		require.NoError(t, err)
		e.add(name, a)
	}

	began := time.Now()
	e.run(t, s.ctx)
	took := time.Since(began)

	e.judge(t)
	out := s.verify()
	require.EqualValues(t, e.total, out.Handoffs)
	e.report(t, took)
	require.Less(t, v.stop(), 2*time.Second)
}

func namesOf(holder int) (agents string) {
	for i := range names {
		agents += fmt.Sprintf(",t%d-%d", holder, i)
	}
	return agents[1:]
}

// An exchange is a group of agents that send, claim and complete until there are enough handoffs.
type exchange struct {
	total  int64
	agents []*busy
	names  []string

	sent, done atomic.Int64

	mu     sync.Mutex // guards the fields below
	ids    []schemas.ID
	claims map[schemas.ID]int // number of completions by the claiming agent
}

// A busy agent measures how long its calls take.
type busy struct {
	*agent
	name                   string
	sends, takes, finishes laps // takes without those that found nothing
	looks                  int  // claims that found nothing, or waited
}

func (e *exchange) add(name string, a *agent) {
	e.agents = append(e.agents, &busy{agent: a, name: name})
	e.names = append(e.names, name)
}

func (e *exchange) run(t *testing.T, ctx context.Context) {
	t.Helper()
	failed := make(chan error, len(e.agents))
	var group sync.WaitGroup
	for _, b := range e.agents {
		group.Go(func() { failed <- e.work(ctx, b) })
	}
	group.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
}

func (e *exchange) work(ctx context.Context, b *busy) error {
	for e.done.Load() < e.total {
		wait := 0
		if e.sent.Add(1) > e.total {
			wait = 1
		} else if err := e.send(ctx, b); err != nil {
			return err
		}
		if err := e.take(ctx, b, wait); err != nil {
			return err
		}
	}
	return nil
}

func (e *exchange) send(ctx context.Context, b *busy) error {
	began := time.Now()
	sent, err := b.send(ctx, schemas.SendIn{To: e.names[rand.IntN(len(e.names))], Task: "pass it on", Parent: "none"})
	if err != nil {
		return err
	}
	b.sends.add(began)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ids = append(e.ids, sent.HandoffID)
	return nil
}

func (e *exchange) take(ctx context.Context, b *busy, wait int) error {
	began := time.Now()
	claimed, err := b.claim(ctx, schemas.ClaimIn{WaitSeconds: wait})
	if err != nil {
		return err
	}
	if claimed.Empty {
		b.looks++
		return nil
	}
	if wait == 0 {
		b.takes.add(began)
	} else {
		b.looks++
	}
	began = time.Now()
	if _, err := b.complete(ctx, claimed); err != nil {
		return err
	}
	b.finishes.add(began)
	e.done.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.claims[claimed.HandoffID]++
	return nil
}

// judge compares the sent handoffs with the claimed and completed ones.
func (e *exchange) judge(t *testing.T) {
	t.Helper()
	require.Len(t, e.ids, int(e.total))
	require.Len(t, e.claims, int(e.total))
	for _, id := range e.ids {
		require.Equal(t, 1, e.claims[id], "%v was completed %d times", id, e.claims[id])
	}
}

func (e *exchange) report(t *testing.T, took time.Duration) {
	t.Helper()
	var sends, takes, finishes laps
	looks := 0
	for _, b := range e.agents {
		sends, takes, finishes = append(sends, b.sends...), append(takes, b.takes...), append(finishes, b.finishes...)
		looks += b.looks
	}
	all := slices.Concat(sends, takes, finishes)
	t.Logf("%d handoffs in %v, by %d clients over HTTP and %d local sessions: %.0f handoffs/s",
		e.total, took.Round(time.Millisecond), crowd, locals, float64(e.total)/took.Seconds())
	t.Logf("send      %v", sends)
	t.Logf("claim     %v, and %d that found nothing or waited", takes, looks)
	t.Logf("complete  %v", finishes)
	t.Logf("all       %v  %6.0f calls/s", all, float64(len(all)+looks)/took.Seconds())
}
