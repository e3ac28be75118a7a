package contract

import (
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/schemas"
)

// maxCheckCost is the largest cost of one check. A unit of cost takes about a microsecond: to apply one schema to one
// value, to skip one member, or to match a pattern for a few hundred steps. So no output delays a caller for more than
// a fifth of a second.
const maxCheckCost = 200_000

// maxReferenceChain is the longest chain of references from one schema to the next that a check follows for one value.
// So the check refuses schemas that refer to each other in a circle long before [maxCheckCost] is reached.
const maxReferenceChain = 200 // schemas that apply to the same value through one another

// checkCost returns an error if a check of v would take too long. It computes the cost before the check begins, because
// the library has no limit and a running check cannot be stopped. Even a small schema can be slow: if each definition
// refers to the next definition twice, the cost doubles with each definition.
func checkCost(root *jsonschema.Schema, v any) error {
	m := costMeter{budget: maxCheckCost}
	if m.countSchema(root, v, 0); m.budget >= 0 {
		return nil
	}
	return schemas.Invalidf(schemaField, "checking this output against it would take too long").
		WithHint("Leave out definitions that refer to themselves or branch; the sender can amend the schema.")
}

// A costMeter counts the steps of a check without doing the check. The field budget is the number of steps left. The
// meter stops when budget is below zero: then the check is too expensive. So counting never takes longer than an
// allowed check.
type costMeter struct{ budget int }

// countSchema counts the steps of checking the value v with a schema, with its references and choices, and with the
// schemas of v's members. The argument chain counts the references that led from one schema for v to the next.
func (m *costMeter) countSchema(s *jsonschema.Schema, v any, chain int) {
	if s == nil || m.budget < 0 {
		return
	}
	if chain > maxReferenceChain {
		m.budget = -1
		return
	}
	m.budget--
	if s.Enum != nil {
		m.budget -= len(s.Enum.Values)
	}
	for _, t := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		m.countSchema(t, v, chain+1)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, t := range list {
			m.countSchema(t, v, chain+1)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		m.countObject(s, v, chain)
	case []any:
		m.countArray(s, v)
	case string:
		m.matchPattern(s.Pattern, v)
	}
}

// countObject counts the members of an object and the schemas that apply to each member. Go yields the members in
// random order, but the order does not decide whether the cost is too high.
func (m *costMeter) countObject(s *jsonschema.Schema, obj map[string]any, chain int) {
	m.budget -= len(obj) + len(s.Required)
	for name, t := range s.DependentSchemas {
		if _, ok := obj[name]; ok {
			m.countSchema(t, obj, chain+1)
		}
	}
	for name, dep := range s.Dependencies {
		t, _ := dep.(*jsonschema.Schema)
		if _, ok := obj[name]; ok {
			m.countSchema(t, obj, chain+1)
		}
	}
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, v := range obj {
		t, named := s.Properties[name]
		m.countSchema(t, v, 0)
		for re, t := range s.PatternProperties {
			if m.matchPattern(re, name) {
				named = true
				m.countSchema(t, v, 0)
			}
		}
		if !named {
			m.countSchema(additional, v, 0)
		}
		m.countSchema(s.PropertyNames, name, 0)
		m.countSchema(s.UnevaluatedProperties, v, 0)
	}
}

// countArray counts the schemas that apply to the items of an array. The keywords differ between JSON Schema 2020-12
// and earlier versions.
func (m *costMeter) countArray(s *jsonschema.Schema, list []any) {
	m.budget -= len(list)
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
			m.countSchema(first[i], v, 0)
		} else {
			m.countSchema(rest, v, 0)
		}
		m.countSchema(s.Contains, v, 0)
		m.countSchema(s.UnevaluatedItems, v, 0)
	}
}

// matchPattern counts the cost of a pattern. It reports whether the pattern matches, or false if the budget is used up.
func (m *costMeter) matchPattern(re jsonschema.Regexp, text string) bool {
	p, ok := re.(sizedPattern)
	if !ok {
		return false
	}
	m.budget -= len(text) * p.size / 256
	return m.budget >= 0 && p.MatchString(text)
}

// A sizedPattern is a regular expression with the number of its instructions. The time of a match is at most
// proportional to that number and to the length of the text.
type sizedPattern struct {
	*regexp.Regexp
	size int
}

// compilePattern compiles a regular expression of a schema with Go's engine, whose time is limited, and counts the
// instructions. Syntax that Go does not have, such as lookahead, is an error in the schema. It parses the expression
// twice, because package regexp does not export the number of instructions.
func compilePattern(expr string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	parsed, _ := syntax.Parse(expr, syntax.Perl) // regexp.Compile did both without an error
	prog, _ := syntax.Compile(parsed.Simplify())
	return sizedPattern{re, len(prog.Inst)}, nil
}
