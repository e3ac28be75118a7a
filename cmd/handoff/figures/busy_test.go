//go:build linux

package figures_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/stretchr/testify/require"
)

// busyCounts counts what handoff knows of the tree on a busy machine: the base of a claim, its uncommitted files after
// the time of one look at the tree, and the exact files of a completion. Each tenth claim is of a new process.
func (r *run) busyCounts() {
	defer r.keepBusy()()
	state, based, seen, exact := r.TempDir(), map[bool]int{}, map[bool]int{}, map[bool]int{}
	for i := 0; i < max(2, r.calls/40); i += 10 {
		p := r.agent(state, r.program, "planner")
		for range min(10, r.calls/32) {
			p.call(send(p.agent, p.n))
			id := idOf(p.call(claim))
			r.status()
			tree := p.read(id).Standing.ClaimedIn
			based[tree.Base != ""]++
			seen[tree.SeenAt != nil]++
			r.write("while-busy", id)
			p.call(complete(id))
			exact[slices.Equal(p.read(id).Completion.Tree.Uncommitted, r.status())]++
			require.NoError(r, os.Remove(filepath.Join(r.dir, "while-busy")))
		}
		p.end()
	}
	r.Logf("%d files, busy machine: %d claims have a base, %d have none; %d know their files after one look, %d do not; "+
		"%d completions know their files exactly, %d do not", r.files, based[true], based[false], seen[true], seen[false], exact[true], exact[false])
	if r.rounds > 1 {
		require.Zero(r, based[false]+exact[false])
	}
}

// keepBusy runs two endless loops for each processor, until the returned function is called.
func (r *run) keepBusy() (end func()) {
	ctx, cancel := context.WithCancel(r.Context())
	var loops sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		loops.Go(func() { _ = exec.CommandContext(ctx, "sh", "-c", "while :; do :; done").Run() }) // it is killed
	}
	return func() { cancel(); loops.Wait() }
}
