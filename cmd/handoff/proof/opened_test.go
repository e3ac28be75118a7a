package proof_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/sandbox"
)

// A play is work with a check, and other work that waits for it.
type play struct {
	repository
	workspace  string
	id, gate   string
	refused    int // how often the holder was refused
	acceptedBy schemas.Agent
}

// A way is an end of work. Before changes the repository before the send, with the flags of the send.
type way struct {
	name, check string
	before      func(p *play)
	send        []string
	play        func(p *play)
}

var nowhere = strings.Repeat("f", 40)

// complete hands the work in, with a claim that the check passes.
func (p *play) complete(flags ...string) int {
	code, _ := p.run(append([]string{"complete", p.id, "--agent", "dev", "--summary", "done", "--met", "1=ran it"}, flags...)...)
	if code != 0 {
		p.refused++
	}
	return code
}

// at is the play with another directory or other variables for the holder's calls.
func (p *play) at(dir string, env ...string) *play {
	q := *p
	q.dir, q.env = cmp.Or(dir, p.dir), append(append([]string{}, p.env...), env...)
	return &q
}

// away completes from a directory without a repository.
func (p *play) away(flags ...string) int {
	q := p.at(p.t.TempDir())
	return q.complete(append(flags, "--workspace", p.workspace)...)
}

// partial completes refused work as partial, which a holder may do unless the work is strict.
func (p *play) partial(flags ...string) { p.complete(append(flags, "--outcome", "partial")...) }

// without is a PATH with some programs and not git.
func (p *play) without() string {
	dir := p.t.TempDir()
	for _, name := range []string{"sh", "cat", "echo"} {
		if path, err := exec.LookPath(name); err == nil {
			require.NoError(p.t, os.Symlink(path, filepath.Join(dir, name)))
		}
	}
	return "PATH=" + dir
}

// other is another repository, whose checks pass.
func (p *play) other() repository {
	r := p.repository
	r.dir = p.t.TempDir()
	r.git("init", "-q", "-b", "main")
	r.commit(".handoff/checks.yaml", "checks: {test: exit 0}\n").handoff(0, "checks", "allow")
	return r
}

const supervisor = "$(cut -d' ' -f4 /proc/$PPID/stat)"

