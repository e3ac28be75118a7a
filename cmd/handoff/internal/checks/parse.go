package checks

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/schemas"
)

const (
	mostBytes  = 64 << 10 // of a list
	mostChecks = 100
	mostWords  = 64
	mostText   = 4000

	usualTimeout = 10 * time.Minute
	mostTimeout  = 2 * time.Hour
)

// Parse reads a list of checks. It returns all problems as sentences with file, line and remedy. If there are problems,
// callers must not use the checks.
func Parse(text []byte) (List, []string) {
	p := &parser{agentsfile.NodeReader{NoAliases: true}, List{Digest: fmt.Sprintf("%x", sha256.Sum256(text))}}
	if len(text) > mostBytes {
		p.AddProblem(&yaml.Node{Line: 1}, "Put commands into scripts, and name those.", "this is more than 64 KiB")
		return p.list, agentsfile.FormatProblems(File, p.Problems)
	}
	root, problems := agentsfile.ParseYAML(text)
	if p.Problems = problems; root != nil {
		p.parseFile(root)
	}
	return p.list, agentsfile.FormatProblems(File, p.SortedProblems())
}

type parser struct {
	agentsfile.NodeReader
	list List
}

const fileRemedy = "Begin with checks:, and write names below it, indented by two spaces, as test: go test ./..."

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`) })

func (p *parser) parseFile(root *yaml.Node) {
	p.EachField(root, "the file", fileRemedy, func(name, all *yaml.Node) {
		if name.Value != "checks" {
			p.AddProblem(name, fileRemedy, "%q is no list of checks", name.Value)
			return
		}
		p.EachField(all, "checks", fileRemedy, func(name, says *yaml.Node) {
			switch {
			case !nameForm().MatchString(name.Value):
				p.AddProblem(name, "Write 1 to 40 of a-z 0-9 _ -, and a letter first, as unit-tests.", "%q is no name of a check", name.Value)
			case len(p.list.Checks) == mostChecks:
				p.AddProblem(name, "Join several commands to one.", "there are more than %d checks", mostChecks)
			default:
				p.parseCheck(name, says)
			}
		})
	})
}

// fieldNames are the names of all fields, and kindNames the names of the kinds.
var fieldNames, kindNames = func() (fields, kinds []string) {
	for _, f := range (&Check{}).fields() {
		if fields = append(fields, f.name); f.kind == "" {
			kinds = append(kinds, f.name)
		}
	}
	slices.Sort(fields)
	slices.Sort(kinds)
	return fields, kinds
}()

func (p *parser) parseCheck(name, says *yaml.Node) {
	c := Check{Name: name.Value}
	given := map[string]*yaml.Node{}
	if says.Kind == yaml.ScalarNode {
		given["run"] = says
		c.Run = p.parseText("run", says)
	} else {
		p.EachField(says, name.Value, "Write a command behind the colon, or run: and a command below it.", func(field, value *yaml.Node) {
			given[field.Value] = field
			p.parseField(&c, field, value)
		})
	}
	p.checkFields(&c, name, given)
	p.list.Checks = append(p.list.Checks, c)
}

// checkFields reports fields that exclude each other, and sets default values.
func (p *parser) checkFields(c *Check, name *yaml.Node, given map[string]*yaml.Node) {
	kind := ""
	for _, f := range c.fields() {
		at := given[f.name]
		switch {
		case at == nil, f.kind == "any", f.kind != "" && (kind == "" || f.kind == kind), kind == "touches" && f.name == "leaves":
		case f.kind != "":
			p.AddProblem(at, "Leave it out.", "%s is not of a check with %s", f.name, kind)
		case kind != "":
			p.AddProblem(at, "Make two checks of it.", "%s and %s are two kinds of checks", kind, f.name)
			return
		default:
			kind = f.name
		}
	}
	if kind == "" {
		p.AddProblem(name, "Write one of "+strings.Join(kindNames, ", ")+".", "%s says nothing to look at", name.Value)
		return
	}
	switch {
	case kind == "json" && given["schema"] == nil:
		p.AddProblem(name, "Name a JSON Schema of the repository: schema: schema.json.", "%s has no schema", name.Value)
	case c.Kept && c.Report == "":
		p.AddProblem(name, "Add report: gotest, or report: {junit: FILE}.", "%s is to keep tests, and nothing names them", name.Value)
	case kind == "run":
		c.Dir = cmp.Or(c.Dir, ".")
		c.Timeout = cmp.Or(c.Timeout, usualTimeout)
	}
}

func (p *parser) parseField(c *Check, name, value *yaml.Node) {
	var into any
	for _, f := range c.fields() {
		if f.name == name.Value {
			into = f.value
		}
	}
	switch into := into.(type) {
	case *string:
		if name.Value == "report" && value.Kind == yaml.MappingNode && len(value.Content) == 2 && value.Content[0].Value == "junit" {
			*into = "junit: " + p.parseText("junit", value.Content[1])
		} else {
			*into = p.parseText(name.Value, value)
		}
		p.checkValue(name.Value, *into, value)
	case *bool:
		*into = p.ReadBool(name.Value, value)
	case *time.Duration:
		d, err := schemas.ParseDuration(name.Value, value.Value)
		if *into = d; err != nil || value.Kind != yaml.ScalarNode || d < time.Second || d > mostTimeout {
			p.AddProblem(value, "Write one from 1s to 2h, as 10m.", "%s is no such duration", name.Value)
		}
	case *[]string:
		*into = p.parseWords(name.Value, value)
	default:
		p.AddUnknownName(name, "field of a check", fieldNames)
	}
}

// parseText reads a text on one line.
func (p *parser) parseText(field string, n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || strings.TrimSpace(n.Value) == "" || len(n.Value) > mostText {
		p.AddProblem(n, fmt.Sprintf("Write 1 to %d characters, in quotes if it is a number or true.", mostText), "%s is no text that fits", field)
	}
	return strings.TrimSpace(n.Value)
}

var variableForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`) })

