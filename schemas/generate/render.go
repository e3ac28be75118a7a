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

// renderSchema writes a schema as JSON, with the type first. A value that does not fit into width columns is broken
// into several lines. If width is 0, the whole schema is one line without a newline at the end.
func renderSchema(s *jsonschema.Schema, width int) ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if width > 0 {
		return []byte(layOutJSON(raw, "", width) + "\n"), nil
	}
	var b bytes.Buffer
	err = json.Compact(&b, []byte(layOutJSON(raw, "", math.MaxInt)))
	return b.Bytes(), err
}

// layOutJSON writes a JSON value on one line if the line and its indent fit into width columns, else on several lines.
func layOutJSON(raw json.RawMessage, indent string, width int) string {
	if raw[0] != '{' && raw[0] != '[' {
		return unescapeHTML.Replace(string(raw))
	}
	opens, closes, all := string(raw[0]), string(raw[0]+2), orderedMembers(raw)
	parts := func(indent string, width int) []string {
		return schemas.Map(all, func(m member) string { return m.name + layOutJSON(m.value, indent, width) })
	}
	line := opens + strings.Join(parts("", math.MaxInt), ", ") + closes
	if len(indent)+len(line) <= width {
		return line
	}
	inner := "\n" + indent + "  "
	return opens + inner + strings.Join(parts(inner[1:], width), ","+inner) + "\n" + indent + closes
}

// unescapeHTML replaces the escapes that make JSON safe inside HTML by the characters themselves, because people read
// these files.
var unescapeHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

type member struct {
	name  string // with the colon behind it, empty within a list
	value json.RawMessage
}

// orderedMembers returns the members of a JSON object, or the items of a list. The JSON comes from the encoder, so it
// is always valid. In a schema, type and description come first. A property that is named type or description keeps its
// place.
func orderedMembers(raw json.RawMessage) (all []member) {
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
