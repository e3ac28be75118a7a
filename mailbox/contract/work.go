package contract

import (
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/schemas"
)

// maxWork bounds one check. A unit is about a microsecond: one schema seen at one value, one member passed over, or a
// few hundred characters and instructions of a pattern. So no output keeps a caller longer than a fifth of a second,
// and no schema of a stranger stops the server.
const maxWork = 200_000

// maxChain ends schemas that lead to each other at the same value, long before [maxWork] does.
const maxChain = 200 // schemas that apply to the same value through one another

// affordable reports, before any of it is done, whether checking v takes too long. Two references to a definition that
// has two references, and so on, make a small schema that would never end. The library has no limit of its own, and a
// check that has begun cannot be stopped.
func affordable(root *jsonschema.Schema, v any) error {
	m := meter{left: maxWork}
	if m.visit(root, v, 0); m.left >= 0 {
		return nil
	}
	return schemas.Invalidf(schemaField, "checking this output against it would take too long").
		WithHint("Leave out what refers to itself or branches; the sender can amend the schema.")
}

// A meter follows the way that validation will take, and counts. It stops as soon as nothing is left, so counting
// itself costs no more than a check that is allowed. Less than zero means that the check is too dear.
type meter struct{ left int }

// visit counts a schema at a value: itself, those that apply to the same value through it, and those of the members.
// Chain is how many schemas led to this one at the same value.
func (m *meter) visit(s *jsonschema.Schema, v any, chain int) {
	if s == nil || m.left < 0 {
		return
	}
	if chain > maxChain {
		m.left = -1
		return
	}
	m.left--
	if s.Enum != nil {
		m.left -= len(s.Enum.Values)
	}
	for _, t := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		m.visit(t, v, chain+1)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, t := range list {
			m.visit(t, v, chain+1)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		m.object(s, v, chain)
	case []any:
		m.array(s, v)
	case string:
		m.match(s.Pattern, v)
	}
}

// object counts the members of an object and the schemas that each may have to meet. Members come in any order; whether
// all of them can be afforded does not depend on it.
func (m *meter) object(s *jsonschema.Schema, obj map[string]any, chain int) {
	m.left -= len(obj) + len(s.Required)
	for name, t := range s.DependentSchemas {
		if _, ok := obj[name]; ok {
			m.visit(t, obj, chain+1)
		}
	}
	for name, dep := range s.Dependencies {
		t, _ := dep.(*jsonschema.Schema)
		if _, ok := obj[name]; ok {
			m.visit(t, obj, chain+1)
		}
	}
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, v := range obj {
		t, named := s.Properties[name]
		m.visit(t, v, 0)
		for re, t := range s.PatternProperties {
			if m.match(re, name) {
				named = true
				m.visit(t, v, 0)
			}
		}
		if !named {
			m.visit(additional, v, 0)
		}
		m.visit(s.PropertyNames, name, 0)
		m.visit(s.UnevaluatedProperties, v, 0)
	}
}

// array counts the items of an array, by the words of 2020-12 and of the drafts before.
func (m *meter) array(s *jsonschema.Schema, list []any) {
	m.left -= len(list)
	first, rest := s.PrefixItems, s.Items2020
	switch items := s.Items.(type) { // before 2020-12
	case *jsonschema.Schema:
		rest = items
	case []*jsonschema.Schema:
		first = items
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
	}
	for i, v := range list {
		if i < len(first) {
			m.visit(first[i], v, 0)
		} else {
			m.visit(rest, v, 0)
		}
		m.visit(s.Contains, v, 0)
		m.visit(s.UnevaluatedItems, v, 0)
	}
}

// match counts a pattern and, while that can be afforded, tells whether it matches.
func (m *meter) match(re jsonschema.Regexp, text string) bool {
	p, ok := re.(pattern)
	if !ok {
		return false
	}
	m.left -= len(text) * p.size / 256
	return m.left >= 0 && p.MatchString(text)
}

// A pattern is a regular expression and the number of its instructions. Matching takes time in proportion
// to both that and the text, never more.
type pattern struct {
	*regexp.Regexp
	size int
}

// compilePattern compiles a regular expression of a schema with Go's engine, whose time is bounded, and counts its
// instructions. What Go's syntax does not have, such as looking ahead, is an error of the schema. The expression is
// parsed twice, because package regexp tells nobody how long its program is.
func compilePattern(expr string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	parsed, _ := syntax.Parse(expr, syntax.Perl) // regexp.Compile did both
	prog, _ := syntax.Compile(parsed.Simplify())
	return pattern{re, len(prog.Inst)}, nil
}
