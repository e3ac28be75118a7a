// Package agentsfile reads agents.yaml, the file in which a project declares agents and rules, and passes the
// declarations to the workspace.
//
// A file may have four lists. "agents" lists agents, with the types of work that they accept and produce. "agent_roles"
// lists roles, with skills and typical tasks. A role applies to the agent of the same name, and to all agents whose
// names begin with the role, such as testing-specialist-RedStone. "routes" lists rules, and "workflows" lists workflows
// by name: see package rules of the mailbox.
//
// [Parse] reads a text and returns all its problems. [Declarer] runs in the process of the caller, and passes the
// declarations to the workspace before it calls a tool.
package agentsfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"handoff/schemas"
)

// A Problem is an error in one line of a file, with its remedy.
type Problem struct {
	Line   int
	What   string
	Remedy string
}

const (
	mostBytes  = 1 << 20 // of a file
	mostAgents = 500     // as schemas.DeclaringFile takes
	mostWords  = 64      // as schemas.RegisterIn takes
	mostText   = 500

	mostRoutes    = 200 // as schemas.DeclaringFile takes
	mostPlans     = 50
	mostRuleBytes = 4 << 20 // of rules, with their aliases written out
)

// Parse reads the text of a file. If expressions is true, Parse also compiles the expressions of the rules. Callers
// must not use the declarations if there are problems. An empty file declares no agents.
func Parse(text []byte, expressions bool) (schemas.DeclaringFile, []Problem) {
	root, wrong := ParseYAML(text)
	if root == nil {
		return schemas.DeclaringFile{}, wrong
	}
	p := &parser{lines: map[string]int{}}
	p.parseFile(root)
	if expressions {
		p.checkExpressions()
	}
	return p.result, p.SortedProblems()
}

// ParseYAML parses a text of at most 1 MiB that holds one YAML document. Root is nil if the text is broken or empty.
func ParseYAML(text []byte) (root *yaml.Node, wrong []Problem) {
	if len(text) > mostBytes || !utf8.Valid(text) {
		return nil, []Problem{{1, "this is no text as UTF-8, or more than 1 MiB of it", "Write a shorter file of text."}}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, []Problem{syntaxProblem(text, err)}
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, []Problem{{max(more.Line, 1), "there is a second document", "Write one document, without a line of three dashes."}}
	}
	return doc.Content[0], nil
}

var yamlError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`) })

// syntaxProblem returns the problem of a file that is not YAML.
func syntaxProblem(text []byte, err error) Problem {
	p := Problem{1, err.Error(), "Compare it with the lines around it: names end with a colon and a space, and lists are written [code, tests]."}
	if m := yamlError().FindStringSubmatch(err.Error()); m != nil {
		p.What = "this is not YAML: " + m[2]
		if line, err := strconv.Atoi(m[1]); err == nil {
			if strings.HasPrefix(m[2], "did not find expected ") && !strings.Contains(m[2], "alphabetic") {
				line++ // the library counts lines from 0 in its parser's errors, and from 1 in its scanner's
			}
			p.Line = min(line, 1+bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n")))
		}
	}
	switch {
	case strings.Contains(p.What, "cannot start any token"):
		p.Remedy = "Indent with spaces, not with tabs, and quote texts that begin with @, ` or %."
	case strings.Contains(p.What, "alphabetic or numeric"):
		p.Remedy = `Quote the star: accepts: ["*"].`
	case strings.Contains(p.What, "unknown anchor"):
		p.Remedy = "Quote a text that begins with a star, or define the anchor before it is used."
	}
	return p
}

// parser collects agents and problems.
type parser struct {
	NodeReader
	result schemas.DeclaringFile
	lines  map[string]int // of the declared agents

	routeNodes, planNodes []*yaml.Node // the nodes of the routes and of the plans, in their order
	ruleBytes             int          // bytes of rules so far, see [parser.addRuleBytes]
}

// The lists of a file.
const (
	agents    = "agents"
	roles     = "agent_roles"
	routes    = "routes"
	workflows = "workflows"
)

const fileRemedy = "Begin with agents:, agent_roles:, routes: or workflows:, and write names below it, indented by two spaces."

func (p *parser) parseFile(root *yaml.Node) {
	p.EachField(root, "the file", fileRemedy, func(name, list *yaml.Node) {
		switch {
		case list.ShortTag() == "!!null" && slices.Contains([]string{agents, roles, routes, workflows}, name.Value): // all is commented out
		case name.Value == routes:
			p.parseRoutes(list)
		case name.Value == workflows:
			p.parseWorkflows(list)
		case name.Value != agents && name.Value != roles:
			p.AddProblem(name, fileRemedy, "%q is no list of agents or rules", schemas.EscapeHidden(name.Value))
		default:
			p.EachField(list, name.Value, "Write a name and a colon for each, as qa:, indented by two spaces.", func(agent, says *yaml.Node) {
				p.parseAgent(name.Value, agent, says)
			})
		}
	})
}

