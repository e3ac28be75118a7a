package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// tableDepth is how deep a table may be whose fields get lines of their own, as those of servers do. A deeper object
// is written inline.
const tableDepth = 2

// Set puts a value at a path of keys.
func (d *tomlText) Set(value any, path ...any) error {
	next := *d
	if err := next.set(value, path); err != nil {
		return err
	}
	*d = next
	return nil
}

// set changes one value after the other, until one fails.
func (d *tomlText) set(value any, path []any) error {
	if o, ok := value.(client.Object); ok && len(path) <= tableDepth {
		for _, f := range o {
			if err := d.set(f.Value, append(slices.Clone(path), f.Key)); err != nil {
				return err
			}
		}
		return nil
	}
	next, err := openTOML(d.mark, d.with(keysOf(path), tomlValue(value)))
	if err != nil {
		return fmt.Errorf("there is no place for %s: %w", strings.Join(keysOf(path), "."), err)
	}
	return d.become(next, withSet(d.said, path, value))
}

// become replaces the text of the document, if the new text says what is meant.
func (d *tomlText) become(next *tomlText, meant meaning) error {
	if !meant(next.said) {
		return errOtherwise
	}
	*d = *next
	return nil
}

// with gives the text with a value. The value replaces the one at the path, else it goes into the inline table or
// the table to which it belongs, else beside its siblings with dotted keys, else into a new table at the end.
func (d *tomlText) with(path []string, value string) []byte {
	if l, ok := d.at(path); ok {
		return spliced(d.text, l.value, l.end, value)
	}
	key := path[len(path)-1]
	table := path[:len(path)-1]
	if l, rest, ok := d.around(path); ok {
		return d.intoInline(l, dotted(rest)+" = "+value)
	}
	nl := lineEnd(d.text)
	if at, ok := d.tableEnd(table); ok {
		return spliced(d.text, at, at, nl+lineIndent(d.text, at)+dotted([]string{key})+" = "+value)
	}
	if l, ok := d.sibling(table); ok {
		before := string(d.text[l.from:l.value])
		before = before[:strings.LastIndexByte(before, '.')+1]
		at := d.lineRest(l.end)
		return spliced(d.text, at, at, nl+lineIndent(d.text, l.from)+before+dotted([]string{key})+" = "+value)
	}
	return d.appended("["+dotted(table)+"]"+nl+dotted([]string{key})+" = "+value+nl, nl)
}

// appended gives the text with a table after it, and a blank line between them.
func (d *tomlText) appended(table, nl string) []byte {
	text := string(d.text)
	switch {
	case strings.TrimSpace(text) == "":
		return []byte(text + table)
	case !strings.HasSuffix(text, "\n"):
		text += nl
	}
	return []byte(text + nl + table)
}

// at finds the line with a path, also within inline tables.
func (d *tomlText) at(path []string) (line, bool) { return among(d.lines, path) }

func among(lines []line, path []string) (line, bool) {
	for _, l := range lines {
		if l.header || l.array {
			continue
		}
		if slices.Equal(l.path, path) {
			return l, true
		}
		if found, ok := among(l.inline, path); ok {
			return found, true
		}
	}
	return line{}, false
}

// around finds the innermost inline table that a path leads into, and what is left of the path.
func (d *tomlText) around(path []string) (found line, rest []string, ok bool) {
	lines := d.lines
	for {
		i := slices.IndexFunc(lines, func(l line) bool {
			return l.within && !l.array && len(l.path) < len(path) && slices.Equal(l.path, path[:len(l.path)])
		})
		if i < 0 {
			return found, rest, ok
		}
		found, rest, ok = lines[i], path[len(lines[i].path):], true
		lines = found.inline
	}
}

// intoInline adds a key to an inline table.
func (d *tomlText) intoInline(l line, pair string) []byte {
	at, before, after := l.value+1, " ", " "
	if n := len(l.inline); n > 0 {
		at, before, after = l.inline[n-1].end, ", ", ""
	} else if inner := d.text[at : l.end-1]; len(bytes.TrimSpace(inner)) == 0 {
		return spliced(d.text, at, l.end-1, before+pair+after)
	}
	return spliced(d.text, at, at, before+pair+after)
}

// tableEnd gives the end of the last line of a table that has a header.
func (d *tomlText) tableEnd(table []string) (at int, ok bool) {
	for _, l := range d.lines {
		switch {
		case l.header && ok:
			return at, ok
		case l.header:
			ok = !l.array && slices.Equal(l.path, table)
		}
		if ok {
			at = d.lineRest(l.end)
		}
	}
	return at, ok
}

// sibling finds a line outside any table of this path whose dotted key is in it.
func (d *tomlText) sibling(table []string) (found line, ok bool) {
	for _, l := range d.lines {
		if !l.header && !l.array && len(l.path) == len(table)+1 && slices.Equal(l.path[:len(table)], table) {
			found, ok = l, true
		}
	}
	return found, ok
}

// lineRest gives the end of the line in which an offset is, without what ends it.
func (d *tomlText) lineRest(at int) int {
	end := bytes.IndexByte(d.text[at:], '\n')
	if end < 0 {
		return len(d.text)
	}
	end += at
	if end > at && d.text[end-1] == '\r' {
		end--
	}
	return end
}
