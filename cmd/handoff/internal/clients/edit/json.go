package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// JSON is a JSON file, perhaps with comments and trailing commas. If a key is there twice, the last one counts, as
// it does for clients.
type JSON struct {
	parsed
	root hujson.Value // where everything stands
}

var _ Document = (*JSON)(nil)

// openJSON reads a JSON text. The root must be an object.
func openJSON(mark string, text []byte) (*JSON, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		var again error // it wants an end of line after the last comment, too
		if root, again = hujson.Parse(append(slices.Clip(text), '\n')); again != nil {
			return nil, err
		}
	}
	if root.Value.Kind() != '{' {
		return nil, fmt.Errorf("it holds no object but %c", root.Value.Kind())
	}
	d := &JSON{parsed{mark: mark, text: text}, root}
	strict := root.Clone()
	strict.Standardize()
	decoder := json.NewDecoder(bytes.NewReader(strict.Pack()))
	decoder.UseNumber() // some are greater than Go has them
	return d, decoder.Decode(&d.said)
}

// become replaces the text of the document, if the new text says what is meant.
func (d *JSON) become(text []byte, meant meaning) error {
	next, err := openJSON(d.mark, text)
	if err != nil {
		return err
	}
	if !meant(next.said) {
		return errOtherwise
	}
	*d = *next
	return nil
}

// reach follows a path as far as there is something, and tells how many steps that was.
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

// A list is an object or an array, with the offsets of its parts.
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
