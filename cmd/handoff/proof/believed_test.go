package proof_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

// shop is a repository whose script adds wrongly, with checks that a person allowed.
var shop = map[string]string{
	"add.sh": "echo 4\n",
	"run-tests.sh": `echo '<testsuite>' >report.xml; bad=0
for t in tests/*.sh; do
  if sh $t; then echo "<testcase name='$t'/>"; else bad=1; echo "<testcase name='$t'><failure/></testcase>"; fi >>report.xml
done
echo '</testsuite>' >>report.xml; exit $bad
`,
	"tests/add.sh":   "test \"$(sh add.sh 1 2)\" = 3\n",
	"tests/there.sh": "test -e add.sh\n",
	"schema.json":    `{"type":"object","required":["version"]}`,
	".gitignore":     "report.xml\n",
	".handoff/checks.yaml": `checks:
  test: {run: sh ./run-tests.sh, report: "junit: report.xml", kept: true, base: [run-tests.sh, "tests/**"], timeout: 30s}
  quick: {run: sh add.sh 1 2, timeout: 1s}
  scope: {touches: ["*.sh"], leaves: ["secrets/**"]}
  docs: {exists: docs/guide.md}
  clean: {tree: clean}
  shape: {json: out.json, schema: schema.json}
`,
}

const mended = "echo $(($1 + $2))\n"

// A completion is an agent's work and its report.
type completion struct {
	name, check string
	work        func(r repository)
	commit      string             // said in the results
	before      func(r repository) // work of the agent before its claim
}

// falseOnes are completions that are not true. Each has to be refused, or to be recorded as a claim.
var falseOnes = []completion{
	{name: "nothing was done", check: "test", work: func(r repository) { r.commit("README", "done\n") }},
	{name: "in no commit", check: "test", work: func(r repository) { r.write("add.sh", mended) }},
	{name: "a dirty tree", check: "clean", work: func(r repository) { r.commit("add.sh", mended).write("rest", "x") }},
	{name: "another commit", check: "test", commit: "BASE", work: func(r repository) { r.commit("add.sh", mended) }},
	{name: "a commit that there is not", check: "test", commit: "deadbeefdeadbeef", work: func(r repository) { r.commit("add.sh", mended) }},
	{name: "another branch", check: "test", work: func(r repository) {
		r.git("checkout", "-q", "-b", "fix").commit("add.sh", mended).git("checkout", "-q", "main")
	}},
	{name: "a test deleted", check: "test", work: func(r repository) { r.git("rm", "-q", "tests/add.sh").commit("x", "") }},
	{name: "a test skipped", check: "test", work: func(r repository) { r.commit("tests/add.sh", "exit 0\n") }},
	{name: "faked by output", check: "test", work: func(r repository) {
		r.commit("run-tests.sh", "echo \"<testsuite><testcase name='tests/add.sh'/><testcase name='tests/there.sh'/></testsuite>\" >report.xml\n")
	}},
	{name: "a wrapper that exits 0", check: "test", work: func(r repository) { r.commit("run-tests.sh", "exit 0\n") }},
	{
		name: "a wrapper made before the claim", check: "test", before: func(r repository) { r.commit("run-tests.sh", "exit 0\n") },
		work: func(r repository) { r.commit("README", "done\n") },
	},
	{name: "a weakened list", check: "test", work: func(r repository) { r.commit(".handoff/checks.yaml", "checks: {test: exit 0}\n") }},
	{name: "a stale base", check: "test", work: func(r repository) {
		r.git("checkout", "-q", "--orphan", "old").commit("add.sh", mended)
	}},
	{name: "a timeout", check: "quick", work: func(r repository) { r.commit("add.sh", "sleep 60\n") }},
	{name: "a fork that lives on", check: "quick", work: func(r repository) { r.commit("add.sh", "setsid sleep 60 >/dev/null 2>&1 &\n") }},
	{name: "an output flood", check: "quick", work: func(r repository) { r.commit("add.sh", "yes\n") }},
	{name: "a file outside", check: "docs", work: func(r repository) { r.link("/etc/passwd", "docs/guide.md").commit("x", "") }},
	{name: "a report outside", check: "test", work: func(r repository) {
		r.write("../report.xml", "<testsuite><testcase name='tests/add.sh'/><testcase name='tests/there.sh'/></testsuite>")
		r.link("../../report.xml", "report.xml").git("add", "-f", "report.xml").commit("x", "")
	}},
	{name: "files that are not to be touched", check: "scope", work: func(r repository) { r.commit("add.sh", mended).commit("secrets/key", "x") }},
	{name: "a result of another shape", check: "shape", work: func(r repository) { r.commit("out.json", `{"release": 1}`) }},
}

