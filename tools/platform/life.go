package platform

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// DrainLimit is the longest duration of a drain. Clients kill a server that still runs some seconds after they closed
// its input.
const DrainLimit = 2500 * time.Millisecond

// ProcessLife ends a server process in an orderly way when its client leaves. The client must not kill the process in
// the middle of a commit, and must not leave it running. Use [BeginLife].
//
// The end of input, SIGTERM, SIGINT, SIGHUP, a client that no longer reads, and a new parent process all begin the same
// drain (the time in which the server finishes its work). The process ends at once after a second signal of the same
// kind, or if the drain takes longer than [DrainLimit].
type ProcessLife struct {
	exit   func(code int)
	cancel context.CancelFunc
	drain  sync.Once
	begun  chan struct{} // closed when the drain begins
	over   chan struct{} // closed by End
	wait   sync.WaitGroup
}

// BeginLife watches for signals until [ProcessLife.End], and ignores SIGPIPE. The returned context is done when a
// signal, a client that no longer reads, or a new parent begins the drain. The end of input does not end the context,
// because calls that were read still get their responses. Exit ends the process at once: os.Exit, or a function of a
// test.
func BeginLife(ctx context.Context, exit func(code int)) (context.Context, *ProcessLife) {
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	if !signal.Ignored(syscall.SIGHUP) { // else nohup wants it to outlive its terminal
		signal.Notify(signals, syscall.SIGHUP)
	}
	return beginLife(ctx, exit, signals)
}

func beginLife(ctx context.Context, exit func(code int), signals chan os.Signal) (context.Context, *ProcessLife) {
	ctx, cancel := context.WithCancel(ctx)
	l := &ProcessLife{exit: exit, cancel: cancel, begun: make(chan struct{}), over: make(chan struct{})}
	l.wait.Go(func() {
		defer signal.Stop(signals)
		l.watch(signals)
	})
	l.wait.Go(l.enforceLimit)
	return ctx, l
}

// End ends the drain when everything is closed, and stops watching. It is called once.
func (l *ProcessLife) End() {
	close(l.over)
	l.wait.Wait()
	l.cancel()
}

// watch begins the drain at the first signal and exits at the second signal of the same kind. Some clients send SIGINT
// and a moment later SIGTERM, so a signal of another kind does not exit. An exit would interrupt the closing of the
// store.
func (l *ProcessLife) watch(signals <-chan os.Signal) {
	came := map[os.Signal]bool{}
	for {
		select {
		case sig := <-signals:
			if came[sig] {
				l.exit(128 + int(sig.(syscall.Signal))) // as shells expect of a process that a signal ended
				return
			}
			came[sig] = true
			l.drainAndCancel()
		case <-l.over:
			return
		}
	}
}

// enforceLimit ends the process if a drain takes too long.
func (l *ProcessLife) enforceLimit() {
	select {
	case <-l.begun:
	case <-l.over:
		return
	}
	select {
	case <-time.After(DrainLimit):
		l.exit(1)
	case <-l.over:
	}
}

// beginDrain begins the drain. Calls that were read go on.
func (l *ProcessLife) beginDrain() { l.drain.Do(func() { close(l.begun) }) }

// drainAndCancel begins the drain and ends the context, so that waiting calls return.
func (l *ProcessLife) drainAndCancel() {
	l.beginDrain()
	l.cancel()
}

// parentInterval is the interval between two checks of the parent. It is short enough for agents that wait for the
// claims of an ended client, and long enough to save battery.
const parentInterval = 10 * time.Second

// FollowParent begins the drain when the parent process changes, because the client has then ended. The end of input
// would not show this if another process keeps the input open. Parent is os.Getppid, or a function of a test. On
// Windows the parent never changes.
//
// Linux can also send a signal when the parent ends. It is not used, because Linux sends this signal already when the
// thread that started this process ends.
func (l *ProcessLife) FollowParent(parent func() int) {
	client := parent()
	l.wait.Go(func() {
		look := time.NewTicker(parentInterval)
		defer look.Stop()
		for {
			select {
			case <-look.C:
			case <-l.over:
				return
			}
			if parent() != client {
				l.drainAndCancel()
				return
			}
		}
	})
}

// WatchInput returns a reader of r whose end or error begins the drain.
func (l *ProcessLife) WatchInput(r io.Reader) io.Reader { return CallOnEnd(r, l.beginDrain) }

// CallOnEnd returns a reader of r that calls end when r ends or fails, before it returns the error.
func CallOnEnd(r io.Reader, end func()) io.Reader { return callOnError(r.Read, end) }

// WatchOutput returns a writer to w. An error of w begins the drain, because the client no longer reads.
func (l *ProcessLife) WatchOutput(w io.Writer) io.Writer {
	return callOnError(w.Write, l.drainAndCancel)
}

// callOnError returns a stream that reads or writes by do, and calls end before it returns an error.
func callOnError(do streamFunc, end func()) streamFunc {
	return func(p []byte) (int, error) {
		n, err := do(p)
		if err != nil {
			end()
		}
		return n, err
	}
}

// A streamFunc implements Read and Write by one function.
type streamFunc func(p []byte) (int, error)

func (s streamFunc) Read(p []byte) (int, error)  { return s(p) }
func (s streamFunc) Write(p []byte) (int, error) { return s(p) }
