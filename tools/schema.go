package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"sync"

	"handoff/schemas"
)

// node is what a schema says of one value: of the arguments of a tool, of one of them, or of a value within. Its
// fields are the keywords that package schemas/generate writes, and no others.
//
// A node is read once, see define and [lazyNode], and never changes, so many calls use it at once. A keyword that is
// missing has its zero value, which means no limit or no.
type node struct {
	Ref         string   `json:"$ref"` // the file of the type of the value, which says the rest
	Type        string   `json:"type"` // object, array, string, integer, number or boolean
	Description string   `json:"description"`
	Any         bool     `json:"x-any"`      // any JSON value, whatever the type
	Hidden      bool     `json:"x-hidden"`   // accepted, but never suggested
	Filled      bool     `json:"x-filled"`   // refused: the mailbox fills it
	Optional    bool     `json:"x-optional"` // no field of the object is required
	Gist        bool     `json:"x-gist"`     // a text that stands where the object should is this field
	Clamp       bool     `json:"x-clamp"`    // a number that is too large counts as the largest one
	Form        string   `json:"x-form"`     // of an object: how it is written
	Enum        []string `json:"enum"`
	MaxLength   int      `json:"maxLength"` // characters; 0 is no limit
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`

	Items    lazyNode `json:"items"`
	MaxItems int      `json:"maxItems"` // 0 is no limit

	Properties properties `json:"properties"`
	Required   []string   `json:"required"`
	Rest       additional `json:"additionalProperties"`

	free bool // the value of a map, which is for programs
}

// readSchema reads a schema, but not yet what is within it. It panics on a text that package schemas/generate could not
// have written: a reference without a file is a fault of this program.
//
// The text is one of the files that are embedded in this program, never one of a caller.
func readSchema(b []byte) *node {
	n := new(node)
	if err := json.Unmarshal(b, n); err != nil {
		panic("tools: " + err.Error())
	}
	return n
}

// UnmarshalJSON follows a reference: what stands beside it is said of the value where it is used, and the rest of the
// type of the value.
func (n *node) UnmarshalJSON(b []byte) error {
	type plain node
	if err := json.Unmarshal(b, (*plain)(n)); err != nil || n.Ref == "" {
		return err
	}
	here := *n
	*n = *readSchema(schemas.Full(strings.TrimSuffix(here.Ref, ".json")))
	n.Description, n.Any, n.Hidden, n.Filled = here.Description, here.Any, here.Hidden, here.Filled
	n.Form = cmp.Or(here.Form, n.Form)
	if here.Optional {
		n.Required = nil
	}
	return nil
}

// lazyNode is a schema within another. It is read when it is first asked for: a call has few of the fields that it may
// have, and each field may lead to the files of many types.
type lazyNode struct{ read func() *node }

// UnmarshalJSON keeps the text of the schema.
func (l *lazyNode) UnmarshalJSON(b []byte) error {
	text := bytes.Clone(b)
	l.read = sync.OnceValue(func() *node { return readSchema(text) })
	return nil
}

// properties are the fields of an object in the order in which they are explained.
type properties struct {
	names []string
	of    map[string]lazyNode
}

// field gives the schema of a field, or nil.
func (p properties) field(name string) *node {
	if field, named := p.of[name]; named {
		return field.read()
	}
	return nil
}

// UnmarshalJSON reads an object and keeps the order of its fields, which decoding into a map would lose.
func (p *properties) UnmarshalJSON(b []byte) error {
	p.of = map[string]lazyNode{}
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var field lazyNode
		if err := d.Decode(&field); err != nil {
			return err
		}
		p.names = append(p.names, name.(string))
		p.of[name.(string)] = field
	}
	return nil
}

// additional says which other fields an object may have: none, any, or any of one kind.
type additional struct {
	open bool
	kind *node
}

// UnmarshalJSON reads true, false, or the schema of the other fields.
func (r *additional) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &r.open) == nil {
		return nil
	}
	r.kind = &node{free: true}
	return json.Unmarshal(b, r.kind)
}

// visible lists the fields that a caller may be told of.
func (n *node) visible() (names []string) {
	for _, name := range n.Properties.names {
		if p := n.Properties.field(name); !p.Hidden && !p.Filled {
			names = append(names, name)
		}
	}
	return names
}

// gist gives the name of the field that stands for the whole object: the one that is noted as such, else the only one
// that is required, if it is text. A path stands for a file, a sentence for a decision. It is "" for an object without
// such a field.
//
// The name that it gives is one of Properties.
func (n *node) gist() string {
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
