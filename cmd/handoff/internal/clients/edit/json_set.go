package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"handoff/cmd/handoff/internal/clients/client"
)

// Set puts a value at a path of keys. A null on the way counts as nothing.
func (d *JSON) Set(value any, path ...any) error {
	meant := withSet(d.said, path, value)
	v, deep := d.reach(path)
	if deep == len(path) || isNull(v) {
		_, spread := d.layout(d.list(v))
		text := d.render(nested(value, path[deep:]), lineIndent(d.text, v.StartOffset), spread)
		return d.become(spliced(d.text, v.StartOffset, v.EndOffset, text), meant)
	}
	key, named := path[deep].(string)
	if l := d.list(v); named && l.object {
		return d.become(d.inserted(l, key, nested(value, path[deep+1:])), meant)
	}
	return inTheWay(path[:deep])
}

// Append puts a value at the end of the array at a path. It makes the array if there is none.
func (d *JSON) Append(value any, path ...any) error {
	v, deep := d.reach(path)
	if deep < len(path) || isNull(v) {
		return d.Set([]any{value}, path...)
	}
	if v.Value.Kind() != '[' {
		return inTheWay(path)
	}
	before, _ := d.Look(path...)
	list, _ := before.([]any)
	return d.become(d.inserted(d.list(v), "", value), withSet(d.said, path, append(slices.Clip(list), value)))
}

func isNull(v *hujson.Value) bool { return v.Value.Kind() == 'n' }

// nested gives a value within objects of one key each.
func nested(value any, keys []any) any {
	for _, key := range slices.Backward(keys) {
		value = client.Object{{Key: key.(string), Value: value}}
	}
	return value
}

// inserted gives the text with an item at the end of a list. Comments after the last item stay after that.
func (d *JSON) inserted(l list, key string, value any) []byte {
	indent, spread := d.layout(l)
	text := d.render(value, indent, spread)
	if l.object {
		text = d.render(key, "", false) + d.colon(spread) + text
	}
	last, at, comma, after := l.open, l.open+1, "", ""
	if n := len(l.items); n > 0 {
		if it := l.items[n-1]; it.comma > 0 {
			last, at, after = it.comma, it.comma+1, ","
		} else {
			last, at, comma = it.end, it.end, ","
		}
	}
	rest := d.text[at:l.close]
	kept := string(blankEnd(rest))
	before, closing := "", string(rest[len(kept):])
	switch {
	case spread || bytes.Contains([]byte(kept), []byte("//")):
		before = lineEnd(d.text) + indent
		if len(l.items) == 0 {
			closing = lineEnd(d.text) + lineIndent(d.text, l.open)
		}
	case last != l.open:
		before = d.colon(false)[1:] // whoever writes a blank after a colon writes one after a comma
	}
	return spliced(d.text, at, l.close, comma+kept+before+text+after+closing)
}

// Delete removes the value at a path, with its key and the comma that is not needed any more. It fails if the key is
// there more than once. Comments before the value stay, as they may be about more than the value.
func (d *JSON) Delete(path ...any) error {
	if len(path) == 0 {
		return inTheWay(nil)
	}
	above, deep := d.reach(path[:len(path)-1])
	if deep < len(path)-1 {
		return nil
	}
	l := d.list(above)
	i := find(l.items, path[len(path)-1])
	if i < 0 {
		return nil
	}
	it := l.items[i]
	kept := blankEnd(d.text[it.from:it.start])
	from, to := it.from+len(kept), it.end
	if it.comma > 0 {
		to = it.comma + 1
	}
	if len(l.items) == 1 && len(kept) == 0 && len(blankEnd(d.text[to:l.close])) == 0 {
		to = l.close
	}
	text := spliced(d.text, from, to, "")
	if it.comma == 0 && i > 0 {
		comma := l.items[i-1].comma
		text = spliced(text, comma, comma+1, "")
	}
	return d.become(text, withDeleted(d.said, path))
}

// layout tells how items of a list are written: with which blanks before them, and whether on lines of their own.
func (d *JSON) layout(l list) (indent string, spread bool) {
	if d.isSpread(l) {
		return lineIndent(d.text, l.items[0].start), true
	}
	return lineIndent(d.text, l.open) + d.unit(), len(l.items) == 0 && d.onLines()
}

// isSpread tells whether the items of a list have lines of their own.
func (d *JSON) isSpread(l list) bool {
	return len(l.items) > 0 && bytes.Contains(d.text[l.open:l.items[0].start], []byte("\n"))
}

// onLines tells whether the file is written over several lines. An empty one will be.
func (d *JSON) onLines() bool {
	l := d.list(&d.root)
	return len(l.items) == 0 || d.isSpread(l)
}

// unit is by how much a level is indented.
func (d *JSON) unit() string {
	l := d.list(&d.root)
	if !d.isSpread(l) {
		return "  "
	}
	return strings.TrimPrefix(lineIndent(d.text, l.items[0].start), lineIndent(d.text, l.open))
}

// colon is what stands between a key and its value.
func (d *JSON) colon(spread bool) string {
	if spread || bytes.Contains(d.text, []byte(`": `)) {
		return ": "
	}
	return ":"
}

// render writes a value, its lines after the first with this indent.
func (d *JSON) render(value any, indent string, spread bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // values are ours
	}
	text := bytes.TrimSpace(b.Bytes())
	if !spread {
		return string(text)
	}
	var lines bytes.Buffer
	if err := json.Indent(&lines, text, indent, d.unit()); err != nil {
		panic(err) // it was just written
	}
	return strings.ReplaceAll(lines.String(), "\n", lineEnd(d.text))
}

// ReadAs tells why a client that reads this syntax rejects the whole text; nil if the client reads it.
func (d *JSON) ReadAs(syntax client.Syntax) error {
	comments, trailing := false, false
	for v := range d.root.All() {
		comments = comments || bytes.ContainsRune(v.BeforeExtra, '/') || bytes.ContainsRune(v.AfterExtra, '/')
		l := d.list(v)
		if n := len(l.items); n > 0 {
			trailing = trailing || l.items[n-1].comma > 0
		}
		comments = comments || l.close > 0 && bytes.ContainsRune(d.inEnd(l), '/')
	}
	switch {
	case d.mark != "" && syntax == client.BareJSON:
		return errors.New("it has a byte order mark")
	case comments && (syntax == client.JSON || syntax == client.BareJSON):
		return errors.New("it has comments")
	case trailing && syntax != client.LooseJSON:
		return errors.New("it has a comma after the last item of a list")
	}
	return nil
}

// inEnd is what stands between the last item of a list and its end.
func (d *JSON) inEnd(l list) []byte {
	from := l.open + 1
	if n := len(l.items); n > 0 {
		from = max(l.items[n-1].end, l.items[n-1].comma)
	}
	return d.text[from:l.close]
}