func (p *parser) parseAgent(list string, name, says *yaml.Node) {
	in := schemas.RegisterIn{Name: name.Value}
	agent, err := schemas.ParseAgent("name", name.Value)
	switch at := p.lines[name.Value]; {
	case err != nil:
		p.AddProblem(name, "Write 1 to 64 of A-Z a-z 0-9 . _ -, as code-reviewer.", "%q is no name of an agent", schemas.EscapeHidden(schemas.Clip(name.Value, 80)))
	case agent == schemas.Human || agent == schemas.System:
		p.AddProblem(name, "Take another name: this one is of people, or of handoff itself.", "%s is a reserved name", agent)
	case at > 0:
		p.AddProblem(name, "Keep one of them: agents and roles share their names.", "%s is declared in line %d too", agent, at)
	case len(p.result.Agents) == mostAgents:
		p.AddProblem(name, "Declare roles: one holds for all agents whose names begin with it.", "there are more than %d agents", mostAgents)
	}
	p.lines[name.Value] = name.Line
	if list == roles {
		in.Role = name.Value
	}
	if says.ShortTag() != "!!null" {
		said := map[any]string{}
		p.EachField(says, name.Value, "Write what it takes below it: accepts: [code, tests].", func(field, value *yaml.Node) {
			p.parseField(&in, list, said, field, value)
		})
	}
	p.result.Agents = append(p.result.Agents, in)
}

// argumentsByField maps the name of each field of an agent to the argument of register_agent that the field fills. If
// the lists "agents" and "agent_roles" have different names for a field, the map has both names.
func argumentsByField(in *schemas.RegisterIn) map[string]any {
	return map[string]any{
		"accepts": &in.Accepts, "typical_tasks": &in.Accepts, "produces": &in.Produces, "skills": &in.Skills, "role": &in.Role,
		"roles": &in.Roles, "preferred_roles": &in.Roles,
		"description": &in.Description, "responsibilities": &in.Description,
		"max_session_minutes": &in.MaxMinutes, "max_session_duration": &in.MaxMinutes, "max_open": &in.MaxOpen, "away": &in.Away,
	}
}

var fieldNames = slices.Sorted(maps.Keys(argumentsByField(&schemas.RegisterIn{})))

// parseField reads one field of an agent. The map said holds the arguments that earlier fields have filled, each with
// the name of its field. A second field for the same argument is a problem.
func (p *parser) parseField(in *schemas.RegisterIn, list string, said map[any]string, name, value *yaml.Node) {
	into := argumentsByField(in)[name.Value]
	if name.Value == "role" && value.Kind == yaml.SequenceNode {
		into = &in.Roles
	}
	switch {
	case into == nil:
		p.AddUnknownName(name, "field", fieldNames)
		return
	case said[into] != "":
		p.AddProblem(name, "Keep one of them.", "%s and %s mean the same", said[into], name.Value)
		return
	case into == any(&in.Role) && list == roles:
		p.AddProblem(name, "Leave it out, or declare an agent below agents.", "a role has its own name as its role")
		return
	}
	said[into] = name.Value
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	p.parseValue(into, name.Value, value)
}

// parseValue reads the value of a field into an argument. The type of the argument decides which values are valid.
func (p *parser) parseValue(into any, field string, value *yaml.Node) {
	switch into := into.(type) {
	case *[]string:
		*into = p.parseWords(field, value)
	case *string:
		if *into = value.Value; field == "role" {
			p.checkWord(field, value, false)
		} else if value.Kind != yaml.ScalarNode || value.Value == "" || utf8.RuneCountInString(value.Value) > mostText {
			p.AddProblem(value, fmt.Sprintf("Write 1 to %d characters in quotes, or leave the line out.", mostText), "%s is no text that fits", field)
		}
	case *int:
		most, unit := 7*24*60, " of minutes"
		if field == "max_open" {
			most, unit = 1000, ""
		}
		n, err := strconv.Atoi(value.Value)
		if *into = n; err != nil || n < 1 || n > most || value.Kind != yaml.ScalarNode {
			p.AddProblem(value, fmt.Sprintf("Write a number%s from 1 to %d, as 60.", unit, most), "%s is no such number", field)
		}
	case *bool:
		*into = p.ReadBool(field, value)
	}
}

func (p *parser) parseWords(field string, list *yaml.Node) []string {
	if list.Kind != yaml.SequenceNode || len(list.Content) > mostWords {
		p.AddProblem(list, fmt.Sprintf("Write up to %d words: %s: [code, tests].", mostWords, field), "%s is no list that fits", field)
		return nil
	}
	words := []string{}
	for _, n := range list.Content {
		p.checkWord(field, n, field == "accepts" || field == "typical_tasks")
		words = append(words, n.Value)
	}
	return words
}

// checkWord adds a problem if n is not a valid name, such as code_review. If star is true, "*" is valid too.
func (p *parser) checkWord(field string, n *yaml.Node, star bool) {
	if n.Kind != yaml.ScalarNode || !schemas.IsValidName(n.Value) && (!star || n.Value != "*") {
		p.AddProblem(n, "Write 1 to 64 of A-Z a-z 0-9 . _ -, as code_review.", "%q is no word for %s", schemas.EscapeHidden(schemas.Clip(n.Value, 80)), field)
	}
}
