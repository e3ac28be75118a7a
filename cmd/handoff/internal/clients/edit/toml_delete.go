package edit

import (
	"bytes"
	"slices"
)

// Delete removes all that is at a path and below it: keys, and tables with their headers. It fails for a key within an
// inline table, as the text would say the same after it. Comments after the last line of a table stay.
func (d *tomlText) Delete(path ...any) error {
	if len(path) == 0 {
		return inTheWay(nil)
	}
	if _, there := d.Look(path...); !there {
		return nil
	}
	var pieces []line // which may be several: a table and the tables below it need not stand together
	for i := 0; i < len(d.lines); i++ {
		piece := d.lines[i]
		if !below(piece.path, keysOf(path)) {
			continue
		}
		for piece.header && i+1 < len(d.lines) && !d.lines[i+1].header {
			i++
		}
		piece.end = d.lines[i].end
		pieces = append(pieces, piece)
	}
	text := d.text
	for _, piece := range slices.Backward(pieces) {
		from, to := wholeLines(text, piece.from, piece.end)
		text = spliced(text, from, to, "")
	}
	return d.become(text, withDeleted(d.said, path))
}

func below(path, above []string) bool {
	return len(path) >= len(above) && slices.Equal(path[:len(above)], above)
}

// wholeLines widens a piece to the lines that it is in. At the end of the text the blank line before them goes too.
func wholeLines(text []byte, from, to int) (int, int) {
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	to = lineRest(text, to)
	if end := bytes.IndexByte(text[to:], '\n'); end >= 0 {
		to += end + 1
	}
	if len(bytes.TrimSpace(text[to:])) > 0 {
		return from, to
	}
	before := bytes.TrimSuffix(text[:from], []byte("\n"))
	before = bytes.TrimSuffix(before, []byte("\r"))
	if bytes.HasSuffix(before, []byte("\n")) {
		from = len(before)
	}
	return from, to
}
