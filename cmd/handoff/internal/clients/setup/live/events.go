package live

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// events walks over the data of a stream of events, as the HTML standard has it, until it ends or breaks off: an event
// without a blank line after it is none. Lines that end with a lone carriage return, which nobody writes, are not told
// apart.
func events(stream io.Reader) iter.Seq[[]byte] {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, longest)
	return func(yield func([]byte) bool) {
		var data []byte
		for first := true; lines.Scan(); first = false {
			line := lines.Bytes()
			if first {
				line = bytes.TrimPrefix(line, []byte("\uFEFF"))
			}
			if len(line) > 0 {
				data = append(data, dataOf(line)...)
				continue
			}
			if len(data) > 0 && !yield(bytes.TrimSuffix(data, []byte("\n"))) {
				return
			}
			data = nil
		}
	}
}

// dataOf gives what a line adds to the data of its event: nothing if it is a comment or another field.
func dataOf(line []byte) []byte {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if string(name) != "data" {
		return nil
	}
	return append(bytes.Clone(bytes.TrimPrefix(value, []byte(" "))), '\n')
}