// deceits are false, and must keep dependents blocked.
var deceits = []way{
	{name: "a commit that is not there", check: "test", play: func(p *play) { p.complete("--result", "commit="+nowhere) }},
	{name: "a failure, then a commit that is not there", check: "test", play: func(p *play) {
		p.complete()
		p.complete("--result", "commit="+nowhere)
	}},
	{name: "a failure, then a commit that is not there, where a claim is enough", check: "test", send: []string{"--evidence", "claimed"}, play: func(p *play) {
		p.complete()
		p.complete("--result", "commit="+nowhere)
	}},
	{name: "a failure, given back and claimed anew, then another directory", check: "test", send: []string{"--evidence", "claimed"}, play: func(p *play) {
		p.complete()
		p.handoff(0, "update", p.id, "--agent", "dev", "--release")
		p.handoff(0, "claim", p.id, "--agent", "dev")
		p.away()
	}},
	{name: "strict, a commit that is not there", check: "test", send: []string{"--strict"}, play: func(p *play) {
		require.NotZero(p.t, p.complete("--result", "commit="+nowhere))
		p.partial("--result", "commit="+nowhere)
	}},
	{name: "strict, another directory", check: "test", send: []string{"--strict"}, play: func(p *play) { require.NotZero(p.t, p.away()) }},
	{name: "another directory", check: "test", play: func(p *play) { p.away() }},
	{name: "--dir elsewhere", check: "test", play: func(p *play) { p.complete("--dir", p.t.TempDir(), "--workspace", p.workspace) }},
	{name: "another repository", check: "test", play: func(p *play) { p.at(p.other().dir).complete("--workspace", p.workspace) }},
	{name: "git is not in PATH", check: "test", play: func(p *play) { p.at("", p.without()).complete() }},
	{name: "no directory for temporary files", check: "test", play: func(p *play) { p.at("", "TMPDIR="+filepath.Join(p.dir, "none")).complete() }},
	{name: "the git directory renamed", check: "test", play: func(p *play) {
		from, to := filepath.Join(p.dir, ".git"), filepath.Join(p.dir, ".hidden")
		require.NoError(p.t, os.Rename(from, to))
		p.complete("--workspace", p.workspace)
		require.NoError(p.t, os.Rename(to, from))
	}},
	{name: "a list that nobody allowed", check: "test", before: func(p *play) { p.handoff(0, "checks", "deny") }, play: func(p *play) { p.complete() }},
	{name: "no list", check: "test", before: func(p *play) { p.git("rm", "-q", ".handoff/checks.yaml").git("commit", "-q", "-m", "none") }, play: func(p *play) { p.complete() }},
	{name: "a broken list", check: "test", before: func(p *play) { p.commit(".handoff/checks.yaml", "checks: [\n") }, play: func(p *play) { p.complete() }},
	{name: "a check that there is not", check: "nosuch", play: func(p *play) { p.complete() }},
	{name: "a commit of another history", check: "test", play: func(p *play) {
		p.git("checkout", "-q", "--orphan", "old").commit("add.sh", mended)
		p.complete()
	}},
	{name: "a branch that is called as a commit", check: "test", play: func(p *play) {
		p.git("branch", "-f", "badc0de")
		p.complete("--result", "commit=badc0de")
	}},
	{name: "the supervisor is killed", check: "quick", play: func(p *play) {
		p.commit("add.sh", "(env -i setsid sleep 3 &); kill -9 "+supervisor+"\n")
		p.complete()
	}},
	{name: "the supervisor is killed, with a word before", check: "quick", play: func(p *play) {
		p.commit("add.sh", "s="+supervisor+"; echo '{\"Exit\":0}' >/proc/$s/fd/1; kill -9 $s\n")
		p.complete()
	}},
	{name: "the supervisor is stopped", check: "quick", play: func(p *play) {
		p.commit("add.sh", "kill -STOP "+supervisor+"; sleep 60\n")
		p.complete()
	}},
	{name: "tests that failed, where a claim is enough", check: "test", send: []string{"--evidence", "claimed"}, play: func(p *play) {
		p.write("../said.json", `{"summary":"done","results":{"commit":"`+nowhere+`"},"verification":{"tests_failed":3,"criteria":[{"criterion":"1","met":true}]}}`)
		p.handoff(0, "complete", p.id, "--agent", "dev", "--file", "../said.json")
	}},
	{name: "not done, by its status", check: "test", play: func(p *play) {
		p.write("../said.json", `{"status":"not_done","summary":"x","results":{"commit":"`+nowhere+`"},"verification":{"criteria":[{"criterion":"1","met":true}]}}`)
		code, _ := p.run("complete", p.id, "--agent", "dev", "--file", "../said.json")
		require.NotZero(p.t, code)
	}},
	{name: "the base moved by its holder", check: "test", play: func(p *play) {
		p.git("checkout", "-q", "-b", "fix").commit("run-tests.sh", "exit 0\n")
		p.complete()
		p.handoff(0, "update", p.id, "--agent", "dev", "--release")
		p.git("branch", "-f", "main", "fix").handoff(0, "claim", p.id, "--agent", "dev")
		p.complete()
		p.partial()
	}},
}

