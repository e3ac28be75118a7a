package edit

import (
	"bytes"
	"errors"

	"handoff/cmd/handoff/internal/clients/client"
)

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
