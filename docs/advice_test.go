package docs_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/toolstest"
)

// inputs are what [schemas.Call] may be given: the arguments of every tool for agents, and of a few for programs.
var inputs = []schemas.Input{
	schemas.SendIn{},
	schemas.ClaimIn{},
	schemas.CompleteIn{},
	schemas.FailIn{},
	schemas.UpdateIn{},
	schemas.ListIn{},
	schemas.GetIn{},
	schemas.HistoryIn{},
	schemas.RegisterIn{},
	schemas.AgentsIn{},
	schemas.TokenListIn{},
}

func TestInputs_NameTheirTool(t *testing.T) {
	named := map[string]bool{}
	for _, in := range inputs {
		row, err := tools.Find(in.Tool())
		if err != nil {
			t.Fatal(err)
		}
		named[row.Name] = true
		if published := schemas.Published(typeOf(in)); !row.Admin && string(published) != string(row.Input()) {
			t.Errorf("%s does not take %s", row.Name, typeOf(in))
		}
	}
	for _, row := range tools.Table {
		if !named[row.Name] {
			t.Errorf("no input names %s", row.Name)
		}
	}
}

func typeOf(in schemas.Input) string { return reflect.TypeOf(in).Name() }

// All advice in the source, also that which no test is given: the calls are complete and destroy nothing, and the
// words of hints and of advice are for readers on every surface. [toolstest.Faults] holds it against the decoder
// where it is given.
func TestAdvice_InSourceIsGood(t *testing.T) {
	var a advisor
	for _, file := range files(t) {
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			a.read(t, file, nil)
		}
	}
	for _, fault := range a.faults {
		t.Error(fault)
	}
	if a.calls < 30 || a.hints < 150 {
		t.Errorf("only %d calls and %d hints were found", a.calls, a.hints)
	}
}

// The check above finds bad advice.
func TestAdvice_CheckFindsBadOnes(t *testing.T) {
	for _, line := range []string{
		`schemas.Call(schemas.GetIn{View: "full"}, "shows it")`,
		`schemas.Call(schemas.UpdateIn{HandoffID: id, Action: schemas.ActCancel}, "ends it")`,
		`schemas.Call(schemas.SendIn{To: to, Task: task, Options: &schemas.SendOptions{Force: true}}, "sends it")`,
		`schemas.Call(schemas.ClaimIn{}, "calls claim_handoff")`,
		`schemas.Call(schemas.ClaimIn{}, "add --agent")`,
		`schemas.Call(in, "is whatever somebody gave")`,
		`say := "calls claim_handoff"; schemas.Call(schemas.ClaimIn{}, say)`,
		`_ = schemas.Advice{Say: "x", Tool: "claim_handoff"}`,
		`_ = []schemas.Advice{{Say: "x", Tool: "claim_handoff"}}`,
		`e.WithHint("get_handoff shows %s.", id)`,
		`e.WithHint("Use options.force.")`,
		`e.WithHint("Give it with --agent.")`,
		`e.WithHint("handoff workspace remove " + name)`,
		`_ = schemas.Error{Hint: "See claim_token " + "there."}`,
	} {
		var a advisor
		a.read(t, "mailbox/planted.go", "package mailbox\nfunc f() { "+line+" }\n")
		if len(a.faults) != 1 {
			t.Errorf("%s: %q", line, a.faults)
		}
	}
}

// An advisor reads source for advice.
type advisor struct {
	at           string // the file, and then the function
	set          *token.FileSet
	within       *ast.FuncDecl
	calls, hints int
	faults       []string
}

func (a *advisor) fault(n ast.Node, format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf("%s: %s", a.set.Position(n.Pos()), fmt.Sprintf(format, args...)))
}

func (a *advisor) read(t *testing.T, file string, source any) {
	t.Helper()
	a.at, a.set = file, token.NewFileSet()
	for _, d := range parse(t, a.set, file, source).Decls {
		a.within, _ = d.(*ast.FuncDecl)
		if strings.Contains(file, "/doctor/") { // whose findings are commands that mend something
			a.words(d, destruction)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				a.call(n)
			case *ast.CompositeLit:
				typed(n)
				a.literal(n)
			}
			return true
		})
	}
}

// call checks functions that make advice and hints.
func (a *advisor) call(n *ast.CallExpr) {
	switch name := lastName(n.Fun); {
	case name == "Call" && len(n.Args) == 2 && (isPackage(n.Fun, "schemas") || strings.HasPrefix(a.at, "schemas/")):
		a.calls++
		a.input(n.Args[0])
		if said := a.source(n.Args[1]); said != nil {
			a.words(said, toolstest.Jargon)
		}
	case strings.EqualFold(name, "WithHint") && len(n.Args) > 0:
		a.hints++
		a.words(n.Args[0], a.jargon())
	}
}

