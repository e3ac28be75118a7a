package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/tools/platform"
)

// MaxLine is the longest message that a transport accepts, in bytes.
const MaxLine = 4 << 20

// keptBytes is the number of bytes that are kept of the beginning of a too long line, and also of its end. The id of
// the request is searched in them.
const keptBytes = 1 << 10

// Line is one line of input without its newline. If the line is longer than [MaxLine], only its beginning and its end
// are kept.
type Line struct {
	Text []byte // only the beginning of a line that is too long
	Size int    // of the whole line, in bytes

	tail []byte // the end of a line that is too long
}

// IsTooLong reports whether the line is longer than [MaxLine].
func (l *Line) IsTooLong() bool { return l.Size > MaxLine }

func (l *Line) appendPart(part []byte) {
	l.Size += len(part)
	switch {
	case !l.IsTooLong():
		l.Text = append(l.Text, part...)
		return
	case l.tail == nil:
		l.tail = slices.Clone(l.Text[max(0, len(l.Text)-keptBytes):])
		l.Text = slices.Clone(l.Text[:min(len(l.Text), keptBytes)])
	}
	l.tail = append(l.tail, part...)
	l.tail = slices.Clone(l.tail[max(0, len(l.tail)-keptBytes):])
}

// ReadLines reads from in, in a goroutine of its own, and sends the lines that are not empty, until in ends or done is
// closed. Then it closes the first channel. It sends the read error on the second channel, or nil at the end of input.
// Closing done cannot stop a read that does not return.
func ReadLines(in io.Reader, done <-chan struct{}) (<-chan Line, <-chan error) {
	lines, ended := make(chan Line), make(chan error, 1)
	go func() {
		defer close(lines)
		for r := bufio.NewReaderSize(in, 64<<10); ; {
			l, err := readLine(r)
			if len(bytes.TrimSpace(l.Text)) > 0 {
				select {
				case lines <- l:
				case <-done:
					return
				}
			}
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				ended <- err
				return
			}
		}
	}()
	return lines, ended
}

// readLine reads to the next newline or the end. A last line without a newline is a line.
func readLine(r *bufio.Reader) (l Line, err error) {
	for {
		part, err := r.ReadSlice('\n')
		l.appendPart(bytes.TrimSuffix(part, []byte("\n")))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}

// firstID matches an id before the params, if only short members come before the id. lastID matches an id at the end of
// a message. It cannot match another text there: a nested object would end in two braces, and quotes in a string would
// be escaped.
var (
	firstID = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\{(?:\s*"[a-z]+"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*("[^"\\]*"|-?[0-9]+)\s*,`)
	})
	lastID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[{,]\s*"id"\s*:\s*("[^"\\]*"|-?[0-9]+)\s*\}\s*$`) })
)

// ID returns the id of the request in a line that is too long. It finds an id before or after the params, and returns
// nil if it finds none.
func (l *Line) ID() json.RawMessage {
	if m := firstID().FindSubmatch(l.Text); m != nil {
		return m[1]
	}
	if m := lastID().FindSubmatch(l.tail); m != nil {
		return m[1]
	}
	return nil
}

// Writer writes messages as lines, each whole or not at all. It is safe for use by many goroutines. After the first
// write that fails it writes nothing more. Use [NewWriter].
type Writer struct {
	Broken <-chan struct{} // closed at the first failure, and by Close

	logger *slog.Logger
	life   context.Context // ends with Broken; its cause is the first failure
	end    context.CancelCauseFunc

	out     io.Writer
	writing chan struct{} // holds a token during a write, which may take for ever
}

// NewWriter returns a writer to out. The writer logs a message that it cannot encode.
func NewWriter(out io.Writer, logger *slog.Logger) *Writer {
	life, end := context.WithCancelCause(context.Background())
	return &Writer{out: out, logger: logger, life: life, end: end, Broken: life.Done(), writing: make(chan struct{}, 1)}
}

// Send writes one message and reports whether all of it was written. It waits for a client that does not read. If a
// message cannot be encoded, Send writes an error in its place and returns false.
func (w *Writer) Send(message any) bool {
	line, encoded := EncodeMessage(message, w.logger)
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	if w.life.Err() != nil {
		return false
	}
	_, err := w.out.Write(append(line, '\n'))
	if err != nil {
		w.end(fmt.Errorf("write to client: %w", err))
	}
	return encoded && err == nil
}

// EncodeMessage encodes a message. If the message cannot be encoded, ok is false and the text is an error response, so
// that the client does not wait for ever. EncodeMessage logs the cause.
func EncodeMessage(message any, logger *slog.Logger) (text []byte, ok bool) {
	r, isResponse := message.(sdk.JSONRPCResponse)
	if isResponse {
		if text, ok = encodeResult(r); ok {
			return text, true
		}
	}
	text, err := json.Marshal(message)
	if err == nil {
		return text, true
	}
	logger.ErrorContext(context.Background(), "answer does not encode", slog.Any("error", err))
	text, _ = json.Marshal(InternalError(r.ID)) // it is made of strings and numbers
	return text, false
}

// Close ends the writer and returns its first write error. The exception is an error because the client left: then
// Close returns nil. It does not close the stream.
func (w *Writer) Close() error {
	err := context.Cause(w.life)
	w.end(os.ErrClosed)
	if errors.Is(err, io.ErrClosedPipe) || platform.IsBrokenPipe(err) {
		return nil
	}
	return err
}
