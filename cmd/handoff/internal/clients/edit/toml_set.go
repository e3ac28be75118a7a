package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// tableDepth is the greatest depth of a table with a header, for example [mcp_servers.handoff]. A deeper object is
// written on one line.
const tableDepth = 2

// Set puts a value at a path of keys.
func (d *tomlText) Set(value any, path ...any) error {
	next := *d
	if err := next.setEachValue(value, path); err != nil {
		return err
	}
	*d = next
	return nil
}

// setEachValue sets the fields of an object one by one, and stops if one fails. Set calls it for a copy of the
// document, so that a failed Set changes nothing.
func (d *tomlText) setEachValue(value any, path []any) error {
	if o, ok := value.(client.Object); ok && len(path) <= tableDepth {
		for _, f := range o {
			if err := d.setEachValue(f.Value, append(slices.Clone(path), f.Key)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := d.commit(d.textWithValue(stringKeys(path), tomlValue(value)), path, value); err != nil {
		return fmt.Errorf("there is no place for %s: %w", strings.Join(stringKeys(path), "."), err)
	}
	return nil
}

// commit replaces the text of the document. If the new text does not have the value at the path, as [isIntended] says,
// commit returns an error and changes nothing.
func (d *tomlText) commit(text []byte, path []any, value any) error {
	next, err := openTOML(d.mark, text)
	if err != nil {
		return err
	}
	if !isIntended(d.values, next.values, path, value) {
		return errOtherwise
	}
	*d = *next
	return nil
}

// textWithValue returns the text with a value at a path. It replaces the old value. If there is no old value, it adds a
// line at the end of the table, or a new table at the end of the text.
func (d *tomlText) textWithValue(path []string, value string) []byte {
	for _, l := range d.lines {
		if !l.header && !l.array && slices.Equal(l.path, path) {
			return replaceBetween(d.text, l.value, l.end, value)
		}
	}
	last := len(path) - 1
	table, pair := path[:last], dottedKey(path[last:])+" = "+value
	nl := lineEnding(d.text)
	if at, ok := d.tableEnd(table); ok {
		return replaceBetween(d.text, at, at, nl+lineIndent(d.text, at)+pair)
	}
	return d.textWithTable("["+dottedKey(table)+"]"+nl+pair+nl, nl)
}

// textWithTable returns the text, a blank line and the table.
func (d *tomlText) textWithTable(table, nl string) []byte {
	text := string(d.text)
	switch {
	case strings.TrimSpace(text) == "":
		return []byte(text + table)
	case !strings.HasSuffix(text, "\n"):
		text += nl
	}
	return []byte(text + nl + table)
}

// tableEnd returns the offset after the last line of a table. Ok is false if the table has no header.
func (d *tomlText) tableEnd(table []string) (at int, ok bool) {
	for _, l := range d.lines {
		switch {
		case l.header && ok:
			return at, ok
		case l.header:
			ok = !l.array && slices.Equal(l.path, table)
		}
		if ok {
			at = endOfLine(d.text, l.end)
		}
	}
	return at, ok
}

// endOfLine returns the offset of the end of the line that contains the offset at. The line ending comes after the
// result.
func endOfLine(text []byte, at int) int {
	end := bytes.IndexByte(text[at:], '\n')
	if end < 0 {
		return len(text)
	}
	end += at
	if end > at && text[end-1] == '\r' {
		end--
	}
	return end
}

// dottedKey writes a path as a key.
func dottedKey(path []string) string { return strings.Join(schemas.Map(path, quoteTOMLKey), ".") }

func quoteTOMLKey(key string) string {
	if strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" || key == "" {
		return tomlValue(key)
	}
	return key
}

// tomlValue writes a value on one line. A string has the escapes of JSON, which TOML accepts.
func tomlValue(value any) string {
	switch v := value.(type) {
	case []string:
		return tomlList(v)
	case []any:
		return tomlList(v)
	case client.Object:
		parts := schemas.Map(v, func(f client.Field) string { return quoteTOMLKey(f.Key) + " = " + tomlValue(f.Value) })
		return "{ " + strings.Join(parts, ", ") + " }"
	case string:
		text, _ := json.Marshal(v) // a string can be encoded
		return string(text)
	}
	return fmt.Sprint(value)
}

func tomlList[T any](values []T) string {
	return "[" + strings.Join(schemas.Map(values, func(v T) string { return tomlValue(v) }), ", ") + "]"
}

// Delete removes the value at a path and all values below it, with the headers of their tables. It removes whole lines,
// so it fails for a key in an inline table. Comments after the last line of a table stay.
func (d *tomlText) Delete(path ...any) error {
	if len(path) == 0 {
		return pathBlockedError(nil)
	}
	if _, there := d.Lookup(path...); !there {
		return nil
	}
	var pieces []tomlLine // several, if a table and the tables below it do not stand together
	for i := 0; i < len(d.lines); i++ {
		piece := d.lines[i]
		if len(piece.path) < len(path) || !slices.Equal(piece.path[:len(path)], stringKeys(path)) {
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
		from, to := widenToLines(text, piece.from, piece.end)
		text = replaceBetween(text, from, to, "")
	}
	return d.commit(text, path, nil)
}

// widenToLines returns the offsets of the whole lines between two offsets. At the end of the text, the result also
// includes the blank line before these lines.
func widenToLines(text []byte, from, to int) (int, int) {
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	to = endOfLine(text, to)
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
