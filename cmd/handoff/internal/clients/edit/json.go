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
		root.AfterExtra = bytes.TrimSuffix(root.AfterExtra, []byte("\n"))
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

// become makes the text of the document what its root is by now, if the new text says what is meant. If it does not,
// the root becomes what it was.
func (d *JSON) become(meant meaning) error {
	next, err := openJSON(d.mark, d.root.Pack())
	if err == nil && !meant(next.said) {
		err = errOtherwise
	}
	if err != nil {
		next, _ = openJSON(d.mark, d.text) // it was parsed before
	}
	*d = *next
	return err
}

// reach follows a path as far as there is something, and tells how many steps that was.
func (d *JSON) reach(path []any) (v *hujson.Value, deep int) {
	v = &d.root
	for deep < len(path) {
		all, _ := items(v)
		i := find(all, path[deep])
		if i < 0 {
			break
		}
		v = all[i].value
		deep++
	}
	return v, deep
}

// An item is a member of an object or an element of an array. First is its key, or the value itself. A comma follows
// the last one if its value has any AfterExtra, also an empty one.
type item struct{ first, value *hujson.Value }

// items gives the parts of an object or an array, and what stands between them and the end; nil for any other value.
func items(v *hujson.Value) (all []item, end *hujson.Extra) {
	switch parts := v.Value.(type) {
	case *hujson.Object:
		for i := range parts.Members {
			m := &parts.Members[i]
			all = append(all, item{&m.Name, &m.Value})
		}
		return all, &parts.AfterExtra
	case *hujson.Array:
		for i := range parts.Elements {
			e := &parts.Elements[i]
			all = append(all, item{e, e})
		}
		return all, &parts.AfterExtra
	}
	return nil, nil
}

// hasLastComma tells whether a comma follows the last item.
func hasLastComma(all []item) bool { return len(all) > 0 && all[len(all)-1].value.AfterExtra != nil }

// find gives the index of the item that a step leads to; -1 if there is none.
func find(all []item, step any) int {
	for i, it := range slices.Backward(all) {
		if step == i || it.first != it.value && step == it.first.Value.(hujson.Literal).String() {
			return i
		}
	}
	return -1
}
