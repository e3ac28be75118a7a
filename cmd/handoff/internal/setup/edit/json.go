package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// JSON is a JSON file, perhaps with comments and trailing commas. Of a key that is there twice the last counts, as
// it does for clients.
type JSON struct {
	mark string
	text []byte
	root hujson.Value
}

var _ Document = (*JSON)(nil)

// OpenJSON reads a JSON text. The root must be an object.
func OpenJSON(text []byte) (*JSON, error) {
	text, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	d := &JSON{}
	if marked {
		d.mark = byteOrderMark
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if err := d.read(text); err != nil {
		return nil, err
	}
	if d.root.Value.Kind() != '{' {
		return nil, fmt.Errorf("it holds no object but %c", d.root.Value.Kind())
	}
	return d, nil
}

// Bytes gives the text.
func (d *JSON) Bytes() []byte { return append([]byte(d.mark), d.text...) }

// read takes a text in the place of the one there was, if it is one.
func (d *JSON) read(text []byte) error {
	root, err := hujson.Parse(text)
	if err != nil {
		var again error // it wants an end of line after a comment, even the last one
		if root, again = hujson.Parse(append(slices.Clip(text), '\n')); again != nil {
			return err
		}
	}
	d.text, d.root = text, root
	return nil
}

// Look gives the value at a path of keys and indices.
func (d *JSON) Look(path ...any) (any, bool) {
	v, deep := d.reach(path)
	if deep < len(path) {
		return nil, false
	}
	strict := v.Clone()
	strict.Standardize()
	var value any
	if err := json.Unmarshal(strict.Pack(), &value); err != nil {
		return nil, false
	}
	return value, true
}

// reach goes down a path as far as there is something, and tells how many steps that were.
func (d *JSON) reach(path []any) (v *hujson.Value, deep int) {
	v = &d.root
	for deep < len(path) {
		items := d.list(v).items
		i := find(items, path[deep])
		if i < 0 {
			break
		}
		v = items[i].value
		deep++
	}
	return v, deep
}

// An item is a member of an object or an element of an array.
type item struct {
	key        string // of an object
	value      *hujson.Value
	from       int // where what stands before it begins: after the bracket or the comma
	start, end int // of the key and its value
	comma      int // that follows; 0 if none does
}

// A list is an object or array by the places of its parts.
type list struct {
	open, close int // of its brackets
	object      bool
	items       []item
}

// list gives the parts of a value; it has no brackets if the value is neither object nor array.
func (d *JSON) list(v *hujson.Value) list {
	l := list{open: v.StartOffset, close: v.EndOffset - 1}
	at := l.open + 1
	add := func(key string, start int, v *hujson.Value) {
		it := item{key: key, value: v, from: at, start: start, end: v.EndOffset}
		if next := v.EndOffset + len(v.AfterExtra); next < len(d.text) && d.text[next] == ',' {
			it.comma = next
			at = next + 1
		}
		l.items = append(l.items, it)
	}
	switch parts := v.Value.(type) {
	case *hujson.Object:
		l.object = true
		for i := range parts.Members {
			m := &parts.Members[i]
			add(m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, &m.Value)
		}
	case *hujson.Array:
		for i := range parts.Elements {
			add("", parts.Elements[i].StartOffset, &parts.Elements[i])
		}
	default:
		return list{}
	}
	return l
}

// find gives the index of the item that a step leads to; -1 if there is none.
func find(items []item, step any) int {
	if n, ok := step.(int); ok {
		if n < len(items) {
			return n
		}
		return -1
	}
	for i, it := range slices.Backward(items) {
		if it.key == step {
			return i
		}
	}
	return -1
}