// typed writes the type of the elements of a list of advice where the list alone says it.
func typed(n *ast.CompositeLit) {
	list, ok := n.Type.(*ast.ArrayType)
	if !ok || lastName(list.Elt) != "Advice" {
		return
	}
	for _, element := range n.Elts {
		if lit, ok := element.(*ast.CompositeLit); ok && lit.Type == nil {
			lit.Type = list.Elt
		}
	}
}

func (a *advisor) literal(n *ast.CompositeLit) {
	for name, value := range fields(n) {
		switch {
		case lastName(n.Type) == "Advice" && name == "Say":
			a.words(value, toolstest.Jargon)
		case lastName(n.Type) == "Advice" && a.at != "schemas/advice.go":
			a.fault(n, "schemas.Call makes advice with a call")
		case name == "Hint":
			a.hints++
			a.words(value, a.jargon())
		}
	}
}

// destruction matches commands that no hint names: commands that delete, and flags that skip their question.
var destruction = regexp.MustCompile(`workspace remove|token revoke|handoff cancel|--(force|cancel)\b|\brm -rf\b`)

// jargon matches words that a hint must not have. Hints of commands are read on the command line alone, and may name
// flags.
func (a *advisor) jargon() *regexp.Regexp {
	if strings.HasPrefix(a.at, "cmd/") {
		return destruction
	}
	return regexp.MustCompile(toolstest.Jargon.String() + "|" + destruction.String())
}

func (a *advisor) words(n ast.Node, bad *regexp.Regexp) {
	ast.Inspect(n, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			if said, err := strconv.Unquote(text.Value); err == nil && bad.MatchString(said) {
				a.fault(n, "%q holds %q", said, bad.FindString(said))
			}
		}
		return true
	})
}

// input checks the arguments of an advised call: a literal, here or above in the function, or the arguments of an
// earlier call of a tool that only reads.
func (a *advisor) input(n ast.Expr) {
	made := a.source(n)
	lit, ok := made.(*ast.CompositeLit)
	at := slices.IndexFunc(inputs, func(in schemas.Input) bool {
		return made != nil && typeOf(in) == lastName(typeIn(made))
	})
	if at < 0 {
		a.fault(n, "what is called here cannot be told")
		return
	}
	row, err := tools.Find(inputs[at].Tool())
	if err != nil || !ok && !row.ReadOnly {
		a.fault(n, "%s is called with what somebody else gave", row.Name)
	}
	if ok {
		a.complete(lit, reflect.TypeOf(inputs[at]))
	}
}

func (a *advisor) complete(lit *ast.CompositeLit, in reflect.Type) {
	given := map[string]bool{}
	for name := range fields(lit) {
		given[name] = true
	}
	for f := range in.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		required := name != "" && (options == "" || strings.Contains(f.Tag.Get("jsonschema"), "required"))
		if required && !given[f.Name] {
			a.fault(lit, "%s is not given", name)
		}
		if name == "" { // embedded
			inner, ok := fields(lit)[f.Name].(*ast.CompositeLit)
			if !ok {
				inner = &ast.CompositeLit{Lbrace: lit.Lbrace}
			}
			a.complete(inner, f.Type)
		}
	}
	for _, name := range []string{"ActCancel", "ActRefuse", "Changes", "Force", "Met"} {
		if mentions(lit, name) {
			a.fault(lit, "it says %s", name)
		}
	}
}

// source follows a name to its value in the function, or to the parameter.
func (a *advisor) source(n ast.Expr) ast.Node {
	id, ok := n.(*ast.Ident)
	if !ok || a.within == nil {
		return n
	}
	var found ast.Node
	ast.Inspect(a.within, func(n ast.Node) bool {
		if n != nil && n.Pos() > id.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.Field:
			if slices.ContainsFunc(n.Names, func(name *ast.Ident) bool { return name.Name == id.Name }) {
				found = n
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && name.Name == id.Name && len(n.Rhs) == len(n.Lhs) && n.Tok == token.DEFINE {
					found = n.Rhs[i]
				}
			}
		}
		return true
	})
	return found
}

func typeIn(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return n.Type
	case *ast.Field:
		return n.Type
	}
	return nil
}

func fields(lit *ast.CompositeLit) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			all[lastName(kv.Key)] = kv.Value
		}
	}
	return all
}

func lastName(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name
	case *ast.SelectorExpr:
		return n.Sel.Name
	}
	return ""
}

func isPackage(n ast.Expr, name string) bool {
	s, ok := n.(*ast.SelectorExpr)
	return ok && lastName(s.X) == name
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
