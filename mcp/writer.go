package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// writer writes whole lines. The first failure ends it.
type writer struct {
	logger *slog.Logger
	broken chan struct{} // closed at the first failure

	writing sync.Mutex // guards the field below; held as long as a write takes, which may be for ever
	out     io.Writer

	mu  sync.Mutex // guards the field below
	err error
}

func newWriter(out io.Writer, logger *slog.Logger) *writer {
	return &writer{out: out, logger: logger, broken: make(chan struct{})}
}

// send writes one message and tells whether all of it was written.
func (w *writer) send(message any) bool {
	line, err := json.Marshal(message)
	if err != nil {
		w.logger.LogAttrs(context.Background(), slog.LevelError, "answer does not encode", slog.Any("error", err))
		if other := insteadOf(message); other != nil {
			w.send(other)
		}
		return false
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.failed() {
		return false
	}
	if _, err := w.out.Write(append(line, '\n')); err != nil {
		w.fail(fmt.Errorf("write to client: %w", err))
		return false
	}
	return true
}

func (w *writer) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		close(w.broken)
	}
}

// insteadOf gives the error for an answer that cannot be sent, so that nobody waits for it.
func insteadOf(message any) any {
	if r, ok := message.(sdk.JSONRPCResponse); ok {
		return internalError(r.ID)
	}
	return nil
}

// close ends the writer and gives what ended it before. A client that left is no error.
func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.err
	w.err = os.ErrClosed
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}
