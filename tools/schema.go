package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"sync"

	"handoff/schemas"
)

// schemaNode is the schema of one value: of all arguments of a tool, of one argument, or of a value inside an argument.
// Its fields are the keywords that package schemas/generate writes, and no others.
//
// A node is read once, see defineTool and [lazyNode], and never changes, so many calls use it at once. The field of a
// missing keyword has its zero value, which means no limit, or false.
type schemaNode struct {
	Ref         string   `json:"$ref"` // the file of the value's type, which has the rest
	Type        string   `json:"type"` // object, array, string, integer, number or boolean
	Description string   `json:"description"`
	Any         bool     `json:"x-any"`      // any JSON value of any type
	Hidden      bool     `json:"x-hidden"`   // accepted, but never suggested
	Filled      bool     `json:"x-filled"`   // refused: the mailbox fills it
	Optional    bool     `json:"x-optional"` // no field of the object is required
	Gist        bool     `json:"x-gist"`     // a text in place of the object is this field
	Clamp       bool     `json:"x-clamp"`    // a number that is too large counts as the largest one
	Form        string   `json:"x-form"`     // of an object: its written form
	Enum        []string `json:"enum"`
	MaxLength   int      `json:"maxLength"` // characters; 0 is no limit
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`

	Items    lazyNode `json:"items"`
	MaxItems int      `json:"maxItems"` // 0 is no limit

	Properties propertySchemas  `json:"properties"`
	Required   []string         `json:"required"`
	Rest       additionalFields `json:"additionalProperties"`

	free bool // the value of a map for programs
}

// readSchema reads a schema, but not yet the schemas within it. It panics on a text that package schemas/generate
// could not have written: a reference without a file is a fault of this program.
//
// The text is one of the files that are embedded in this program, and never comes from a caller.
func readSchema(b []byte) *schemaNode {
	n := new(schemaNode)
	if err := json.Unmarshal(b, n); err != nil {
		panic("tools: " + err.Error())
	}
	return n
}

// UnmarshalJSON follows a reference to the schema of a type. Keywords that stand next to the reference apply to the
// value at this place; all other keywords come from the schema of the type.
func (n *schemaNode) UnmarshalJSON(b []byte) error {
	type plain schemaNode
	if err := json.Unmarshal(b, (*plain)(n)); err != nil || n.Ref == "" {
		return err
	}
	here := *n
	*n = *readSchema(schemas.FullSchema(strings.TrimSuffix(here.Ref, ".json")))
	n.Description, n.Any, n.Hidden, n.Filled = here.Description, here.Any, here.Hidden, here.Filled
	n.Form = cmp.Or(here.Form, n.Form)
	if here.Optional {
		n.Required = nil
	}
	return nil
}

// lazyNode is a schema within another. It is read at its first use: a call has few of its possible fields, and each
// field may lead to the files of many types.
type lazyNode struct{ read func() *schemaNode }

// UnmarshalJSON keeps the text of the schema.
func (l *lazyNode) UnmarshalJSON(b []byte) error {
	text := bytes.Clone(b)
	l.read = sync.OnceValue(func() *schemaNode { return readSchema(text) })
	return nil
}

// propertySchemas holds the schemas of the fields of an object, in the order of the text of its schema.
type propertySchemas struct {
	names []string
	of    map[string]lazyNode
}

// field returns the schema of a field, or nil.
func (p propertySchemas) field(name string) *schemaNode {
	if field, named := p.of[name]; named {
		return field.read()
	}
	return nil
}

// UnmarshalJSON reads an object and keeps the order of its fields, which decoding into a map would lose.
func (p *propertySchemas) UnmarshalJSON(b []byte) error {
	p.of = map[string]lazyNode{}
	d := json.NewDecoder(bytes.NewReader(b))
	_, _ = d.Token() // the brace: b is a JSON object
	for d.More() {
		name, _ := d.Token()
		var field lazyNode
		if err := d.Decode(&field); err != nil {
			return err
		}
		p.names = append(p.names, name.(string))
		p.of[name.(string)] = field
	}
	return nil
}

// additionalFields tells which other fields an object may have: none, any, or any of one kind.
type additionalFields struct {
	open bool
	kind *schemaNode
}

// UnmarshalJSON reads true, false, or the schema of the other fields.
func (r *additionalFields) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &r.open) == nil {
		return nil
	}
	r.kind = &schemaNode{free: true}
	return json.Unmarshal(b, r.kind)
}

// suggestedFields lists the fields that refusals may name.
func (n *schemaNode) suggestedFields() (names []string) {
	for _, name := range n.Properties.names {
		if p := n.Properties.field(name); !p.Hidden && !p.Filled {
			names = append(names, name)
		}
	}
	return names
}

// mainField returns the field that may stand for the whole object: the field with the note x-gist, else the only
// required one, if it is text. A path stands for a file, a sentence for a decision. It is "" for an object without a
// main field.
//
// The result is one of Properties.
func (n *schemaNode) mainField() string {
	for _, name := range n.Properties.names {
		if n.Properties.field(name).Gist {
			return name
		}
	}
	if len(n.Required) == 1 && n.Properties.field(n.Required[0]).Type == "string" {
		return n.Required[0]
	}
	return ""
}
