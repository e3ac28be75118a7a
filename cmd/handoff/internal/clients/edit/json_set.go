package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// Set puts a value at a path of keys. If a value on the path is null, Set replaces it by an object.
func (d *JSON) Set(value any, path ...any) error {
	v, deep := d.followPath(path)
	if deep == len(path) || isNull(v) {
		_, spread := d.itemLayout(v)
		v.Value = d.renderValue(nestValue(value, path[deep:]), lineIndent(d.text, v.StartOffset), spread)
	} else if key, named := path[deep].(string); named && v.Value.Kind() == '{' {
		d.insertItem(v, key, nestValue(value, path[deep+1:]))
	} else {
		return pathBlockedError(path[:deep])
	}
	return d.commit(path, value)
}

// Append adds a value at the end of the list at a path. It creates the list if there is none.
func (d *JSON) Append(value any, path ...any) error {
	v, deep := d.followPath(path)
	if deep < len(path) || isNull(v) {
		return d.Set([]any{value}, path...)
	}
	if v.Value.Kind() != '[' {
		return pathBlockedError(path)
	}
	before, _ := d.Lookup(path...)
	list, _ := before.([]any)
	d.insertItem(v, "", value)
	return d.commit(path, append(slices.Clip(list), value))
}

func isNull(v *hujson.Value) bool { return v.Value.Kind() == 'n' }

// nestValue wraps a value in objects of one key each.
func nestValue(value any, keys []any) any {
	for _, key := range slices.Backward(keys) {
		value = client.Object{{Key: key.(string), Value: value}}
	}
	return value
}

// insertItem adds an item at the end of an object or a list. Comments after the previous last item stay before the new
// item.
func (d *JSON) insertItem(into *hujson.Value, key string, value any) {
	all, end := itemsOf(into)
	indent, spread := d.itemLayout(into)
	kept := trimBlanks(*end)
	before, closing := "", (*end)[len(kept):]
	switch {
	case spread || bytes.Contains(kept, []byte("//")):
		before = lineEnding(d.text) + indent
		if len(all) == 0 {
			closing = hujson.Extra(lineEnding(d.text) + lineIndent(d.text, into.StartOffset))
		}
	case len(all) > 0:
		before = d.colonSeparator(false)[1:] // a file with blanks after its colons gets blanks after its commas
	}
	*end = closing
	first := hujson.Value{BeforeExtra: hujson.Extra(string(kept) + before), Value: d.renderValue(value, indent, spread)}
	if hasLastComma(all) {
		first.AfterExtra = hujson.Extra{}
	}
	switch parts := into.Value.(type) {
	case *hujson.Object:
		m := hujson.ObjectMember{Name: first, Value: first}
		m.Name.Value, m.Name.AfterExtra = d.renderValue(key, "", false), nil
		m.Value.BeforeExtra = hujson.Extra(d.colonSeparator(spread)[1:])
		parts.Members = append(parts.Members, m)
	case *hujson.Array:
		parts.Elements = append(parts.Elements, first)
	}
}

// Delete removes the value at a path, with its key and one comma. It fails if the object has the key twice. Comments
// before the value stay, because they may be about the following values, too.
func (d *JSON) Delete(path ...any) error {
	if len(path) == 0 {
		return pathBlockedError(nil)
	}
	above, deep := d.followPath(path[:len(path)-1])
	if deep < len(path)-1 {
		return nil
	}
	all, end := itemsOf(above)
	i := itemIndex(all, path[len(path)-1])
	if i < 0 {
		return nil
	}
	kept := string(trimBlanks(all[i].first.BeforeExtra))
	last := i == len(all)-1
	switch {
	case !last:
		end = &all[i+1].first.BeforeExtra
	case i > 0 && hasLastComma(all):
		all[i-1].value.AfterExtra = append(hujson.Extra{}, all[i-1].value.AfterExtra...)
	case i > 0:
		kept = string(all[i-1].value.AfterExtra) + kept
		all[i-1].value.AfterExtra = nil
	}
	if *end = hujson.Extra(kept + string(*end)); len(all) == 1 && len(trimBlanks(*end)) == 0 {
		*end = nil
	}
	switch parts := above.Value.(type) {
	case *hujson.Object:
		parts.Members = slices.Delete(parts.Members, i, i+1)
	case *hujson.Array:
		parts.Elements = slices.Delete(parts.Elements, i, i+1)
	}
	return d.commit(path, nil)
}

// itemLayout returns the indentation for the items of an object or a list. Spread is true if each item stands on its
// own line.
func (d *JSON) itemLayout(v *hujson.Value) (indent string, spread bool) {
	all, _ := itemsOf(v)
	if hasItemPerLine(all) {
		return lineIndent(d.text, all[0].first.StartOffset), true
	}
	unit, multiline := d.rootLayout()
	return lineIndent(d.text, v.StartOffset) + unit, len(all) == 0 && multiline
}

// hasItemPerLine reports whether each item stands on its own line.
func hasItemPerLine(all []jsonItem) bool {
	return len(all) > 0 && bytes.Contains(all[0].first.BeforeExtra, []byte("\n"))
}

// rootLayout returns the indent of one level. Multiline is true if the text has several lines or is empty: in an empty
// file, each new value gets its own line.
func (d *JSON) rootLayout() (unit string, multiline bool) {
	all, _ := itemsOf(&d.root)
	if !hasItemPerLine(all) {
		return "  ", len(all) == 0
	}
	return strings.TrimPrefix(lineIndent(d.text, all[0].first.StartOffset), lineIndent(d.text, d.root.StartOffset)), true
}

// colonSeparator returns the text between a key and its value.
func (d *JSON) colonSeparator(spread bool) string {
	if spread || bytes.Contains(d.text, []byte(`": `)) {
		return ": "
	}
	return ":"
}

// renderValue writes a value as JSON. The second and later lines begin with indent.
func (d *JSON) renderValue(value any, indent string, spread bool) hujson.Literal {
	text, _ := schemas.Encode(value) // our values can be encoded
	if !spread {
		return hujson.Literal(text)
	}
	var lines bytes.Buffer
	unit, _ := d.rootLayout()
	_ = json.Indent(&lines, text, indent, unit) // the encoder just wrote it
	return bytes.ReplaceAll(lines.Bytes(), []byte("\n"), []byte(lineEnding(d.text)))
}

// CheckSyntax returns the reason why a client that expects this syntax rejects the whole text, or nil if the client can
// read it.
func (d *JSON) CheckSyntax(syntax client.Syntax) error {
	comments, trailing := false, false
	for v := range d.root.All() {
		all, end := itemsOf(v)
		if end == nil {
			end = new(hujson.Extra)
		}
		trailing = trailing || hasLastComma(all)
		comments = comments || bytes.ContainsRune(slices.Concat(v.BeforeExtra, v.AfterExtra, *end), '/')
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