// trueOnes are true. None may be refused.
var trueOnes = []completion{
	{name: "mended", check: "test", work: func(r repository) { r.commit("add.sh", mended) }},
	{name: "with a test", check: "test", work: func(r repository) { r.commit("tests/more.sh", "true\n").commit("add.sh", mended) }},
	{name: "in several commits", check: "test", work: func(r repository) { r.commit("add.sh", "echo 5\n").commit("add.sh", mended) }},
	{name: "on a branch", check: "test", work: func(r repository) { r.git("checkout", "-q", "-b", "fix").commit("add.sh", mended) }},
	{name: "by a merge", check: "test", work: func(r repository) {
		r.git("checkout", "-q", "-b", "fix").commit("add.sh", mended).git("checkout", "-q", "main").commit("other", "x")
		r.git("merge", "-q", "--no-edit", "fix")
	}},
	{name: "at a commit that is named", check: "test", commit: "HEAD", work: func(r repository) { r.commit("add.sh", mended) }},
	{name: "beside notes in no commit", check: "test", work: func(r repository) { r.commit("add.sh", mended).write("notes", "x") }},
	{name: "a clean tree", check: "clean", work: func(r repository) { r.commit("add.sh", mended) }},
	{name: "only what it may touch", check: "scope", work: func(r repository) { r.commit("add.sh", mended) }},
	{name: "a file that is there", check: "docs", work: func(r repository) { r.commit("docs/guide.md", "x") }},
	{name: "a result of the shape", check: "shape", work: func(r repository) { r.commit("out.json", `{"version": 1}`) }},
	{name: "in time", check: "quick", work: func(r repository) { r.commit("add.sh", mended) }},
	{name: "with a process that it waits for", check: "quick", work: func(r repository) { r.commit("add.sh", "sleep 0.1 & wait\n") }},
}

// A done is believed where handoff saw it. HANDOFF_BELIEVED is how often each is played: make believed plays 200 of
// both.
func TestObservations_OnlyObservedIsBelieved(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("HANDOFF_BELIEVED"), "1"))
	require.NoError(t, err)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	r := newShop(t)
	for _, kinds := range []struct {
		all  []completion
		true bool
	}{{falseOnes, false}, {trueOnes, true}} {
		for _, c := range kinds.all {
			observed, refused := 0, 0
			for range rounds {
				seen, no := r.complete(c, kinds.true)
				observed, refused = observed+seen, refused+no
			}
			t.Logf("%5d played, %3d observed, %3d refused at first: %t, %s", rounds, observed, refused, kinds.true, c.name)
			if kinds.true {
				require.Equal(t, rounds, observed, c.name)
				require.Zero(t, refused, c.name)
			} else {
				require.Zero(t, observed, c.name)
				require.Equal(t, rounds, refused, c.name)
			}
		}
	}
}

// program is handoff: the program that HANDOFF_PROGRAM names, or else this one.
var program = cmp.Or(os.Getenv("HANDOFF_PROGRAM"), commandtest.Program)

// A repository is a clone of the shop.
type repository struct {
	t   *testing.T
	dir string // its own
	env []string
}

