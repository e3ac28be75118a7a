package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// JSON is a JSON file, with or without comments and trailing commas. If an object has a key twice, the last value
// counts, as in the clients.
type JSON struct {
	parsedText
	root hujson.Value // keeps the position of every part
}

var _ Document = (*JSON)(nil)

// openJSON reads a JSON text. The root must be an object.
func openJSON(mark string, text []byte) (*JSON, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		var again error // hujson wants an end of line after the last comment, too
		if root, again = hujson.Parse(append(slices.Clip(text), '\n')); again != nil {
			return nil, err
		}
		root.AfterExtra = bytes.TrimSuffix(root.AfterExtra, []byte("\n"))
	}
	if root.Value.Kind() != '{' {
		return nil, fmt.Errorf("it holds no object but %c", root.Value.Kind())
	}
	d := &JSON{parsedText{mark: mark, text: text}, root}
	strict := root.Clone()
	strict.Standardize()
	decoder := json.NewDecoder(bytes.NewReader(strict.Pack()))
	decoder.UseNumber() // some numbers do not fit into Go's types
	return d, decoder.Decode(&d.values)
}

// commit replaces the text of the document by the text of the changed root. If the new text does not have the value at
// the path, as [isIntended] says, commit returns an error and restores the root.
func (d *JSON) commit(path []any, value any) error {
	next, err := openJSON(d.mark, d.root.Pack())
	if err == nil && !isIntended(d.values, next.values, path, value) {
		err = errOtherwise
	}
	if err != nil {
		next, _ = openJSON(d.mark, d.text) // it was parsed before
	}
	*d = *next
	return err
}

// followPath follows a path until a value is missing. It returns the last value that exists, and the number of steps
// that led to it.
func (d *JSON) followPath(path []any) (v *hujson.Value, deep int) {
	v = &d.root
	for deep < len(path) {
		all, _ := itemsOf(v)
		i := itemIndex(all, path[deep])
		if i < 0 {
			break
		}
		v = all[i].value
		deep++
	}
	return v, deep
}

// A jsonItem is a member of an object or an element of a list. First is the member's key, or the element itself. In the
// last item, value.AfterExtra is nil if no comma follows.
type jsonItem struct{ first, value *hujson.Value }

// itemsOf returns the items of an object or a list, and the text after the last item. It returns nil for any other
// value.
func itemsOf(v *hujson.Value) (all []jsonItem, end *hujson.Extra) {
	switch parts := v.Value.(type) {
	case *hujson.Object:
		for i := range parts.Members {
			m := &parts.Members[i]
			all = append(all, jsonItem{&m.Name, &m.Value})
		}
		return all, &parts.AfterExtra
	case *hujson.Array:
		for i := range parts.Elements {
			e := &parts.Elements[i]
			all = append(all, jsonItem{e, e})
		}
		return all, &parts.AfterExtra
	}
	return nil, nil
}

// hasLastComma reports whether a comma follows the last item.
func hasLastComma(all []jsonItem) bool {
	return len(all) > 0 && all[len(all)-1].value.AfterExtra != nil
}

// itemIndex returns the index of the item that a step of a path (a key or an index) leads to, or -1 if there is no such
// item.
func itemIndex(all []jsonItem, step any) int {
	for i, it := range slices.Backward(all) {
		if step == i || it.first != it.value && step == it.first.Value.(hujson.Literal).String() {
			return i
		}
	}
	return -1
}
