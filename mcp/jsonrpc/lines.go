package jsonrpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
)

// MaxLine is the longest message that a transport accepts, in bytes.
const MaxLine = 4 << 20

// endsKept is how many bytes of each end of a longer line are kept, to find the id of the request in them.
const endsKept = 1 << 10

// Line is one line of input without its newline. Of a line that is longer than [MaxLine] only the two ends are kept.
type Line struct {
	Text []byte // only the beginning of a line that is too long
	Size int    // of the whole line, in bytes

	tail []byte // the end of a line that is too long
}

// TooLong reports whether the line is longer than [MaxLine].
func (l *Line) TooLong() bool { return l.Size > MaxLine }

func (l *Line) add(part []byte) {
	l.Size += len(part)
	switch {
	case !l.TooLong():
		l.Text = append(l.Text, part...)
		return
	case l.tail == nil:
		l.tail = slices.Clone(l.Text[max(0, len(l.Text)-endsKept):])
		l.Text = slices.Clone(l.Text[:min(len(l.Text), endsKept)])
	}
	l.tail = append(l.tail, part...)
	l.tail = slices.Clone(l.tail[max(0, len(l.tail)-endsKept):])
}

// ReadLines sends the lines of in, empty ones left out, until in ends or done is closed. Then it closes lines and sends
// the error that ended in, nil at the end of input; when done was closed it may send none. It reads in a goroutine. A
// read that is under way when done is closed cannot be cancelled: the goroutine ends when that read does.
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
		l.add(bytes.TrimSuffix(part, []byte("\n")))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}

// firstID matches an id before the params, where only short texts come before it. lastID matches an id at the end of a
// message. A message that ends so can be read in no other way: a nested object would end in two braces, and quotes in a
// string would be escaped.
var (
	firstID = regexp.MustCompile(`^\s*\{(?:\s*"[a-z]+"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*("[^"\\]*"|-?[0-9]+)\s*,`)
	lastID  = regexp.MustCompile(`[{,]\s*"id"\s*:\s*("[^"\\]*"|-?[0-9]+)\s*\}\s*$`)
)

// ID finds the id of the request in the two ends of a line that is too long: before the params, or after them, where
// some clients write it. It is nil when there is none.
func (l *Line) ID() json.RawMessage {
	if m := firstID.FindSubmatch(l.Text); m != nil {
		return m[1]
	}
	if m := lastID.FindSubmatch(l.tail); m != nil {
		return m[1]
	}
	return nil
}
