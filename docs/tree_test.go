package docs_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folders are all that stand at the top of the repository, besides documents
// and files whose names begin with a dot.
var folders = []string{"cmd", "mcp", "tools", "mailbox", "store", "schemas", "examples", "docs"}

func TestRepository_TopIsTidy(t *testing.T) {
	for _, file := range files(t) {
		top, _, nested := strings.Cut(file, "/")
		switch {
		case strings.HasPrefix(top, "."):
		case nested && slices.Contains(folders, top):
		case !nested && document(top):
		default:
			t.Errorf("%s does not belong at the top of the repository", file)
		}
	}
}

func document(name string) bool {
	return path.Ext(name) == ".md" ||
		slices.Contains([]string{"LICENSE", "Makefile", "go.mod", "go.sum"}, name)
}

// local matches paths that only the machine of some author has, and hosts of
// package registries: which of them to use is the reader's configuration. The
// brackets keep it from matching itself.
var local = regexp.MustCompile(`(^|[^\w.])[/](work|farm|root)[/]|registry[.](npmjs|yarnpkg)|(proxy|sum)[.]golang[.]org|(deb|security)[.]debian[.]org`)

func TestRepository_NamesNoMachine(t *testing.T) {
	for _, file := range files(t) {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and git was not told yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if found := local.Find(text); found != nil {
			t.Errorf("%s contains %q", file, found)
		}
	}
}

// target matches the line that begins a target of the Makefile.
var target = regexp.MustCompile(`(?m)^\w[^:=\n]*:($|[^=].*)`)

func TestMakefile_HelpListsEachTarget(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range target.FindAllString(string(makefile), -1) {
		if !strings.Contains(line, " ## ") {
			t.Errorf("%s: make help shows what stands behind ##", line)
		}
	}
}

// files lists the files in git. Other files are not checked.
func files(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(".git"); err != nil {
		t.Skip("not a git work tree")
	}
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
}

// chosen matches a command of a document that runs chosen tests of one package: the package, and the pattern up to a
// slash.
var chosen = regexp.MustCompile(`go test (?:-\S+ )*\./(\S+) (?:-\S+ )*-run '?([^ '/\n]+)`)

func TestDocuments_RunExistingTests(t *testing.T) {
	for _, name := range []string{"CONTRIBUTING.md", "AGENTS.md", "README.md"} {
		for _, m := range chosen.FindAllStringSubmatch(read(t, name), -1) {
			test := regexp.MustCompile(`(?m)^func Test` + strings.TrimPrefix(m[2], "Test"))
			if !strings.HasPrefix(m[2], "Test") {
				test = regexp.MustCompile(`(?m)^func Test\w*` + m[2])
			}
			found := slices.ContainsFunc(files(t), func(file string) bool {
				return path.Dir(file) == m[1] && strings.HasSuffix(file, "_test.go") && test.MatchString(read(t, file))
			})
			if !found {
				t.Errorf("%s: no test of ./%s has %s in its name", name, m[1], m[2])
			}
		}
	}
}
