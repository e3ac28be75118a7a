//go:build linux

package checks_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/cmd/handoff/internal/consent"
	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools/platform"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// testRepository is a repository with a list of checks that a person allowed, and with work.
type testRepository struct {
	testing.TB
	dir, base string
	runner    checks.Runner
}

// tests is a minimal test runner: it prints in the format of go test -json.
const tests = `failed=0
for t in tests/*.t; do
  how=pass
  sh $t >/dev/null || { how=fail; failed=1; }
  grep -q SKIP $t && how=skip
  echo "{\"Action\":\"$how\",\"Package\":\"shop\",\"Test\":\"$t\"}"
done
exit $failed`

const list = `checks:
  test: {run: sh run.sh, base: ["tests/**", run.sh]}
  kept: {run: sh run.sh, report: gotest, kept: true}
  named: {run: sh run.sh, report: gotest}
  junit: {run: sh report.sh, report: {junit: out/report.xml}}
  within: {run: test -e here, dir: sub}
  there: {exists: docs/guide.md}
  clean: {tree: clean}
  scope: {touches: [code.txt], leaves: ["tests/**"]}
  slow: {run: sh slow.sh}
  short: {run: sh slow.sh, timeout: 1s}
`

func newTestRepository(t testing.TB, list string) *testRepository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &testRepository{TB: t, dir: filepath.Join(dir, "shop")}
	s.runner = checks.Runner{Dir: filepath.Join(dir, "checks"), Executable: commandtest.Program, Getenv: os.Getenv, Now: time.Now}
	require.NoError(t, os.Mkdir(s.dir, 0o755))
	s.git("init", "-q")
	s.base = s.commit(map[string]string{
		checks.File: list, "run.sh": tests, "tests/a.t": "grep -q good code.txt", "tests/b.t": "true", "code.txt": "bad\n",
		"report.sh": `echo '<testsuite><testcase name="a"/></testsuite>' >out/report.xml`, "out/keep": "", "sub/here": "", "slow.sh": "",
		"docs/guide.md": "guide",
	})
	s.allowChecks()
	return s
}

