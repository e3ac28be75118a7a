package main

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"handoff/schemas"

	"github.com/invopop/jsonschema"
)

// render writes a schema as JSON, the type first. A value longer than width is broken into several lines. With width
// 0 the schema is one line without a newline at the end.
func render(s *jsonschema.Schema, width int) ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if width > 0 {
		return []byte(layOut(raw, "", width) + "\n"), nil
	}
	var b bytes.Buffer
	err = json.Compact(&b, []byte(layOut(raw, "", math.MaxInt)))
	return b.Bytes(), err
}

// layOut writes JSON on one line if the line and its indent fit into width.
func layOut(raw json.RawMessage, indent string, width int) string {
	if raw[0] != '{' && raw[0] != '[' {
		return plainText.Replace(string(raw))
	}
	opens, closes, all := string(raw[0]), string(raw[0]+2), members(raw)
	parts := func(indent string, width int) []string {
		return schemas.Map(all, func(m member) string { return m.name + layOut(m.value, indent, width) })
	}
	line := opens + strings.Join(parts("", math.MaxInt), ", ") + closes
	if len(indent)+len(line) <= width {
		return line
	}
	inner := "\n" + indent + "  "
	return opens + inner + strings.Join(parts(inner[1:], width), ","+inner) + "\n" + indent + closes
}

// plainText undoes the escapes that keep JSON safe within HTML, because people read these files.
var plainText = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

type member struct {
	name  string // with the colon behind it, empty within a list
	value json.RawMessage
}

// members reads an object or a list. The JSON was encoded just before, so it cannot be invalid. members moves the
// type and the description of a schema to its front. An object of properties may have fields of these names; they are
// objects and stay in their places.
func members(raw json.RawMessage) (all []member) {
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token()
	for d.More() {
		var m member
		if raw[0] == '{' {
			name, _ := d.Token()
			m.name = `"` + name.(string) + `": `
		}
		_ = d.Decode(&m.value)
		all = append(all, m)
	}
	first := []string{`"description": `, `"type": `}
	rank := func(m member) int {
		if m.value[0] == '{' || m.value[0] == '[' {
			return -1
		}
		return slices.Index(first, m.name)
	}
	slices.SortStableFunc(all, func(a, b member) int { return rank(b) - rank(a) })
	return all
}
