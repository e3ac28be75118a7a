package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"handoff/schemas"
	"handoff/schemas/respell"
)

// decode brings arguments into canonical form, see [Tool.CanonicalArgs], and takes the agent out of them. The agent is
// "" if the arguments name none. The caller's arguments are not changed.
//
// The result told says which fields were read as fields of another name. It is "" if there are none.
//
// The steps are: parse JSON, give fields of other protocols our names, check the texts, take the agent out, and coerce
// by the schema. If the arguments can be parsed, the error names all faults of all steps, and the other results are as
// far as they could be read. It is of code invalid or limit.
func (t Tool) decode(args json.RawMessage) (agent string, m map[string]any, told string, err error) {
	written, err := parseArguments(args)
	if err == nil {
		var misspelt, noName error
		told = respell.ReadAs(t.Name, written)
		m, misspelt = respell.Normalise(t.Name, written)
		agent, noName = takeText(m, "agent")
		// JSON within text was not inspected before.
		err = cmp.Or(checkStorable(m, nil, true), errors.Join(misspelt, noName, t.schema().coerceFields(m, nil)))
	}
	if err != nil {
		err = t.completeRefusal(err, written)
	}
	return agent, m, told, err
}

// decoded holds the results of [Tool.decode] for the arguments of a call.
type decoded struct {
	agent   string
	args    map[string]any
	told    string
	err     error
	changed bool // LocalInvoker changes the arguments, so a repeat of the call decodes them again
}

// WithDecodedArgs returns the call with its arguments decoded, so that the next invokers of this process need not decode
// them again. They must not change Args.
func (c Call) WithDecodedArgs() Call {
	if tool, err := FindTool(c.Tool); err == nil {
		c.decoded = c.decode(tool)
	}
	return c
}

func (c Call) decode(t Tool) *decoded {
	d := c.decoded
	if d == nil || d.changed {
		d = &decoded{}
		d.agent, d.args, d.told, d.err = t.decode(c.Args)
	}
	return d
}

func (d *decoded) canonical() (json.RawMessage, error) {
	if d.err != nil {
		return nil, d.err
	}
	return schemas.Encode(d.args)
}

// parseArguments parses an object, which may have been sent as text. Absent arguments and JSON null give an empty
// object. For any other value, the error names the kind of the value.
func parseArguments(args json.RawMessage) (map[string]any, error) {
	if args = bytes.TrimSpace(args); len(args) == 0 {
		return map[string]any{}, nil
	}
	v, err := parseValue(args, nil)
	if text, ok := v.(string); ok && json.Valid([]byte(text)) {
		v, err = parseValue([]byte(text), nil)
	}
	if err != nil {
		return nil, err
	}
	switch m := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return m, nil
	}
	return nil, invalidAtf(nil, "the arguments are %s, not an object", valueInWords(v)).
		WithHint("Send an object: a name and a value for each argument.")
}

// takeText removes a text from the arguments and returns it without blanks around it. It returns "" if the field is
// null or absent.
func takeText(m map[string]any, name string) (string, error) {
	v := m[name]
	delete(m, name)
	text, ok := v.(string)
	if v != nil && !ok {
		return "", invalidAtf((*argumentPath)(nil).field(name), "must be text, not %s", valueInWords(v))
	}
	return strings.TrimSpace(text), nil
}
