// Package output writes to a reader that may leave at any moment, for example in "handoff watch | head -1".
// [StartWriter] returns a context that ends when the reader has left, so that the program can stop its work.
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

// Writer is an output whose reader may leave. Use [StartWriter].
type Writer struct {
	w       io.Writer
	left    context.CancelCauseFunc
	signals chan os.Signal
	wait    sync.WaitGroup
}

// ErrReaderLeft is the cause of the context of [StartWriter] if the context ended because no process reads the output
// any more.
var ErrReaderLeft = errors.New("nobody reads the output any more")

// StartWriter returns a writer to w, and a context that ends when the reader of w has left. If the system reports that
// the reader left, the context ends at once. Otherwise it ends at the next Write. Until Close, a write to a closed pipe
// does not end the process.
func StartWriter(ctx context.Context, w io.Writer) (context.Context, *Writer) {
	o := &Writer{w: w, signals: make(chan os.Signal, 1)}
	ctx, o.left = context.WithCancelCause(ctx)
	// Ignoring the signal would be simpler, but child processes would ignore it too.
	signal.Notify(o.signals, syscall.SIGPIPE)
	if f, ok := w.(*os.File); ok {
		o.wait.Go(func() {
			if awaitReaderLeaving(ctx, f) {
				o.left(ErrReaderLeft)
			}
		})
	}
	return ctx, o
}

// Write writes to w. If the reader has left, Write ends the context of [StartWriter] and returns no error.
func (o *Writer) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if platform.IsBrokenPipe(err) {
		o.left(ErrReaderLeft)
		return len(p), nil
	}
	return n, err
}

// Close stops watching the reader. It does not close w.
func (o *Writer) Close() {
	o.left(context.Canceled)
	o.wait.Wait()
	signal.Stop(o.signals)
}