func (p *parser) parseWords(field string, list *yaml.Node) (words []string) {
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 || len(list.Content) > mostWords {
		p.AddProblem(list, fmt.Sprintf("Write 1 to %d in brackets.", mostWords), "%s is no list that fits", field)
		return nil
	}
	for _, n := range list.Content {
		word := p.parseText(field, n)
		switch {
		case field == "env" && (!variableForm().MatchString(word) || word == markVariable || word == "TMPDIR"):
			p.AddProblem(n, "Write the name of a variable, as GOFLAGS. TMPDIR and "+markVariable+" are handoff's own.", "%q is no variable to pass along", word)
		case field != "env" && (!isLocal(word) || strings.ContainsAny(word, "[]{}")):
			p.AddProblem(n, `Write it relative to the root, with *, ? and ** alone, as "src/**" or "**/*_test.go".`, "%q is no pattern for files of the repository", word)
		}
		words = append(words, word)
	}
	return words
}

// checkValue reports a value that its field does not accept.
func (p *parser) checkValue(field, said string, n *yaml.Node) {
	path := said
	switch field {
	case "run":
		return
	case "tree":
		if said != "clean" {
			p.AddProblem(n, "Write tree: clean.", "%q is nothing that a tree can be", said)
		}
		return
	case "report":
		if said == gotest {
			return
		}
		var ok bool
		if path, ok = junitFile(said); !ok {
			p.AddProblem(n, "Write gotest, or {junit: FILE}.", "%q is no kind of report", said)
			return
		}
	}
	if !isLocal(path) || path == "." && field != "dir" {
		p.AddProblem(n, "Write it relative to the root of the repository, as docs/guide.md, without .. in it.", "%q is no path in the repository", path)
	}
}

// isLocal reports whether a path, written with slashes, stays in the repository.
func isLocal(path string) bool {
	return fs.ValidPath(path) && filepath.IsLocal(filepath.FromSlash(path)) && !strings.Contains(path, `\`) &&
		!strings.ContainsFunc(path, schemas.IsHidden) && path != ".git" && !strings.HasPrefix(path, ".git/")
}

// compileGlobs returns one regular expression for paths that match any of the patterns. In a pattern, ** stands for any
// directories. The characters * and ? stand for parts of one name.
func compileGlobs(patterns []string) *regexp.Regexp {
	signs := strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)
	all := schemas.Map(patterns, func(pattern string) string { return signs.Replace(regexp.QuoteMeta(pattern)) })
	return regexp.MustCompile(`(?s)^(` + strings.Join(all, "|") + `)$`)
}