func newShop(t *testing.T) repository {
	root := t.TempDir()
	r := repository{t, filepath.Join(root, "shop"), append(commandtest.Home{T: t, State: filepath.Join(root, "state")}.Environ(),
		"HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")}
	approvals := filepath.Join(root, ".config", "handoff", "approvals")
	require.NoError(t, os.MkdirAll(filepath.Dir(approvals), 0o700))
	require.NoError(t, os.WriteFile(approvals, []byte("*\n"), 0o600))
	require.NoError(t, os.Mkdir(r.dir, 0o700))
	r.git("init", "-q", "-b", "main")
	for path, text := range shop {
		r.write(path, text)
	}
	r.git("add", "-A").git("commit", "-q", "-m", "first")
	r.handoff(0, "checks", "allow")
	return r
}

// complete plays one completion from the send to the outcome. Seen is 1 if a check is observed to pass. No is 1 if the
// completion was refused until the agent claimed more.
func (r repository) complete(c completion, isTrue bool) (seen, no int) {
	r.git("checkout", "-q", "-f", "main").git("clean", "-fdqx")
	base := r.head()
	var sent schemas.SendOut
	r.read(&sent, 0, "send", "dev", "Mend add.sh", "--check", c.check, "--agent", "lead")
	id := sent.HandoffID.String()
	if c.before != nil {
		c.before(r)
	}
	r.handoff(0, "claim", id, "--agent", "dev")
	c.work(r)
	said := schemas.CompleteIn{Result: schemas.Result{Summary: "done"}}
	if at := map[string]string{"BASE": base, "HEAD": r.head()}; c.commit != "" {
		said.Results = map[string]any{"commit": cmp.Or(at[c.commit], c.commit)}
	}
	file := filepath.Join(filepath.Dir(r.dir), "done.json")
	complete := func() int {
		b, err := json.Marshal(said)
		require.NoError(r.t, err)
		require.NoError(r.t, os.WriteFile(file, b, 0o600))
		code, _ := r.run("complete", id, "--agent", "dev", "--file", file)
		return code
	}
	if complete() != 0 {
		require.False(r.t, isTrue, "%s was refused", c.name)
		no = 1
		said.Verification = &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true, Evidence: "all green"}}}
		if complete() != 0 { // the check was seen to fail
			said.Outcome = schemas.Partial
			require.Zero(r.t, complete(), c.name)
		}
	}
	var got schemas.GetOut
	r.read(&got, 0, "show", id, "--outcome", "--agent", "lead")
	for _, a := range got.Completion.Criteria {
		if a.Observed != nil && a.IsMet() {
			seen = 1
		}
	}
	r.git("checkout", "-q", "-f", "main").git("reset", "-q", "--hard", base)
	_ = exec.CommandContext(r.t.Context(), "git", "-C", r.dir, "branch", "-q", "-D", "fix", "old").Run() // where there is one
	return seen, no
}

func (r repository) head() string {
	out, err := exec.CommandContext(r.t.Context(), "git", "-C", r.dir, "rev-parse", "HEAD").Output()
	require.NoError(r.t, err)
	return string(out[:40])
}

func (r repository) git(args ...string) repository { return r.work("git", args...) }

// work runs another program in the repository.
func (r repository) work(name string, args ...string) repository {
	cmd := exec.CommandContext(r.t.Context(), name, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "%s %v: %s", name, args, out)
	return r
}

func (r repository) write(path, text string) repository {
	path = filepath.Join(r.dir, path)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o600))
	return r
}

func (r repository) commit(path, text string) repository {
	return r.write(path, text).git("add", path).git("commit", "-q", "-m", "change "+path)
}

func (r repository) link(to, path string) repository {
	path = filepath.Join(r.dir, path)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(r.t, os.Symlink(to, path))
	return r.git("add", "-A")
}

// run runs handoff in the repository.
func (r repository) run(args ...string) (code int, out string) {
	cmd := exec.CommandContext(r.t.Context(), program, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	b, err := cmd.Output()
	if cmd.ProcessState == nil {
		require.NoError(r.t, err)
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		b = append(b, failed.Stderr...)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

func (r repository) handoff(code int, args ...string) string {
	got, out := r.run(args...)
	require.Equal(r.t, code, got, "%v: %s", args, out)
	return out
}

func (r repository) read(into any, code int, args ...string) {
	require.NoError(r.t, json.Unmarshal([]byte(r.handoff(code, append(args, "--json")...)), into))
}
