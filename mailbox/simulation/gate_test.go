package simulation_test

import (
	"context"
	"sync"

	"handoff/store"
)

// gate is a backend at which each transaction waits until the simulation admits it, one at a time. So the seed decides
// the order of transactions, and not the scheduler of Go. When the simulated process dies, its gate is closed.
type gate struct {
	store.Backend

	mu      sync.Mutex // guards the fields below
	waiting []*entry
	running *attempt // the attempt whose transaction the gate let in last
	closed  bool
}

// entry is one transaction at the gate.
type entry struct {
	of     *attempt
	writes bool
	enter  chan error
}

type attemptKey struct{}

func (g *gate) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := g.awaitAdmission(ctx, false); err != nil {
		return err
	}
	return g.Backend.View(ctx, fn)
}

func (g *gate) Update(ctx context.Context, fn func(store.Writer) error) error {
	if err := g.awaitAdmission(ctx, true); err != nil {
		return err
	}
	return g.Backend.Update(ctx, fn)
}

func (g *gate) awaitAdmission(ctx context.Context, writes bool) error {
	g.mu.Lock()
	of, known := ctx.Value(attemptKey{}).(*attempt)
	if !known {
		of = g.running // an ended call releases its claim without the context of the call
	}
	if g.closed {
		g.mu.Unlock()
		return store.ErrClosed
	}
	e := &entry{of, writes, make(chan error)}
	g.waiting = append(g.waiting, e)
	g.mu.Unlock()
	return <-e.enter
}

// setRunning notes the attempt whose goroutine continues.
func (g *gate) setRunning(a *attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = a
}

// takeEntries removes and returns the waiting transactions, and can close the gate.
func (g *gate) takeEntries(closing bool) []*entry {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = g.closed || closing
	taken := g.waiting
	g.waiting = nil
	return taken
}

// putBack adds removed transactions to the waiting ones again.
func (g *gate) putBack(back []*entry) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(back, g.waiting...)
}

// close ends the process of the gate: no further transaction begins.
func (g *gate) close() {
	for _, e := range g.takeEntries(true) {
		e.enter <- store.ErrClosed
	}
}