// honest are true, and must open dependents.
var honest = []way{
	{name: "mended", check: "test", play: func(p *play) { p.mend().done() }},
	{name: "main moved by others", check: "test", play: func(p *play) {
		p.git("checkout", "-q", "-b", "fix").mend().git("checkout", "-q", "main").commit("other", "x").git("checkout", "-q", "fix")
		p.git("merge", "-q", "--no-edit", "main")
		p.done()
	}},
	{name: "a list that was mended and allowed again", check: "more", before: func(p *play) {
		p.commit(".handoff/checks.yaml", "checks: {more: test -e new}\n").handoff(0, "checks", "allow")
	}, play: func(p *play) {
		p.commit("new", "x")
		p.done()
	}},
	{name: "a list that is allowed after the first try", check: "test", before: func(p *play) { p.handoff(0, "checks", "deny") }, play: func(p *play) {
		p.mend()
		code, _ := p.run("complete", p.id, "--agent", "dev", "--summary", "done")
		require.NotZero(p.t, code, "nobody looked, and nobody claims")
		p.handoff(0, "checks", "allow")
		p.done()
	}},
	{name: "a later look", check: "test", play: func(p *play) {
		require.Zero(p.t, p.away("--result", "commit="+p.mend().head()))
		p.handoff(0, "checks", "run", p.id)
	}},
	{name: "a later look, of strict work where a claim is enough", check: "test", send: []string{"--strict", "--evidence", "claimed"}, play: func(p *play) {
		require.Zero(p.t, p.away("--result", "commit="+p.mend().head()))
		p.handoff(0, "checks", "run", p.id)
	}},
	{name: "a later commit", check: "test", play: func(p *play) {
		p.commit("add.sh", "echo 5\n")
		require.NotZero(p.t, p.complete())
		p.refused = 0 // it was false
		p.mend().done()
	}},
	{name: "a failure, then an evasion without a claim, then mended", check: "test", play: func(p *play) {
		p.complete()
		code, _ := p.run("complete", p.id, "--agent", "dev", "--summary", "done", "--result", "commit="+nowhere)
		require.NotZero(p.t, code)
		p.refused = 0
		p.mend().done()
	}},
	{name: "a rework after a return", check: "test", play: func(p *play) {
		p.complete("--result", "commit="+nowhere)
		var again schemas.UpdateOut
		p.read(&again, 0, "update", p.id, "--agent", "lead", "--return", "--reason", "nobody looked")
		p.id = again.Created.String()
		p.handoff(0, "claim", p.id, "--agent", "dev")
		p.mend()
		p.handoff(0, "complete", p.id, "--agent", "dev", "--summary", "done", "--met", "1=yes", "--met", "2=yes")
	}},
	{name: "a claim is enough", check: "test", send: []string{"--evidence", "claimed"}, play: func(p *play) { require.Zero(p.t, p.away()) }},
	{name: "a claim is enough, and there is no list", check: "test", send: []string{"--evidence", "claimed"}, before: func(p *play) {
		p.git("rm", "-q", ".handoff/checks.yaml").git("commit", "-q", "-m", "none")
	}, play: func(p *play) { p.done() }},
	{name: "accepted by its sender", check: "test", play: func(p *play) {
		p.complete("--result", "commit="+nowhere)
		p.acceptedBy = "lead"
	}},
	{name: "accepted by a person", check: "test", play: func(p *play) {
		p.away()
		p.acceptedBy = schemas.Human
	}},
	{name: "strict", check: "test", send: []string{"--strict"}, play: func(p *play) { p.mend().done() }},
	{name: "the beginning of a commit", check: "test", play: func(p *play) { p.mend().done("--result", "commit="+p.head()[:12]) }},
	{name: "a commit in capitals", check: "test", play: func(p *play) { p.mend().done("--result", "commit="+strings.ToUpper(p.head())) }},
	{name: "in a directory below", check: "test", play: func(p *play) { p.mend().at(filepath.Join(p.dir, "tests")).done() }},
	{name: "in another worktree", check: "test", play: func(p *play) {
		tree := filepath.Join(p.t.TempDir(), "tree")
		p.git("worktree", "add", "-q", "-f", "-B", "fix", tree)
		p.at(tree).mend().done()
		p.git("worktree", "remove", "--force", tree)
	}},
	{name: "at no branch", check: "test", play: func(p *play) {
		p.git("checkout", "-q", "--detach")
		p.mend().done()
	}},
	{name: "a directory for temporary files that comes back", check: "test", play: func(p *play) {
		p.mend()
		code, _ := p.at("", "TMPDIR="+filepath.Join(p.dir, "none")).run("complete", p.id, "--agent", "dev", "--summary", "done")
		require.NotZero(p.t, code, "nobody looked, and nobody claims")
		p.done()
	}},
	{name: "finished by another", check: "test", play: func(p *play) {
		p.complete()
		p.refused = 0
		p.mend().handoff(0, "update", p.id, "--agent", "dev", "--release")
		p.handoff(0, "claim", p.id, "--agent", "dev")
		p.done()
	}},
}

