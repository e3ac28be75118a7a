package edit

import (
	"bytes"
	"slices"

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
	return d.become(d.inserted(d.list(v), "", value), withAppended(d.said, path, value))
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