func (s *testRepository) git(args ...string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	require.NoError(s, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// commit writes files and commits them. It removes a file whose text is empty, and makes a link if the text begins with
// ->.
func (s *testRepository) commit(files map[string]string) string {
	s.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path, text := filepath.Join(s.dir, name), files[name]
		require.NoError(s, os.RemoveAll(path))
		require.NoError(s, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, link := strings.CutPrefix(text, "->"); link {
			require.NoError(s, os.Symlink(target, path))
		} else if text != "-" {
			require.NoError(s, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", "work")
	return s.git("rev-parse", "HEAD")
}

func (s *testRepository) repository() git.Repository {
	r, ok := git.FindRepository(s.dir, func(string) bool { return false })
	require.True(s, ok)
	return r
}

func (s *testRepository) allowChecks() {
	s.Helper()
	l, err := s.runner.ReadList(s.Context(), s.repository(), s.base)
	require.NoError(s, err)
	require.NoError(s, s.runner.Permissions(s.repository()).Allow(consent.Checks, l.Digest, consent.Permission{Path: os.Getenv("PATH")}))
}

func (s *testRepository) runChecks(commit string, names ...string) schemas.CheckReport {
	s.Helper()
	seen, err := s.runner.Run(s.Context(), checks.Job{
		Repository: s.repository(), Base: s.base, Commit: commit, Names: names, Uncommitted: strings.Fields(s.git("ls-files", "--others")),
	})
	require.NoError(s, err)
	return seen
}

var good = map[string]string{"code.txt": "good\n", "docs/guide.md": "better"}

func TestRun_PassesTrueChecks(t *testing.T) {
	s := newTestRepository(t, list)
	for _, work := range []map[string]string{
		good,
		{"tests/c.t": "true"},
		{"code.txt": "good, and more\n", "docs/guide.md": "->real.md", "docs/real.md": "guide"},
	} {
		commit := s.commit(work)
		names := []string{"test", "kept", "named", "junit", "within", "there", "clean", "slow"}
		seen := s.runChecks(commit, names...)
		require.Empty(t, seen.Unobserved)
		require.Len(t, seen.Observed, len(names))
		for _, o := range seen.Observed {
			require.True(t, o.Passed, "%s", o)
			require.Equal(t, commit, o.Commit)
			require.Len(t, o.List, 64)
		}
	}
}

func TestRun_FailsFalseChecks(t *testing.T) {
	for name, tt := range map[string]struct {
		check string
		work  map[string]string
		why   string
	}{
		"the code does not pass":              {"test", map[string]string{"code.txt": "worse"}, "it ended with status 1"},
		"a test is weaker":                    {"test", map[string]string{"tests/a.t": "true"}, "it ended with status 1"},
		"a new test of no worth":              {"scope", map[string]string{"code.txt": "good", "tests/c.t": ""}, "must not change: tests/c.t"},
		"a folder of tests is a link":         {"test", map[string]string{"tests": "->other", "other/a.t": "true"}, "it ended with status 1"},
		"the script that runs tests does not": {"test", map[string]string{"run.sh": "exit 0"}, "it ended with status 1"},
		"a test is deleted":                   {"kept", map[string]string{"code.txt": "good", "tests/b.t": "-"}, "1 passed at the base and do not pass now: shop tests/b.t"},
		"a test is skipped":                   {"kept", map[string]string{"code.txt": "good", "tests/b.t": "true # SKIP"}, "do not pass now: shop tests/b.t"},
		"no test runs":                        {"named", map[string]string{"run.sh": "exit 0"}, "its report names no test that passed"},
		"a test fails and the status is good": {"named", map[string]string{"run.sh": tests + "; exit 0", "code.txt": "bad"}, "it ended with status 1"},
		"the list is weaker":                  {"test", map[string]string{checks.File: "checks: {test: exit 0}"}, "it ended with status 1"},
		"a report is committed":               {"junit", map[string]string{"report.sh": "exit 0", "out/report.xml": `<testcase name="a"/>`}, "is no regular file in the tree"},
		"a report leads out":                  {"junit", map[string]string{"report.sh": `ln -s "$HOME/.profile" out/report.xml`}, "is no regular file in the tree"},
		"a report fails":                      {"junit", map[string]string{"report.sh": `echo '<testcase name="a"><failure/></testcase>' >out/report.xml`}, "1 failed: a"},
		"a report is broken":                  {"junit", map[string]string{"report.sh": `echo '<testcase name="a">' >out/report.xml`}, "its report is no XML"},
		"a directory leads out":               {"within", map[string]string{"sub": "->" + os.TempDir()}, "sub is no directory of the commit"},
		"a file leads out":                    {"there", map[string]string{"docs/guide.md": "->../../guide.md"}, "is no regular file"},
		"a file is a folder":                  {"there", map[string]string{"docs/guide.md": "-", "docs/guide.md/x": ""}, "is no regular file"},
		"it hangs":                            {"short", map[string]string{"slow.sh": "sleep 60"}, "it did not end within 1s"},
		"it ignores its end":                  {"short", map[string]string{"slow.sh": "trap '' TERM INT; setsid sleep 60; sleep 60"}, "it did not end within 1s"},
		"it goes on in the background":        {"slow", map[string]string{"slow.sh": "setsid sleep 60 >/dev/null 2>&1 & exit 0"}, "it left 1 process running"},
		"it floods":                           {"slow", map[string]string{"slow.sh": "cat /dev/zero"}, "it printed more than 16 MiB"},
		"it kills itself":                     {"slow", map[string]string{"slow.sh": "kill -9 $$"}, "it ended with status 137"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestRepository(t, list)
			seen := s.runChecks(s.commit(tt.work), tt.check)
			require.Empty(t, seen.Unobserved)
			require.Len(t, seen.Observed, 1)
			require.False(t, seen.Observed[0].Passed)
			require.Contains(t, seen.Observed[0].Why, tt.why)
			require.Empty(t, processesBelow(t, s.dir))
		})
	}
}

// A command that needs too much of the machine ends with a reason, and with all its processes.
func TestRun_BoundsResourcesOfCommand(t *testing.T) {
	const many = "i=0; while test $i -lt 1300; do setsid sleep 600 >/dev/null 2>&1 & i=$((i+1)); done; wait"
	s := newTestRepository(t, "checks:\n  many: sh many.sh\n  files: test $(ulimit -c) = 0 -a $(ulimit -f) = $((16 << 21))\n")
	seen := s.runChecks(s.commit(map[string]string{"many.sh": many}), "many", "files")
	require.Equal(t, "it had more than 1000 processes", seen.Observed[0].Why, "%v", seen)
	require.True(t, seen.Observed[1].Passed, "%v", seen)
	require.Empty(t, processesBelow(t, s.dir))
	require.True(t, platform.UsesTooMuchMemory([]int{os.Getpid()}, 0))
	require.False(t, platform.UsesTooMuchMemory([]int{os.Getpid()}, 0.75))
}

// A changed test can fake the output of a passing test. It cannot if the test files come from the base.
func TestRun_TakesFakedTestFromBase(t *testing.T) {
	s := newTestRepository(t, "checks:\n  test: {run: go test -json ./..., report: gotest, kept: true, env: [GOCACHE, GOFLAGS], base: ['**/*_test.go']}\n")
	const test = "package shop\nimport \"testing\"\nfunc TestPrice(t *testing.T) { if Price() != 3 { t.Fail() } }\n"
	s.base = s.commit(map[string]string{"go.mod": "module shop\ngo 1.26\n", "a.go": "package shop\nfunc Price() int { return 3 }\n", "a_test.go": test})
	s.allowChecks()
	fake := "func TestMain(*testing.M) { fmt.Println(\"\\x16=== RUN   TestPrice\\n\\x16--- PASS: TestPrice (0.00s)\\nPASS\"); os.Exit(0) }\n"
	faked := strings.Replace(test, `import "testing"`, `import ("fmt"; "os"; "testing")`, 1) + fake
	wrong := map[string]string{"a.go": "package shop\nfunc Price() int { return 4 }\n", "a_test.go": faked}
	seen := s.runChecks(s.commit(wrong), "test")
	require.Contains(t, seen.Observed[0].Why, "shop TestPrice")
	seen = s.runChecks(s.commit(map[string]string{"a.go": "package shop\nfunc Price() int { return 1 + 2 }\n"}), "test")
	require.True(t, seen.Observed[0].Passed, "%v", seen)
}

func TestRun_GivesReasonWithoutObservation(t *testing.T) {
	s := newTestRepository(t, list+"  always: {run: touch ../../../../ran, always: true}\n")
	commit := s.commit(good)
	weaker := s.commit(map[string]string{checks.File: list + "  always: exit 0"})
	broken := s.commit(map[string]string{checks.File: "checks: [test]"})
	long := s.commit(map[string]string{checks.File: list + strings.Repeat("#", 1<<16)})
	s.git("checkout", "-q", "-b", "other", s.base)
	other := s.commit(map[string]string{"code.txt": "good"})
	job := checks.Job{Repository: s.repository(), Base: s.base, Commit: commit, Names: []string{"test"}}
	for name, tt := range map[string]struct {
		job  func(*checks.Job)
		why  string
		also string
	}{
		"no such commit": {func(j *checks.Job) { j.Commit = strings.Repeat("1", 40) }, "is no commit of this repository", "always"},
		"no id":          {func(j *checks.Job) { j.Commit = "--upload-pack=x" }, "is no commit of this repository", "always"},
		"a file":         {func(j *checks.Job) { j.Commit = s.git("rev-parse", commit+":code.txt") }, "is no commit of this repository", "always"},
		"a stale base":   {func(j *checks.Job) { j.Commit, j.Base = other, commit }, "does not contain the base", "always"},
		"a changed list": {func(j *checks.Job) { j.Base, j.Commit = weaker, weaker }, "A person allows it once, at a terminal: handoff allow", ""},
		"a broken list":  {func(j *checks.Job) { j.Base, j.Commit = broken, broken }, "checks.yaml:1: checks has no names in it", ""},
		"a long list":    {func(j *checks.Job) { j.Base, j.Commit = long, long }, "this is more than 64 KiB", ""},
		"no list": {func(j *checks.Job) {
			j.Base = s.git("commit-tree", "-m", "x", s.git("hash-object", "-w", "-t", "tree", os.DevNull))
		}, "there is no .handoff/checks.yaml at the base", ""},
		"no base":            {func(j *checks.Job) { j.Base = strings.Repeat("2", 40) }, "is no commit of this repository", ""},
		"no repository":      {func(j *checks.Job) { j.Repository = git.Repository{} }, "there is no git repository", ""},
		"no check":           {func(j *checks.Job) { j.Names = []string{"tset"} }, "There are test, kept,", "-"},
		"no tree to look at": {func(j *checks.Job) { j.Names, j.Unknown = []string{"clean"}, "git is busy" }, "git is busy", "-"},
	} {
		j, ran := job, filepath.Join(filepath.Dir(s.dir), "ran")
		tt.job(&j)
		require.NoError(t, os.RemoveAll(ran))
		seen, err := s.runner.Run(t.Context(), j)
		require.NoError(t, err)
		require.Contains(t, seen.Unobserved[j.Names[0]], tt.why, name)
		if tt.also == "-" { // the list is good, and the checks that always run were run
			continue
		}
		require.Empty(t, seen.Observed, name)
		require.NoFileExists(t, ran)
		require.Equal(t, slices.Contains([]string{"a broken list", "a long list", "no base", "no repository"}, name), seen.Unread != "", name)
		names := slices.DeleteFunc([]string{tt.also, "test"}, func(name string) bool { return name == "" })
		require.ElementsMatch(t, names, slices.Collect(maps.Keys(seen.Unobserved)), name)
	}
	were, err := s.runner.Permissions(s.repository()).Deny("")
	require.NoError(t, err)
	require.Equal(t, 1, were)
	require.Contains(t, s.runChecks(commit).Unobserved["always"], "nobody allowed")
}

// The configuration of a repository has no effect in the trees of handoff. Files that a command left have no effect
// either.
func TestRun_HostileRepositoryExecutesNothing(t *testing.T) {
	s := newTestRepository(t, `checks:
  test: 'git config core.fsmonitor "touch owned"; git config filter.x.smudge "touch owned; cat"; echo "code.txt filter=x" >.gitattributes; chmod 500 sub; mkdir -p new/.git
    test "$(cat code.txt)" = good; code=$?; git update-index --skip-worktree code.txt; echo bad >code.txt; exit $code'`)
	owned := filepath.Join(s.dir, "owned")
	for key, value := range map[string]string{"core.fsmonitor": "touch ", "filter.x.smudge": "cat; touch ", "filter.x.process": "touch ", "diff.x.textconv": "touch "} {
		s.git("config", key, value+owned)
	}
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction"} {
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, ".git", "hooks", hook), []byte("#!/bin/sh\ntouch "+owned), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "code.txt"), []byte("good\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, ".gitattributes"), []byte("* filter=x diff=x\n"), 0o644))
	s.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "filter.x.process=", "add", "-A")
	s.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "filter.x.process=", "commit", "-q", "-m", "work")
	s.git("replace", s.base, s.git("commit-tree", "-m", "no list", s.git("hash-object", "-w", "-t", "tree", os.DevNull)))
	require.NoError(t, os.RemoveAll(owned))
	commit := s.git("-c", "core.fsmonitor=false", "rev-parse", "HEAD")
	for range 3 {
		seen, err := s.runner.Run(t.Context(), checks.Job{Repository: s.repository(), Base: s.base, Commit: commit, Names: []string{"test"}})
		require.NoError(t, err)
		require.True(t, seen.Observed[0].Passed, "%v", seen)
	}
	require.NoFileExists(t, owned)
}

// processesBelow returns the processes of commands that ran for a repository below a directory.
func processesBelow(t testing.TB, dir string) (pids []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, process := range all {
		environ, _ := os.ReadFile(filepath.Join(process, "environ"))
		cwd, _ := os.Readlink(filepath.Join(process, "cwd"))
		if strings.Contains(string(environ), "HANDOFF_CHECK=") && strings.HasPrefix(cwd, filepath.Dir(dir)) {
			pids = append(pids, filepath.Base(process))
		}
	}
	return pids
}