func (p *play) mend() *play {
	p.repository.commit("add.sh", mended)
	return p
}

func (p *play) git(args ...string) *play {
	p.repository.git(args...)
	return p
}

func (p *play) commit(path, text string) *play {
	p.repository.commit(path, text)
	return p
}

func (p *play) done(flags ...string) { require.Zero(p.t, p.complete(flags...)) }

// A dependent opens when checks passed, when the sender said that a claim is enough, or when the
// work was accepted, and never otherwise. make believed plays each way 16 times.
func TestObservations_OnlyObservedOpensDependents(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("HANDOFF_BELIEVED"), "1"))
	require.NoError(t, err)
	for _, kinds := range []struct {
		all  []way
		true bool
	}{{deceits, false}, {honest, true}} {
		for _, w := range kinds.all {
			t.Run(w.name, func(t *testing.T) {
				r := newShop(t)
				observed, success, opened, refused := 0, 0, 0, 0
				for range rounds {
					p := r.begin(w)
					w.play(p)
					seen, won, open := p.outcome()
					observed, success, opened, refused = observed+seen, success+won, opened+open, refused+p.refused
				}
				t.Logf("%3d played, %3d observed, %3d success, %3d opened, %3d refused: %t, %s", rounds, observed, success, opened, refused, kinds.true, w.name)
				if kinds.true {
					require.Equal(t, rounds, opened)
					require.Zero(t, refused)
				} else {
					require.Zero(t, observed+success+opened)
				}
			})
		}
	}
}

// begin sends work and a dependent, and claims the work.
func (r repository) begin(w way) *play {
	r.git("checkout", "-q", "-f", "main").git("clean", "-fdqx")
	_ = exec.CommandContext(r.t.Context(), "git", "-C", r.dir, "branch", "-q", "-D", "fix", "old").Run() // of the round before
	p := &play{repository: r}
	if r.git("tag", "-f", "now"); w.before != nil {
		w.before(p)
	}
	var at struct{ Workspace string }
	var sent, waits schemas.SendOut
	r.read(&sent, 0, append([]string{"send", "dev", "Mend add.sh", "--check", w.check, "--agent", "lead"}, w.send...)...)
	r.read(&at, 0, "where")
	p.id, p.workspace = sent.HandoffID.String(), at.Workspace
	r.read(&waits, 0, "send", "deploy", "Deploy it", "--after", p.id, "--agent", "lead")
	p.gate = waits.HandoffID.String()
	r.handoff(0, "claim", p.id, "--agent", "dev")
	return p
}

// outcome returns the result of the work, and whether its dependent may be claimed.
func (p *play) outcome() (seen, success, opened int) {
	if p.acceptedBy != "" {
		p.handoff(0, "update", p.id, "--agent", string(p.acceptedBy), "--accept")
	}
	var got schemas.GetOut
	p.read(&got, 0, "show", p.id, "--outcome", "--agent", "lead")
	if done := got.Completion; done != nil {
		for _, a := range done.Criteria {
			p.t.Logf("%s, %s: %s", p.id, done.Status, done.EvidenceText(a))
			if a.Check != "" && a.Observed != nil && a.IsMet() {
				seen = 1
			}
		}
		if done.Status == schemas.Success {
			success = 1
		}
	}
	if code, _ := p.run("claim", p.gate, "--agent", "deploy"); code == 0 {
		opened = 1
	}
	p.git("checkout", "-q", "-f", "main").git("reset", "-q", "--hard", "now").handoff(0, "checks", "allow")
	return seen, success, opened
}
