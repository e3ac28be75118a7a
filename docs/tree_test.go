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

// topFolders lists the folders that the top of the repository may have. It may also have documents, and files whose
// names begin with a dot.
var topFolders = []string{"cmd", "mcp", "tools", "mailbox", "store", "schemas", "examples", "docs"}

func TestRepository_TopIsTidy(t *testing.T) {
	for _, file := range trackedFiles(t) {
		top, _, nested := strings.Cut(file, "/")
		switch {
		case strings.HasPrefix(top, "."):
		case nested && slices.Contains(topFolders, top):
		case !nested && isTopDocument(top):
		default:
			t.Errorf("%s does not belong at the top of the repository", file)
		}
	}
}

func isTopDocument(name string) bool {
	return path.Ext(name) == ".md" ||
		slices.Contains([]string{"LICENSE", "Makefile", "go.mod", "go.sum"}, name)
}

// localPath matches paths that exist only on the machine of an author, and hosts of package registries, which each
// reader configures. The brackets prevent that the expression matches itself.
var localPath = regexp.MustCompile(`(^|[^\w.])[/](work|farm|root)[/]|registry[.](npmjs|yarnpkg)|(proxy|sum)[.]golang[.]org|(deb|security)[.]debian[.]org`)

func TestRepository_NamesNoMachine(t *testing.T) {
	for _, file := range trackedFiles(t) {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the file was removed, and git still lists it
		}
		if err != nil {
			t.Fatal(err)
		}
		if found := localPath.Find(text); found != nil {
			t.Errorf("%s contains %q", file, found)
		}
	}
}

// makeTarget matches the first line of a target of the Makefile.
var makeTarget = regexp.MustCompile(`(?m)^\w[^:=\n]*:($|[^=].*)`)

func TestMakefile_HelpListsEachTarget(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range makeTarget.FindAllString(string(makefile), -1) {
		if !strings.Contains(line, " ## ") {
			t.Errorf("%s: make help shows what stands behind ##", line)
		}
	}
}

// trackedFiles lists the files in git. Other files are not checked.
func trackedFiles(t *testing.T) []string {
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

// testCommand matches a command of a document that runs chosen tests of one package: the package, and the pattern up to
// a slash.
var testCommand = regexp.MustCompile(`go test (?:-\S+ )*\./(\S+) (?:-\S+ )*-run '?([^ '/\n]+)`)

func TestDocuments_RunExistingTests(t *testing.T) {
	for _, name := range []string{"CONTRIBUTING.md", "AGENTS.md", "README.md"} {
		for _, m := range testCommand.FindAllStringSubmatch(read(t, name), -1) {
			test := regexp.MustCompile(`(?m)^func Test` + strings.TrimPrefix(m[2], "Test"))
			if !strings.HasPrefix(m[2], "Test") {
				test = regexp.MustCompile(`(?m)^func Test\w*` + m[2])
			}
			found := slices.ContainsFunc(trackedFiles(t), func(file string) bool {
				return path.Dir(file) == m[1] && strings.HasSuffix(file, "_test.go") && test.MatchString(read(t, file))
			})
			if !found {
				t.Errorf("%s: no test of ./%s has %s in its name", name, m[1], m[2])
			}
		}
	}
}
