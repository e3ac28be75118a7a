package edit

import (
	"bytes"
	"slices"
)

// Delete removes all that is at a path and below it: keys, also of inline tables, and tables with their headers.
// Comments after the last line of a table stay.
func (d *tomlText) Delete(path ...any) error {
	if len(path) == 0 {
		return inTheWay(nil)
	}
	if _, there := d.Look(path...); !there {
		return nil
	}
	next := d
	for n := 0; ; n++ {
		from, to, ok := next.piece(keysOf(path))
		if !ok {
			break
		}
		if n == mostCuts {
			return errCuts
		}
		var err error
		if next, err = openTOML(d.mark, spliced(next.text, from, to, "")); err != nil {
			return err
		}
	}
	return d.become(next, withDeleted(d.said, path))
}

// piece finds the next piece of text to remove.
func (d *tomlText) piece(path []string) (from, to int, ok bool) {
	for i, l := range d.lines {
		switch {
		case below(l.path, path) && l.header:
			end := i
			for end+1 < len(d.lines) && !d.lines[end+1].header {
				end++
			}
			from, to = d.wholeLines(l.from, d.lines[end].end)
			return from, to, true
		case below(l.path, path):
			from, to = d.wholeLines(l.from, l.end)
			return from, to, true
		}
		if from, to, ok = d.inInline(l, path); ok {
			return from, to, true
		}
	}
	return 0, 0, false
}

func below(path, above []string) bool {
	return len(path) >= len(above) && slices.Equal(path[:len(above)], above)
}

// inInline finds a key within an inline table, with one comma.
func (d *tomlText) inInline(l line, path []string) (from, to int, ok bool) {
	for i, in := range l.inline {
		if !below(in.path, path) {
			if from, to, ok = d.inInline(in, path); ok {
				return from, to, true
			}
			continue
		}
		switch {
		case i > 0:
			return l.inline[i-1].end, in.end, true
		case len(l.inline) > 1:
			return in.from, l.inline[1].from, true
		}
		return l.value + 1, l.end - 1, true
	}
	return 0, 0, false
}

// wholeLines widens a piece to the lines that it is in. At the end of the text the blank line before them goes too.
func (d *tomlText) wholeLines(from, to int) (int, int) {
	from = bytes.LastIndexByte(d.text[:from], '\n') + 1
	to = d.lineRest(to)
	if end := bytes.IndexByte(d.text[to:], '\n'); end >= 0 {
		to += end + 1
	}
	if len(bytes.TrimSpace(d.text[to:])) > 0 {
		return from, to
	}
	before := bytes.TrimSuffix(d.text[:from], []byte("\n"))
	before = bytes.TrimSuffix(before, []byte("\r"))
	if bytes.HasSuffix(before, []byte("\n")) {
		from = len(before)
	}
	return from, to
}
