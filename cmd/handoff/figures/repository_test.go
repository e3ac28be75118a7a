//go:build linux

package figures_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/git"
)

// TestCosts_OfRepositories prints the costs of cycles in repositories, beside the same outside of git. HANDOFF_FILES
// lists the numbers of files. HANDOFF_BEFORE names an older version of the program to compare with. HANDOFF_FIGURES=1
// measures in full. Without it the test makes a small number of calls, to check that it works.
func TestCosts_OfRepositories(t *testing.T) {
	r := newRun(t)
	for size := range strings.FieldsSeq(cmp.Or(os.Getenv("HANDOFF_FILES"), fmt.Sprint(1, r.files, 10*r.files))) {
		files, err := strconv.Atoi(size)
		require.NoError(t, err)
		r.files, r.dir = files, r.repository(files)
		r.costs()
		t.Log("\n" + r.table())
		r.rows = nil
		r.busyCounts()
	}
}

// repository makes a packed repository with files, 18 in a directory. The branch topic changed up to 200 of them, in
// commits of 50. Up to 20 files are modified, and as many are untracked.
func (r *run) repository(files int) string {
	at := r.at(r.TempDir())
	write := func(text string, from, to int) {
		for i := from; i < to; i++ {
			at.write(fmt.Sprintf("part-%d/file-%d.go", i/18, i), fmt.Sprint(text, i))
		}
	}
	at.git("init", "-q", "-b", "main")
	write("first", 0, files)
	at.commit()
	at.git("checkout", "-q", "-b", "topic")
	changed, dirty := min(200, files/25), min(20, files)
	for i := 0; i < changed; i += 50 {
		write("changed", i, min(i+50, changed))
		at.commit()
	}
	at.git("gc", "-q")
	write("modified", files-dirty, files)
	write("new", files, files+dirty)
	at.git("status") // it writes the state of the files into the index, which handoff does not
	return at.dir
}

func (r *run) git(args ...string) { r.said("", append([]string{"git", "-c", "gc.auto=0"}, args...)...) }

func (r *run) commit() {
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "more")
}

// status lists the uncommitted files by one git status, as handoff asks for it.
func (r *run) status() []string {
	repository, _ := git.FindRepository(r.dir, func(string) bool { return false })
	files, err := repository.UncommittedFiles(r.Context())
	require.NoError(r, err)
	return files
}

// costs compares cycles in the repository of the run with cycles elsewhere.
func (r *run) costs() {
	in, before := fmt.Sprintf("%d files: ", r.files), os.Getenv("HANDOFF_BEFORE")
	ours, outside := r.agent(r.TempDir(), r.program, "planner"), r.at("").agent(r.TempDir(), r.program, "planner")
	r.compare(in, ours, outside, "the same outside of git", map[int]string{
		claims: "≤ 1.3", empties: "≤ 1.5", crowds: map[int]string{1: "≥ 0.35"}[r.files],
	})
	outside.end()
	r.byTurns(in+"completion, p50", "one git status", "≤ + 3 ms", max(2, r.calls/80),
		func() time.Duration { return ours.lap()[completions] }, func() time.Duration { return took(func() { r.status() }) })
	if before != "" {
		older := r.agent(r.TempDir(), before, "planner")
		aim := map[int]string{5000: "≥ 2.5", 50_000: "≥ 10"}[r.files]
		r.compare(in, ours, older, "an older version", map[int]string{crowds: aim})
		older.end()
	}
	ours.end()
	for _, callers := range []int{1, 64} {
		r.add(fmt.Sprintf("%sgit processes of a cycle, %d at a time", in, callers), "", "an older version", "", func() (float64, float64) {
			return r.processes(r.program, callers), r.processes(before, callers)
		})
	}
}

// processes is how many processes of git a program starts for a cycle. A script in place of git counts them.
func (r *run) processes(program string, callers int) float64 {
	if program == "" {
		return 0
	}
	real, err := exec.LookPath("git")
	require.NoError(r, err)
	bin, counted, cycles := r.at(r.TempDir()), r.at(r.dir), max(8, r.calls/60)
	log := filepath.Join(bin.dir, "log")
	bin.write("git", fmt.Sprintf("#!/bin/sh\necho >>%s\nexec %s \"$@\"\n", log, real))
	counted.env = []string{"PATH=" + bin.dir + ":" + os.Getenv("PATH")}
	p := counted.agent(r.TempDir(), program, "planner")
	p.cycles(callers, cycles)
	p.end()
	lines, err := os.ReadFile(log)
	require.NoError(r, err)
	return float64(len(lines)) / float64(cycles)
}
