// Package output writes for as long as somebody reads: the reader of a pipe may leave at any moment, as that of
// "handoff watch | head -1" does, and then there is nothing more to do.
package output

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"handoff/tools/platform"
)

// Outlet is an output whose reader may leave. Use [Open].
type Outlet struct {
	w       io.Writer
	left    context.CancelCauseFunc
	signals chan os.Signal
	wait    sync.WaitGroup
}

// ErrLeft is the cause of the end of a context whose outlet nobody reads any more.
var ErrLeft = errors.New("nobody reads the output any more")

// Open gives an outlet to w, and a context that is done when its reader has left: where the system tells, at once,
// else at the next Write. A write to a closed pipe does not end the process until Close.
func Open(ctx context.Context, w io.Writer) (context.Context, *Outlet) {
	o := &Outlet{w: w, signals: make(chan os.Signal, 1)}
	ctx, o.left = context.WithCancelCause(ctx)
	// Ignoring the signal would be simpler, but commands that are started would ignore it too.
	signal.Notify(o.signals, syscall.SIGPIPE)
	if f, ok := w.(*os.File); ok {
		o.wait.Go(func() {
			if readerLeaves(ctx, f) {
				o.left(ErrLeft)
			}
		})
	}
	return ctx, o
}

// Write writes to w. That the reader has left is no error: it ends the context.
func (o *Outlet) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if platform.ReaderLeft(err) {
		o.left(ErrLeft)
		return len(p), nil
	}
	return n, err
}

// Close stops looking at the reader. It does not close w.
func (o *Outlet) Close() {
	o.left(context.Canceled)
	o.wait.Wait()
	signal.Stop(o.signals)
}
