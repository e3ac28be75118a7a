package jsonrpc

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

// Writer writes messages as lines, whole or not at all. It is safe for use by many goroutines. The first write that
// fails ends it. Use [NewWriter].
type Writer struct {
	Broken <-chan struct{} // closed at the first failure, and by Close

	logger *slog.Logger
	life   context.Context // ends with Broken; its cause is the first failure
	end    context.CancelCauseFunc

	writing sync.Mutex // guards the field below; held during a write, which may take for ever
	out     io.Writer
}

// NewWriter returns a writer to out. It logs a message that does not encode.
func NewWriter(out io.Writer, logger *slog.Logger) *Writer {
	life, end := context.WithCancelCause(context.Background())
	return &Writer{out: out, logger: logger, life: life, end: end, Broken: life.Done()}
}

// Send writes one message and reports whether all of it was written. What it writes in the place of a message that does
// not encode is said at [Encode]; then it returns false. It waits for a client that does not read.
func (w *Writer) Send(message any) bool {
	line, encoded := Encode(message, w.logger)
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.life.Err() != nil {
		return false
	}
	if _, err := w.out.Write(append(line, '\n')); err != nil {
		w.end(fmt.Errorf("write to client: %w", err))
		return false
	}
	return encoded
}

// Encode encodes a message. For a message that does not encode, ok is false and the text is an error in its place, so
// that the client does not wait for ever: with the id of the request, or without one for a message that is no response.
// Encode logs the cause.
func Encode(message any, logger *slog.Logger) (text []byte, ok bool) {
	text, err := json.Marshal(message)
	if err == nil {
		return text, true
	}
	logger.ErrorContext(context.Background(), "answer does not encode", slog.Any("error", err))
	id := sdk.NewRequestId(nil)
	if r, ok := message.(sdk.JSONRPCResponse); ok {
		id = r.ID
	}
	text, _ = json.Marshal(InternalError(id)) // it is made of strings and numbers
	return text, false
}

// Close ends the writer and returns the error that ended it before. A client that left is no error. It does not close
// the stream.
func (w *Writer) Close() error {
	err := context.Cause(w.life)
	w.end(os.ErrClosed)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}
