// Package process keeps the rules of a server process that a client started and may leave at any moment:
// losing the client must not kill it in the middle of a commit, and must not keep it alive either.
//
// End of input, SIGTERM, SIGINT, SIGHUP, a client that no longer reads and another parent than at the start
// all begin the same drain. A signal that comes again ends the process at once, and so does a drain that takes
// longer than [Limit].
//
// The processes around it are its business too: who started it ([Above]), and that what it starts ends with
// all that this started ([Tree]).
package process

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// Limit is how long a drain may take. Clients kill a server that is still there some seconds after they
// closed its input.
const Limit = 2500 * time.Millisecond

// Life is the time from the start of a process to its end. Use [Begin].
type Life struct {
	exit   func(code int)
	cancel context.CancelFunc
	drain  sync.Once
	begun  chan struct{} // closed when the drain begins
	over   chan struct{} // closed by End
	wait   sync.WaitGroup
}

// Begin ignores SIGPIPE, which would otherwise kill the process at its first write to a client that left,
// and watches for signals until End. The context is done when a signal, a client that no longer reads or
// one that is gone begins the drain; at the end of input it stays open, because calls that were read are
// still to be answered. Exit ends the process hard: os.Exit outside of tests.
func Begin(ctx context.Context, exit func(code int)) (context.Context, *Life) {
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	if !signal.Ignored(syscall.SIGHUP) { // else nohup says that it shall outlive its terminal
		signal.Notify(signals, syscall.SIGHUP)
	}
	return begin(ctx, exit, signals)
}

func begin(ctx context.Context, exit func(code int), signals chan os.Signal) (context.Context, *Life) {
	ctx, cancel := context.WithCancel(ctx)
	l := &Life{exit: exit, cancel: cancel, begun: make(chan struct{}), over: make(chan struct{})}
	l.wait.Go(func() {
		defer signal.Stop(signals)
		l.watch(signals)
	})
	l.wait.Go(l.bound)
	return ctx, l
}

// End tells that everything is closed, and stops watching. It is called once.
func (l *Life) End() {
	close(l.over)
	l.wait.Wait()
	l.cancel()
}

// watch drains at the first signal and exits at one that comes again. Another signal only says the same once
// more: some clients send SIGINT, and SIGTERM a moment later.
func (l *Life) watch(signals <-chan os.Signal) {
	came := map[os.Signal]bool{}
	for {
		select {
		case sig := <-signals:
			if came[sig] {
				l.exit(exitCode(sig))
				return
			}
			came[sig] = true
			l.stop()
		case <-l.over:
			return
		}
	}
}

// bound ends the process when a drain takes too long.
func (l *Life) bound() {
	select {
	case <-l.begun:
	case <-l.over:
		return
	}
	limit := time.NewTimer(Limit)
	defer limit.Stop()
	select {
	case <-limit.C:
		l.exit(1)
	case <-l.over:
	}
}

// endOfInput begins the drain; calls that were read go on.
func (l *Life) endOfInput() { l.drain.Do(func() { close(l.begun) }) }

// stop begins the drain and ends waiting.
func (l *Life) stop() {
	l.endOfInput()
	l.cancel()
}

// exitCode is what shells expect of a process that a signal ended.
func exitCode(sig os.Signal) int {
	if s, ok := sig.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return 1
}
