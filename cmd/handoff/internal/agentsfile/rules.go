package agentsfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/tools"
)

// parseRoutes reads the rules of a file one by one, so that a problem in one rule hides no problem of another rule.
func (p *parser) parseRoutes(list *yaml.Node) {
	if list.Kind != yaml.SequenceNode {
		p.AddProblem(list, "Write a dash before each: - {on: completed, send: {to: qa, task: Test it}}.", "routes is no list")
		return
	}
	if len(list.Content) > mostRoutes {
		p.AddProblem(list.Content[mostRoutes], "Leave some out, or let one rule send several.", "there are more than %d rules", mostRoutes)
		return
	}
	for i, n := range list.Content {
		for _, r := range p.parseRule(n, routes, "").Routes {
			r.Name = cmp.Or(r.Name, fmt.Sprintf("route %d", i+1))
			p.result.Routes, p.routeNodes = append(p.result.Routes, r), append(p.routeNodes, n)
		}
	}
}

// parseWorkflows reads the workflows of a file. The value of each name is a list of steps, or an object with steps and
// limits.
func (p *parser) parseWorkflows(list *yaml.Node) {
	if len(list.Content) > 2*mostPlans { // names and values
		p.AddProblem(list.Content[2*mostPlans], "Leave some out.", "there are more than %d workflows", mostPlans)
		return
	}
	p.EachField(list, workflows, "Write a name and a colon for each, as implement-and-test:, and its steps below.", func(name, n *yaml.Node) {
		if !schemas.IsValidName(name.Value) {
			p.AddProblem(name, "Write 1 to 64 of A-Z a-z 0-9 . _ -, as implement-and-test.", "%q is no name of a workflow", schemas.EscapeHidden(schemas.Clip(name.Value, 80)))
			return
		}
		for _, plan := range p.parseRule(n, "plans", name.Value).Plans {
			p.result.Plans, p.planNodes = append(p.result.Plans, plan), append(p.planNodes, n)
		}
	})
}

// parseRule reads one entry of a list of rules as the tool agents_declare would, which also normalises names and kinds.
// Plan is the name of a workflow, whose entry may be only its steps. For a route it is empty. ParseRule returns a file
// with only this entry, or an empty file if the entry is wrong.
func (p *parser) parseRule(n *yaml.Node, list, plan string) (said schemas.DeclaringFile) {
	if !p.addRuleBytes(n) {
		p.AddProblem(n, "Say less by anchors and aliases.", "the rules are more than %d bytes with their aliases written out", mostRuleBytes)
		return said
	}
	var v any
	if err := n.Decode(&v); err != nil {
		p.Problems = append(p.Problems, explainDecodeError(n, err))
		return said
	}
	if plan != "" {
		whole, ok := v.(map[string]any)
		if !ok {
			whole = map[string]any{"steps": v}
		}
		whole["name"] = plan
		v = whole
	}
	args, err := json.Marshal(map[string]any{"files": []any{map[string]any{"name": "-", list: []any{v}}}})
	if err != nil {
		p.AddProblem(n, "Quote each name.", "a name is no text")
		return said
	}
	tool, err := tools.FindTool("agents_declare")
	if err == nil {
		args, err = tool.CanonicalArgs(args)
	}
	if err != nil {
		e := schemas.AsError(err)
		path := strings.TrimPrefix(strings.TrimPrefix(e.Field, "files[0]."+list+"[0]"), ".")
		remedy := strings.TrimSpace(strings.TrimSuffix(e.Hint, "Nothing was changed."))
		if len(e.Known) > 0 && remedy == "" {
			remedy = "There are " + strings.Join(e.Known, ", ") + "."
		}
		remedy = cmp.Or(remedy, "handoff rules --help shows a rule and a workflow.")
		p.AddProblem(nodeAt(n, path), remedy, "%s", strings.TrimSpace(path+": "+e.Message))
		return said
	}
	var in schemas.DeclareIn
	if err := json.Unmarshal(args, &in); err != nil {
		p.AddProblem(n, "Write it as handoff rules --help shows.", "%s", err)
		return said
	}
	return in.Files[0]
}

// addRuleBytes adds the bytes of a value to the count of the file's rules, and reports whether the sum is within the
// limit mostRuleBytes. It counts the content of each YAML alias, because a short file with nested aliases can stand for
// a huge text.
func (p *parser) addRuleBytes(n *yaml.Node) bool {
	if p.ruleBytes += 16 + len(n.Value); p.ruleBytes > mostRuleBytes {
		return false
	}
	if n.Kind == yaml.AliasNode {
		return p.addRuleBytes(n.Alias)
	}
	return !slices.ContainsFunc(n.Content, func(below *yaml.Node) bool { return !p.addRuleBytes(below) })
}

// checkExpressions adds the problems in the expressions and steps of all rules of the file.
func (p *parser) checkExpressions() {
	_, problems := rules.Compile(p.result.Routes, p.result.Plans)
	for _, problem := range problems {
		n := p.routeNodes
		if problem.Plan {
			n = p.planNodes
		}
		remedy := cmp.Or(strings.TrimSuffix(problem.Remedy, " Nothing was sent."),
			"handoff rules --help shows what an expression knows and how steps follow each other.")
		p.AddProblem(nodeAt(n[problem.At], problem.Path), remedy, "%s: %s", problem.Path, problem.What)
	}
}

var decodeError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+): (.*)`) })

// explainDecodeError describes why a valid YAML value cannot be decoded: an object has two fields of the same name, or
// a text that begins with a brace (such as {{outcome.summary}}) is not in quotes.
func explainDecodeError(n *yaml.Node, err error) Problem {
	p := Problem{firstNonTextName(n).Line, strings.TrimPrefix(err.Error(), "yaml: "), `Quote texts that have braces: "{{outcome.summary}}".`}
	if m := decodeError().FindStringSubmatch(err.Error()); m != nil {
		p.Line, _ = strconv.Atoi(m[1]) // digits
		p.What = m[2]
	}
	if strings.Contains(p.What, "already defined") {
		p.Remedy = "Keep one of them."
	}
	return p
}

// firstNonTextName returns the first key of an object in n that is itself an object or a list. For YAML, {{a}} is an
// object with the key {a}. If there is no such key, it returns n.
func firstNonTextName(n *yaml.Node) *yaml.Node {
	for i, below := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && below.Kind != yaml.ScalarNode {
			return below
		}
		if found := firstNonTextName(below); found != below {
			return found
		}
	}
	return n
}

// nodeAt returns the value at a path, or the deepest value on the path if there is none at its end. If the path has an
// index and the value is no list, it ignores the index, because a file may contain the only element of a list without
// the list (`x` for `[x]`).
func nodeAt(n *yaml.Node, path string) *yaml.Node {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		switch i, err := strconv.Atoi(part); {
		case err == nil && n.Kind == yaml.SequenceNode && i < len(n.Content):
			n = n.Content[i]
		case n.Kind == yaml.MappingNode:
			for k := 0; k+1 < len(n.Content); k += 2 {
				if n.Content[k].Value == part {
					n = n.Content[k+1]
					break
				}
			}
		}
	}
	return n
}
