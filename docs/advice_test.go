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

// toolInputs lists the arguments that [schemas.AdviseCall] may get: the arguments of every tool for agents, and of some
// tools for programs.
var toolInputs = []schemas.Input{
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
	for _, in := range toolInputs {
		row, err := tools.FindTool(in.Tool())
		if err != nil {
			t.Fatal(err)
		}
		named[row.Name] = true
		if published := schemas.PublishedSchema(inputTypeName(in)); !row.Admin && string(published) != string(row.InputSchema()) {
			t.Errorf("%s does not take %s", row.Name, inputTypeName(in))
		}
	}
	for _, row := range tools.Table() {
		if !named[row.Name] {
			t.Errorf("no input names %s", row.Name)
		}
	}
}

func inputTypeName(in schemas.Input) string { return reflect.TypeOf(in).Name() }

// The test checks all advice in the source, also advice that no test produces. An advised call must be complete and
// must delete nothing. Hints and advice must use words that fit readers of tools and of commands.
func TestAdvice_InSourceIsGood(t *testing.T) {
	var a adviceChecker
	for _, file := range trackedFiles(t) {
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			a.checkFile(t, file, nil)
		}
	}
	for _, fault := range a.faults {
		t.Error(fault)
	}
	if a.calls < 30 || a.hints < 150 {
		t.Errorf("only %d calls and %d hints were found", a.calls, a.hints)
	}
}

// The check of advice finds each of these mistakes.
func TestAdvice_CheckFindsBadOnes(t *testing.T) {
	for _, line := range []string{
		`schemas.AdviseCall(schemas.GetIn{View: "full"}, "shows it")`,
		`schemas.AdviseCall(schemas.UpdateIn{HandoffID: id, Action: schemas.ActCancel}, "ends it")`,
		`schemas.AdviseCall(schemas.SendIn{To: to, Task: task, Options: &schemas.SendOptions{Force: true}}, "sends it")`,
		`schemas.AdviseCall(schemas.ClaimIn{}, "calls claim_handoff")`,
		`schemas.AdviseCall(schemas.ClaimIn{}, "add --agent")`,
		`schemas.AdviseCall(in, "is whatever somebody gave")`,
		`say := "calls claim_handoff"; schemas.AdviseCall(schemas.ClaimIn{}, say)`,
		`_ = schemas.Advice{Say: "x", Tool: "claim_handoff"}`,
		`_ = []schemas.Advice{{Say: "x", Tool: "claim_handoff"}}`,
		`e.WithHint("get_handoff shows %s.", id)`,
		`e.WithHint("Use options.force.")`,
		`e.WithHint("Give it with --agent.")`,
		`e.WithHint("handoff workspace remove " + name)`,
		`_ = schemas.Error{Hint: "See claim_token " + "there."}`,
	} {
		var a adviceChecker
		a.checkFile(t, "mailbox/planted.go", "package mailbox\nfunc f() { "+line+" }\n")
		if len(a.faults) != 1 {
			t.Errorf("%s: %q", line, a.faults)
		}
	}
}

// adviceChecker collects faults in the advice of source files.
type adviceChecker struct {
	at           string // the file
	set          *token.FileSet
	within       *ast.FuncDecl
	calls, hints int
	faults       []string
}

func (a *adviceChecker) addFault(n ast.Node, format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf("%s: %s", a.set.Position(n.Pos()), fmt.Sprintf(format, args...)))
}

func (a *adviceChecker) checkFile(t *testing.T, file string, source any) {
	t.Helper()
	a.at, a.set = file, token.NewFileSet()
	for _, d := range parse(t, a.set, file, source).Decls {
		a.within, _ = d.(*ast.FuncDecl)
		if strings.Contains(file, "/doctor/") { // the doctor advises commands that mend a fault
			a.checkWords(d, destructiveCommand)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				a.checkCall(n)
			case *ast.CompositeLit:
				setElementType(n)
				a.checkLiteral(n)
			}
			return true
		})
	}
}

