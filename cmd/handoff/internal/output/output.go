// Package output writes as long as there is a reader. The reader of a pipe may leave at any moment, for example in
// "handoff watch | head -1". Then there is nothing more to do.
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

// ErrLeft is the cause of a context that ended because its outlet lost its reader.
var ErrLeft = errors.New("nobody reads the output any more")

// Open returns an outlet to w, and a context that is done when the reader of w has left: at once if the system
// reports it, else at the next Write. Until Close, a write to a closed pipe does not end the process.
func Open(ctx context.Context, w io.Writer) (context.Context, *Outlet) {
	o := &Outlet{w: w, signals: make(chan os.Signal, 1)}
	ctx, o.left = context.WithCancelCause(ctx)
	// Ignoring the signal would be simpler, but child processes would ignore it too.
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

// Write writes to w. It returns no error if the reader has left; it ends the context.
func (o *Outlet) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if platform.ReaderLeft(err) {
		o.left(ErrLeft)
		return len(p), nil
	}
	return n, err
}

// Close stops watching the reader. It does not close w.
func (o *Outlet) Close() {
	o.left(context.Canceled)
	o.wait.Wait()
	signal.Stop(o.signals)
}
