package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
)

// The documents show real output: computed output if possible, else the output of executed commands. After a change of
// the program run go test ./docs -update, and look at the difference.
func TestDocuments_ShowRealOutput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its lines are written for a Unix shell")
	}
	p := newProgram(t)
	t.Run("demo", func(t *testing.T) { compareRegion(t, "docs/first-try.md", "demo", demoOutput(t, p)) })
	t.Run("exchange", func(t *testing.T) { compareRegion(t, "docs/tools.md", "exchange", exampleExchange(t)) })
	t.Run("limits", func(t *testing.T) { compareRegion(t, "docs/guarantees.md", "limits", limitsList(t, p)) })
	t.Run("first screen", func(t *testing.T) { playConsoleBlocks(t, p, "README.md") })
	for _, name := range []string{"commands", "formats", "coming-from", "specialists", "security", "audit", "integrations"} {
		t.Run(name, func(t *testing.T) { playConsoleBlocks(t, p, "docs/"+name+".md") })
	}
	t.Run("typed", func(t *testing.T) { playTypedRows(t, p, "docs/coming-from.md") })
	t.Run("rules", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "agents.yaml")
		require.NoError(t, os.WriteFile(file, []byte(yamlBlock.FindStringSubmatch(read(t, "docs/concepts.md"))[1]), 0o600))
		out, errs, err := p.shell(t, "handoff agents check "+file)
		require.NoError(t, err, out+errs)
	})
	t.Run("clients", func(t *testing.T) { startAddedServers(t, p, read(t, "docs/clients.md")) })
}

var roleFigures = regexp.MustCompile(`(?m)^ho_\d, (.+): brief (\d+) bytes, result (\d+) bytes$`)

// The figures of each role are those that the example with rules prints, beside the estimates of the coordination plan.
func TestPerformance_HasTheFiguresOfEachRole(t *testing.T) {
	rows := roleFigures.FindAllStringSubmatch(read(t, "examples/rules/seen.txt"), -1)
	estimates := []string{"2 KB", "1 KB", "2 KB", "", "0.5 KB"}
	require.Len(t, rows, len(estimates))
	table := "| role | brief | stored result | the plan's estimate |\n|---|---:|---:|---:|\n"
	var briefs, results int
	for i, row := range rows {
		brief, err := strconv.Atoi(row[2])
		require.NoError(t, err)
		result, err := strconv.Atoi(row[3])
		require.NoError(t, err)
		briefs, results = briefs+brief, results+result
		table += figuresRow(row[1], brief, result, estimates[i])
	}
	compareRegion(t, "docs/performance.md", "roles", table+figuresRow("sum", briefs, results, "5.5 KB"))
}

func figuresRow(role string, brief, result int, estimate string) string {
	return fmt.Sprintf("| %s | %.1f KB | %.1f KB | %s |\n", role, float64(brief)/1000, float64(result)/1000, estimate)
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

func read(t *testing.T, document string) string {
	t.Helper()
	b, err := os.ReadFile(document)
	require.NoError(t, err)
	return string(b)
}

// compareRegion compares the text between two comments of a document with the expected text.
func compareRegion(t *testing.T, document, name, want string) {
	t.Helper()
	compareBetween(t, document, "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->\n", "\n"+want+"\n")
}

// compareBetween compares the text between two lines of a document with the expected text.
func compareBetween(t *testing.T, document, begin, end, want string) {
	t.Helper()
	_, rest, begins := strings.Cut(read(t, document), begin)
	shown, _, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "%s lacks the lines %s%s", document, begin, end)
	compareOrRewrite(t, document, begin+shown+end, begin+want+end)
}

// compareOrRewrite compares a part of a document with the expected text; with -update it writes it.
func compareOrRewrite(t *testing.T, document, shown, want string) {
	t.Helper()
	if !*update {
		require.Equal(t, want, shown, "%s is stale: go test ./docs -update", document)
		return
	}
	text := strings.Replace(read(t, document), shown, want, 1)
	require.NoError(t, os.WriteFile(document, []byte(text), 0o644))
}

// program is a built handoff with an environment that hides the files of the user.
type program struct {
	path string
	env  []string
	dir  string
}

// newProgram returns the built program with an empty home directory. It skips the test if neither proofs nor -update
// were asked for, because then the program was not built.
func newProgram(t *testing.T) program {
	t.Helper()
	if !*update {
		sandbox.SkipUnlessProofs(t)
	}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(builtProgram, filepath.Join(bin, "handoff")))
	p := program{path: builtProgram, env: []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HANDOFF_WORKSPACE=readme"}}
	return p.withNewHome(t)
}

// withNewHome returns the program with a new, empty home directory.
func (p program) withNewHome(t *testing.T) program {
	t.Helper()
	p.dir = t.TempDir()
	p.env = append(p.env[:2:2], "HOME="+p.dir, "XDG_STATE_HOME="+filepath.Join(p.dir, "state"), "TMPDIR="+t.TempDir())
	return p
}