// checkCall checks functions that make advice and hints.
func (a *adviceChecker) checkCall(n *ast.CallExpr) {
	switch name := lastName(n.Fun); {
	case name == "AdviseCall" && len(n.Args) == 2 && (isPackage(n.Fun, "schemas") || strings.HasPrefix(a.at, "schemas/")):
		a.calls++
		a.checkInput(n.Args[0])
		if said := a.valueOf(n.Args[1]); said != nil {
			a.checkWords(said, toolstest.Jargon)
		}
	case strings.EqualFold(name, "WithHint") && len(n.Args) > 0:
		a.hints++
		a.checkWords(n.Args[0], a.forbiddenWords())
	}
}

// setElementType sets the type of each element in a list of advice, where Go takes the type from the list.
func setElementType(n *ast.CompositeLit) {
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

func (a *adviceChecker) checkLiteral(n *ast.CompositeLit) {
	for name, value := range literalFields(n) {
		switch {
		case lastName(n.Type) == "Advice" && name == "Say":
			a.checkWords(value, toolstest.Jargon)
		case lastName(n.Type) == "Advice" && a.at != "schemas/advice.go":
			a.addFault(n, "schemas.AdviseCall makes advice with a call")
		case name == "Hint":
			a.hints++
			a.checkWords(value, a.forbiddenWords())
		}
	}
}

// destructiveCommand matches commands that no hint names: commands that delete, and flags that skip their question.
var destructiveCommand = regexp.MustCompile(`workspace remove|token revoke|handoff cancel|--(force|cancel)\b|\brm -rf\b`)

// forbiddenWords matches words that a hint must not have. Hints of commands may name flags, because they appear only on
// the command line.
func (a *adviceChecker) forbiddenWords() *regexp.Regexp {
	if strings.HasPrefix(a.at, "cmd/") {
		return destructiveCommand
	}
	return regexp.MustCompile(toolstest.Jargon.String() + "|" + destructiveCommand.String())
}

func (a *adviceChecker) checkWords(n ast.Node, bad *regexp.Regexp) {
	ast.Inspect(n, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			if said, err := strconv.Unquote(text.Value); err == nil && bad.MatchString(said) {
				a.addFault(n, "%q holds %q", said, bad.FindString(said))
			}
		}
		return true
	})
}

// checkInput checks the arguments of an advised call. The arguments are a literal, in the call or earlier in the
// function, or the arguments of an earlier call of a tool that only reads.
func (a *adviceChecker) checkInput(n ast.Expr) {
	made := a.valueOf(n)
	lit, ok := made.(*ast.CompositeLit)
	at := slices.IndexFunc(toolInputs, func(in schemas.Input) bool {
		return made != nil && inputTypeName(in) == lastName(typeNode(made))
	})
	if at < 0 {
		a.addFault(n, "what is called here cannot be told")
		return
	}
	row, err := tools.FindTool(toolInputs[at].Tool())
	if err != nil || !ok && !row.ReadOnly {
		a.addFault(n, "%s is called with what somebody else gave", row.Name)
	}
	if ok {
		a.checkComplete(lit, reflect.TypeOf(toolInputs[at]))
	}
}

func (a *adviceChecker) checkComplete(lit *ast.CompositeLit, in reflect.Type) {
	given := map[string]bool{}
	for name := range literalFields(lit) {
		given[name] = true
	}
	for f := range in.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		required := name != "" && (options == "" || strings.Contains(f.Tag.Get("jsonschema"), "required"))
		if required && !given[f.Name] {
			a.addFault(lit, "%s is not given", name)
		}
		if name == "" { // embedded
			inner, ok := literalFields(lit)[f.Name].(*ast.CompositeLit)
			if !ok {
				inner = &ast.CompositeLit{Lbrace: lit.Lbrace}
			}
			a.checkComplete(inner, f.Type)
		}
	}
	for _, name := range []string{"ActCancel", "ActRefuse", "Changes", "Force", "Met"} {
		if mentions(lit, name) {
			a.addFault(lit, "it says %s", name)
		}
	}
}

// valueOf returns the expression that the function assigns to a name, or the parameter of this name.
func (a *adviceChecker) valueOf(n ast.Expr) ast.Node {
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

func typeNode(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return n.Type
	case *ast.Field:
		return n.Type
	}
	return nil
}

func literalFields(lit *ast.CompositeLit) map[string]ast.Expr {
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
