package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
)

// MaxLine is the longest message that is accepted, in bytes.
const MaxLine = 4 << 20

// endsKept is how much of each end of a longer line is kept, to find the id of the request in it.
const endsKept = 1 << 10

// line is one line of input without its newline. Of one that is too long only its two ends are there.
type line struct {
	text, tail []byte
	size       int
}

func (l *line) tooLong() bool { return l.size > MaxLine }

func (l *line) add(part []byte) {
	l.size += len(part)
	switch {
	case !l.tooLong():
		l.text = append(l.text, part...)
		return
	case l.tail == nil:
		l.tail = slices.Clone(l.text[max(0, len(l.text)-endsKept):])
		l.text = slices.Clone(l.text[:min(len(l.text), endsKept)])
	}
	l.tail = append(l.tail, part...)
	l.tail = slices.Clone(l.tail[max(0, len(l.tail)-endsKept):])
}

// readLines sends the lines of in until it ends or done is closed, and then the error that ended it, nil at
// the end of input. A read that is under way when done is closed cannot be taken back: the goroutine ends
// with it.
func readLines(in io.Reader, done <-chan struct{}) (<-chan line, <-chan error) {
	lines, ended := make(chan line), make(chan error, 1)
	go func() {
		defer close(lines)
		for r := bufio.NewReaderSize(in, 64<<10); ; {
			l, err := readLine(r)
			if len(bytes.TrimSpace(l.text)) > 0 {
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

// readLine reads to the next newline or the end. A last line without a newline counts.
func readLine(r *bufio.Reader) (l line, err error) {
	for {
		part, err := r.ReadSlice('\n')
		l.add(bytes.TrimSuffix(part, []byte("\n")))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}

// lastID matches an id that closes the message. A message that ends in this way has no other reading: a
// nested object would end in two braces, and inside a string the quotes would be escaped.
var lastID = regexp.MustCompile(`[{,]\s*"id"\s*:\s*("[^"\\]*"|-?[0-9]+)\s*\}\s*$`)

// id finds the request's id in what is left of a line that is too long: before its params, or after them,
// where some clients write it. Without one it gives nil.
func (l *line) id() json.RawMessage {
	if id := firstID(l.text); id != nil {
		return id
	}
	if m := lastID.FindSubmatch(l.tail); m != nil {
		return m[1]
	}
	return nil
}

// firstID reads the members of an object until it meets the id, or the text breaks off.
func firstID(head []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if name == "id" && isID(value) {
			return value
		}
	}
}
