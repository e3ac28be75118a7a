package agentsfile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// NodeReader reads the objects of a file, and collects their problems.
type NodeReader struct {
	Problems  []Problem
	NoAliases bool // an alias as a value is a problem, so that a person sees the real values
}

// AddProblem adds a problem in the line of a node.
func (r *NodeReader) AddProblem(n *yaml.Node, remedy, what string, args ...any) {
	r.Problems = append(r.Problems, Problem{n.Line, schemas.EscapeHidden(fmt.Sprintf(what, args...)), remedy})
}

// SortedProblems returns the problems in the order of their lines.
func (r *NodeReader) SortedProblems() []Problem {
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return a.Line - b.Line })
	return r.Problems
}

// AddUnknownName adds the problem that a name is none of the known names. The parameter what is the kind of the name
// (such as "field").
func (r *NodeReader) AddUnknownName(name *yaml.Node, what string, known []string) {
	remedy := "There are " + strings.Join(known, ", ") + "."
	if meant := closest.LikelyNames(name.Value, known); len(meant) > 0 {
		remedy = "Write " + meant[0] + "."
	}
	r.AddProblem(name, remedy, "%q is no %s", schemas.EscapeHidden(name.Value), what)
}

// ReadBool reads the value of a field that must be true or false.
func (r *NodeReader) ReadBool(field string, value *yaml.Node) bool {
	if value.ShortTag() != "!!bool" {
		r.AddProblem(value, "Write true or false.", "%s is neither true nor false", field)
	}
	return value.Value == "true"
}

// EachField calls fn for each field of an object, with the nodes of the field's name and value. It adds a problem if n
// is not an object, or if the object has two fields of the same name.
func (r *NodeReader) EachField(n *yaml.Node, what, remedy string, fn func(name, value *yaml.Node)) {
	if n.Kind == yaml.AliasNode && !r.NoAliases {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		r.AddProblem(n, remedy, "%s has no names in it", what)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		switch at := seen[name.Value]; {
		case name.Kind != yaml.ScalarNode:
			r.AddProblem(name, "Write a name and a colon.", "this is no name")
		case r.NoAliases && value.Kind == yaml.AliasNode:
			r.AddProblem(name, "Write it out.", "this is an alias")
		case at > 0:
			r.AddProblem(name, "Keep one of them.", "%q is also in line %d", schemas.EscapeHidden(name.Value), at)
		default:
			seen[name.Value] = name.Line
			fn(name, value)
		}
	}
}
