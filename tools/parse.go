package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"handoff/schemas"
)

// maxNesting bounds the nesting of objects and lists.
//
// The bound keeps a small message from using much stack and time.
const maxNesting = 32

// parseValue reads the JSON value at a path of the arguments. Numbers stay as they are written. It refuses values that
// cannot be stored unchanged, see [checkStorable]. It also refuses an object that has one field twice with two values,
// because one value would be lost.
//
// The result consists of nil, bool, json.Number, string, []any and map[string]any, and belongs to the caller.
func parseValue(raw []byte, at *argumentPath) (any, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := readValue(d, at)
	if err == nil {
		_, end := d.ReadToken()
		if !errors.Is(end, io.EOF) {
			err = errors.New("there is more behind it")
		}
	}
	if err != nil && !json.Valid(raw) {
		return nil, invalidAtf(at, "not JSON: %v", json.Unmarshal(raw, new(any)))
	}
	if err != nil {
		return nil, err
	}
	return v, checkStorable(v, at, utf8.Valid(raw))
}

// readValue reads the next value.
func readValue(d *jsontext.Decoder, at *argumentPath) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch byte(t.Kind()) {
	case '[':
		return readList(d, at)
	case '{':
		return readObject(d, at)
	case '"':
		return t.String(), nil
	case '0':
		return json.Number(t.String()), nil
	case 't', 'f':
		return t.Bool(), nil
	default: // null; readList and readObject read the closing brackets
		return nil, nil
	}
}

func readList(d *jsontext.Decoder, at *argumentPath) (any, error) {
	all := []any{}
	for d.PeekKind() != ']' {
		item, err := readValue(d, at.at(len(all)))
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	_, err := d.ReadToken()
	return all, err
}

func readObject(d *jsontext.Decoder, at *argumentPath) (any, error) {
	all := map[string]any{}
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := t.String()
		field, err := readValue(d, at.field(name))
		if err != nil {
			return nil, err
		}
		if before, twice := all[name]; twice && !reflect.DeepEqual(before, field) {
			return nil, invalidAtf(at.field(name), "comes twice, with different values").
				WithHint("Send it once, with the whole value.")
		}
		all[name] = field
	}
	_, err := d.ReadToken()
	return all, err
}

// checkStorable refuses a value that cannot be stored and shown unchanged: a text with a NUL character, a number with
// more digits than a float keeps, and objects and lists that are nested too deep. If clean is false, the bytes of the
// call were not valid UTF-8. Then it also refuses texts with the replacement character, which the parser puts in the
// place of invalid bytes.
//
// It visits the fields of an object in the order of their names, so that the same arguments give the same error each
// time.
func checkStorable(v any, at *argumentPath, clean bool) error {
	switch v := v.(type) {
	case string:
		return checkText(v, at, clean)
	case json.Number:
		return checkNumber(v, at)
	case []any:
		if at.depth() > maxNesting {
			return tooDeepError(at)
		}
		for i, item := range v {
			if err := checkStorable(item, at.at(i), clean); err != nil {
				return err
			}
		}
	case map[string]any:
		if at.depth() > maxNesting {
			return tooDeepError(at)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			within := at.field(name)
			if err := cmp.Or(checkText(name, within, clean), checkStorable(v[name], within, clean)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkText refuses a text with a NUL character, which keys of the store use as a separator. It also refuses a text
// that was not valid UTF-8.
func checkText(s string, at *argumentPath, clean bool) error {
	switch {
	case strings.ContainsRune(s, 0):
		return invalidAtf(at, "holds a NUL character").WithHint("Take it out.")
	case !clean && strings.ContainsRune(s, utf8.RuneError):
		return invalidAtf(at, "is not UTF-8").WithHint("Send text as UTF-8.")
	}
	return nil
}

// checkNumber refuses a number that would change when decoded, such as a 64-bit id.
func checkNumber(n json.Number, at *argumentPath) error {
	f, err := n.Float64()
	whole := !strings.ContainsAny(n.String(), ".eE")
	if err == nil && (!whole || strconv.FormatFloat(f, 'f', -1, 64) == n.String()) {
		return nil
	}
	return invalidAtf(at, "%s has more digits than a number keeps", shortenForError(n.String())).
		WithHint("Send it as text, in quotes.")
}

func tooDeepError(at *argumentPath) error {
	e := schemas.Errorf(schemas.Limit, "lies deeper than %d objects and lists", maxNesting)
	return e.WithField(at.String()).WithHint("Send it flatter, or as text.")
}

// argumentPath is the path to a value in the arguments. A nil path leads to the arguments themselves. A path is a
// linked list and becomes text only for an error, because decoding makes a path for every value. The methods return new
// paths and change none.
type argumentPath struct {
	parent *argumentPath
	name   string // of a field, unless it is an item
	index  int
	item   bool
}

func (p *argumentPath) field(name string) *argumentPath { return &argumentPath{parent: p, name: name} }

func (p *argumentPath) at(index int) *argumentPath {
	return &argumentPath{parent: p, index: index, item: true}
}

// String writes the path, such as context.files[0].path.
func (p *argumentPath) String() string {
	switch {
	case p == nil:
		return ""
	case p.item:
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.parent == nil:
		return shortenForError(p.name)
	}
	return p.parent.String() + "." + shortenForError(p.name)
}

// depth counts the objects and lists around the value, and the value itself.
func (p *argumentPath) depth() int {
	n := 1
	for ; p != nil; p = p.parent {
		n++
	}
	return n
}

// shortenForError makes a caller's text fit into an error: at most 64 bytes, without hidden characters.
func shortenForError(s string) string { return schemas.EscapeHidden(schemas.Clip(s, 64)) }

func quoteForError(s string) string { return `"` + shortenForError(s) + `"` }
