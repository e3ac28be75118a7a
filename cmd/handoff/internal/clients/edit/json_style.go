package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

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
