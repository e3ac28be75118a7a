package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// clause matches the beginning of a clause that may stand in the place of a noun: "who asks is told", "that of the
// sender". It also matches plain clauses ("says what to do"), so a small share of the lines may have a match.
var clause = regexp.MustCompile(`(?i)\b(?:(?:who|what|whoever|whatever) [a-z]|(?:that|those) of\b)`)

// maxClauseShare is the highest share of comment lines with a clause, in percent.
const maxClauseShare = 4

// commentLines counts the comment lines of one folder at the top of the repository.
type commentLines struct {
	lines   int
	clauses []string // "file:line: comment" of each line with a clause
}

func TestComments_UseNounsForActors(t *testing.T) {
	floors := map[string]*commentLines{}
	for _, file := range trackedFiles(t) {
		floor, _, nested := strings.Cut(file, "/")
		if !nested || !strings.HasSuffix(file, ".go") || strings.Contains(file, "/testdata/") {
			continue
		}
		if floors[floor] == nil {
			floors[floor] = &commentLines{}
		}
		floors[floor].add(t, file, read(t, file))
	}
	for floor, p := range floors {
		t.Logf("%s: %d of %d comment lines have a clause, %.1f %%", floor, len(p.clauses), p.lines, p.share())
		if p.share() > maxClauseShare {
			t.Errorf("%s: at most %d %% may have one: name the actor instead, in lines as\n%s", floor, maxClauseShare,
				strings.Join(p.clauses[:min(len(p.clauses), 20)], "\n"))
		}
	}
}

func TestComments_ClausesAreCounted(t *testing.T) {
	source := `package p

// F returns the sender's branch. The caller owns it.
// Whoever asks is told what is due,
// in place of that of the sender.
//
//go:noinline
func F() string { return "who asks" }
`
	var p commentLines
	p.add(t, "p.go", source)
	want := []string{"p.go:4: Whoever asks is told what is due,", "p.go:5: in place of that of the sender."}
	if p.lines != 3 || strings.Join(p.clauses, "|") != strings.Join(want, "|") {
		t.Errorf("%d lines, clauses %q", p.lines, p.clauses)
	}
}

func TestComments_BeginWithDeclaredName(t *testing.T) {
	for _, file := range trackedFiles(t) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			continue
		}
		for _, decl := range parse(t, token.NewFileSet(), file, read(t, file)).Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Doc != nil && !commentBeginsWith(f.Doc.Text(), f.Name.Name) {
				t.Errorf("%s: the comment of %s begins with another name: %.40q", file, f.Name.Name, f.Doc.Text())
			}
		}
	}
}

// commentBeginsWith reports whether a comment begins with a name, or with a list of names.
func commentBeginsWith(comment, name string) bool {
	rest, ok := strings.CutPrefix(comment, name)
	return ok && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ","))
}

// testName matches the names of tests that name a case and its expected result.
var testName = regexp.MustCompile(`^Test[A-Z]\w*_[A-Z]\w*$`)

func TestNames_SayCaseAndExpectation(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	for _, file := range trackedFiles(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(read(t, file), -1) {
			if !testName.MatchString(m[1]) {
				t.Errorf("%s: %s has no form such as TestClaim_RefusesWorkHeldByAnother", file, m[1])
			}
		}
	}
}

// counted matches a number with a plural, which is wrong for 1. The words before the number say that there are more.
var counted = regexp.MustCompile(
	`(?:than |all |the )?%[dv] (?:[a-z]+ )?(?:handoffs|notices|agents|events|attempts|tests|tokens|requests|parts|problems|minutes|seconds)\b`)

func TestTexts_CountByOneFunction(t *testing.T) {
	for _, file := range trackedFiles(t) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, text := range counted.FindAllString(read(t, file), -1) {
			if strings.HasPrefix(text, "%") {
				t.Errorf("%s: write %q with schemas.CountNoun, because it is wrong for 1", file, text)
			}
		}
	}
}

// add counts the comments of one source file. Directives are no comments.
func (p *commentLines) add(t *testing.T, file, source string) {
	t.Helper()
	set := token.NewFileSet()
	for _, group := range parse(t, set, file, source).Comments {
		for _, c := range group.List {
			p.addComment(set, c)
		}
	}
}

// parse parses a source file. A nil source stands for the content of the file.
func parse(t *testing.T, set *token.FileSet, file string, source any) *ast.File {
	t.Helper()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func (p *commentLines) addComment(set *token.FileSet, c *ast.Comment) {
	at := set.Position(c.Pos())
	for i, line := range strings.Split(c.Text, "\n") {
		text := strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "/*"))
		if text == "" || strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "//nolint") {
			continue
		}
		p.lines++
		if clause.MatchString(text) {
			p.clauses = append(p.clauses, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line+i, text))
		}
	}
}

func (p *commentLines) share() float64 {
	return 100 * float64(len(p.clauses)) / float64(max(p.lines, 1))
}
