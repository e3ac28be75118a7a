package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// render writes a schema as JSON, the type first. A value longer than width stands on several lines; with
// width 0 everything stands on one, and there is no newline at the end.
func render(s *jsonschema.Schema, width int) ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	v, err := read(b)
	if err != nil {
		return nil, err
	}
	if width == 0 {
		return []byte(v.compact()), nil
	}
	return []byte(v.pretty("", width) + "\n"), nil
}

// value is JSON whose members keep their order.
type value struct {
	leaf    string // neither object nor list
	opens   byte
	members []member
}

type member struct {
	name string // quoted, "" within a list
	value
}

func read(b []byte) (value, error) {
	if b[0] != '{' && b[0] != '[' {
		return value{leaf: plainText(b)}, nil
	}
	v := value{opens: b[0]}
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return v, err
	}
	for d.More() {
		var m member
		if v.opens == '{' {
			name, err := d.Token()
			if err != nil {
				return v, err
			}
			m.name = `"` + name.(string) + `"`
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return v, err
		}
		var err error
		if m.value, err = read(raw); err != nil {
			return v, err
		}
		v.members = append(v.members, m)
	}
	v.lead(`"type"`, `"description"`)
	return v, nil
}

// plainText undoes the escapes that keep JSON safe within HTML: here people read it.
func plainText(b []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
}

// lead brings the type and the description of a schema to its front. An object of properties may have
// fields of these names, which are objects and stay where they are.
func (v value) lead(names ...string) {
	rank := func(m member) int {
		if i := slices.Index(names, m.name); i >= 0 && m.leaf != "" {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(v.members, func(a, b member) int { return rank(a) - rank(b) })
}

func (v value) compact() string {
	if v.opens == 0 {
		return v.leaf
	}
	return v.join(func(m member) string { return m.key(":") + m.compact() }, "", ",", "")
}

func (v value) pretty(indent string, width int) string {
	line := v.flat()
	if v.opens == 0 || len(indent)+len(line) <= width {
		return line
	}
	inner := indent + "  "
	each := func(m member) string { return m.key(": ") + m.pretty(inner, width) }
	return v.join(each, "\n"+inner, ",\n"+inner, "\n"+indent)
}

func (v value) flat() string {
	if v.opens == 0 {
		return v.leaf
	}
	return v.join(func(m member) string { return m.key(": ") + m.flat() }, "", ", ", "")
}

func (v value) join(each func(member) string, first, between, last string) string {
	parts := make([]string, len(v.members))
	for i, m := range v.members {
		parts[i] = each(m)
	}
	return string(v.opens) + first + strings.Join(parts, between) + last + string(v.opens+2)
}

func (m member) key(colon string) string {
	if m.name == "" {
		return ""
	}
	return m.name + colon
}
