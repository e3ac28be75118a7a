package tools

import (
	"bytes"
	"encoding/json"
	"strings"

	"handoff/schemas"
)

// decode brings arguments into canonical form and takes the agent out of them, "" if they name none.
func (t Tool) decode(args json.RawMessage) (agent string, canonical json.RawMessage, err error) {
	m, err := arguments(t.schema(), args)
	if err == nil {
		m, err = schemas.Respell(t.Name, m)
	}
	if err == nil {
		agent, err = lift(m, "agent")
	}
	if err == nil {
		err = t.schema().fields(m, nil)
	}
	if err != nil {
		return "", nil, t.refuse(err)
	}
	canonical, err = encode(m)
	return agent, canonical, err
}

// arguments parses an object, with the objects and lists in it that were sent as text. Absent is empty.
func arguments(n *node, args json.RawMessage) (map[string]any, error) {
	if args = bytes.TrimSpace(args); len(args) == 0 {
		return map[string]any{}, nil
	}
	v, err := parse(args, nil)
	if err == nil {
		v, err = n.unfold(v, nil)
	}
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		return nil, refusedf(nil, "the arguments are %s, not an object", kindOf(v)).WithHint(`Send {"name": value}.`)
	}
	if m == nil {
		return map[string]any{}, nil
	}
	return m, nil
}

// unfold parses the objects and lists that were sent as text, wherever the schema knows of them, so that
// [schemas.Respell] sees into them.
func (n *node) unfold(v any, at *place) (any, error) {
	v, err := unwrap(v, at, n.opens())
	if err != nil {
		return nil, err
	}
	switch inner := v.(type) {
	case map[string]any:
		for _, name := range n.Properties.names {
			if inner[name] == nil {
				continue
			}
			if inner[name], err = n.Properties.of[name].unfold(inner[name], at.field(name)); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range inner {
			if n.Items == nil {
				break
			}
			if inner[i], err = n.Items.unfold(inner[i], at.at(i)); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// lift takes a text out of the arguments.
func lift(m map[string]any, name string) (string, error) {
	v := m[name]
	delete(m, name)
	text, ok := v.(string)
	if v != nil && !ok {
		return "", refusedf((*place)(nil).field(name), "must be text, not %s", kindOf(v))
	}
	return strings.TrimSpace(text), nil
}

// unwrap parses a text that begins with one of the opening brackets and is JSON. Other values stay.
func unwrap(v any, at *place, opens string) (any, error) {
	text, ok := v.(string)
	if !ok {
		return v, nil
	}
	text = strings.TrimSpace(text)
	if text == "" || !strings.Contains(opens, text[:1]) || !json.Valid([]byte(text)) {
		return v, nil
	}
	return parse([]byte(text), at)
}

// opens gives the brackets with which a value in its place may begin when it was sent as text.
func (n *node) opens() string {
	switch {
	case n.Any:
		return "{["
	case n.Type == "object":
		return "{"
	case n.Type == "array" && n.Items.Type == "object":
		return "{["
	case n.Type == "array":
		return "["
	}
	return ""
}

// encode writes compact JSON as it is, without the escapes that would make it safe within HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