// shell runs a line as its reader would and returns its output and its errors.
func (p program) shell(t *testing.T, line string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.env, p.dir, &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

var consoleBlock = regexp.MustCompile("(?ms)^```console\n.*?^```\n")

// playConsoleBlocks plays the blocks marked console: each line behind "$ " must succeed and print the lines after it.
// Each block begins in an empty workspace.
func playConsoleBlocks(t *testing.T, p program, document string) {
	blocks := consoleBlock.FindAllString(read(t, document), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		p := p.withNewHome(t)
		var played strings.Builder
		played.WriteString("```console\n")
		for line := range strings.Lines(block) {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			out, errs, err := p.shell(t, command)
			require.NoError(t, err, "%s%s", line, errs)
			played.WriteString(line + maskVariableOutput(out))
		}
		played.WriteString("```\n")
		compareOrRewrite(t, document, block, played.String())
	}
}

var (
	typedRow = regexp.MustCompile("(?m)^\\| `(handoff [^`]+)` \\| .*\\|$")
	takenFor = regexp.MustCompile(`(?m)(?: is |Did you mean )(handoff .*?)(?:\? handoff .*)?$`)
)

// playTypedRows types the lines of the tables "you type" and compares the command for which handoff takes each of them.
func playTypedRows(t *testing.T, p program, document string) {
	t.Helper()
	for _, row := range typedRow.FindAllStringSubmatch(read(t, document), -1) {
		_, errs, _ := p.withNewHome(t).shell(t, row[1]) // some lines are refused
		taken := takenFor.FindStringSubmatch(errs)
		require.NotNil(t, taken, "%s: %s", row[1], errs)
		compareOrRewrite(t, document, row[0], "| `"+row[1]+"` | `"+strings.ReplaceAll(taken[1], " or handoff", "` or `handoff")+"` |")
	}
}

// demoOutput returns the first half of the chain that handoff demo prints.
func demoOutput(t *testing.T, p program) string {
	t.Helper()
	out, errs, err := p.shell(t, "handoff demo")
	require.NoError(t, err, errs)
	_, tree, ok := strings.Cut(maskVariableOutput(out), "\n$ handoff history")
	require.True(t, ok, out)
	begins, _, ok := strings.Cut(tree, "\n    ▼\nauto-code → qa ────────────────▶\n    │\n    │ ho_5")
	require.True(t, ok, out)
	return "```text\n$ handoff history" + begins + "\n    ▼\n…\n```\n"
}

// variableOutput matches output that differs from run to run.
var variableOutput = []struct {
	pattern *regexp.Regexp
	shown   string
}{
	{regexp.MustCompile(`ct_[a-z0-9]{16}`), "ct_…"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "…"},
	{regexp.MustCompile(`(?m)^root .*$`), "root …"},
	{regexp.MustCompile(`(handoff\.local/\w+\+)[0-9a-f]{8}`), "$1…"},
	{regexp.MustCompile(`(Duration|Sent): .*`), "$1: …"},
	{regexp.MustCompile(`\t\d+s\t`), "\t…\t"},
	{regexp.MustCompile(`<?\b\d+ s\b`), "… s"},
	{regexp.MustCompile(`\(pid \d+\)`), "(pid …)"},
	{regexp.MustCompile(`\b([a-z]+)-[0-9a-f]{12}\b`), "$1-…"},
	{regexp.MustCompile(`(tag=|@|commit )[0-9a-f]{10,12}\b`), "$1…"},
	{regexp.MustCompile(`\b\d{1,2}s\b`), "0s"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?\b`), "…"},
}

func maskVariableOutput(out string) string {
	for _, v := range variableOutput {
		out = v.pattern.ReplaceAllString(out, v.shown)
	}
	return out
}

var namedFile = regexp.MustCompile("`([A-Za-z_.]+(?:/[A-Za-z_0-9.]+)*\\.(?:go|txt|yml|md)|(?:cmd|mcp|tools|mailbox|store|schemas)/[A-Za-z_0-9./]+)`")

// Files that a document names exist.
func TestDocuments_NameExistingFiles(t *testing.T) {
	for _, name := range documentFiles(t) {
		for _, named := range namedFile.FindAllStringSubmatch(read(t, name), -1) {
			_, err := os.Stat(named[1])
			require.NoError(t, err, name)
		}
	}
}

var linkTarget = regexp.MustCompile(`\]\(([^)#:]+)[^):]*\)`)

func TestDocuments_LinksLeadSomewhere(t *testing.T) {
	for _, name := range documentFiles(t) {
		for _, link := range linkTarget.FindAllStringSubmatch(read(t, name), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(name), link[1]))
			require.NoError(t, err, name)
		}
	}
}

func documentFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.md")
	require.NoError(t, err)
	more, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	return append(names, more...)
}
