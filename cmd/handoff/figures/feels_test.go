//go:build linux

package figures_test

import (
	"os"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/require"
)

const waiting = `{"name":"claim_handoff","arguments":{"wait_seconds":50}}`

// feels measures what a person waits for. A floor is the same by hand.
func (r *run) feels() {
	many, state, shop := max(2, r.calls/80), r.TempDir(), r.at(r.repository(1))
	owner, guest := r.agent(state, r.program, "planner"), r.agent(state, r.program, "qa-0")
	shop.write("brief.md", twoKB)
	byHand := func(command ...string) time.Duration { return shop.over(state, "", command...) }
	r.byTurns("claim with a brief of 2 KB", "cat of the text, git log -1", "", many, func() time.Duration {
		owner.call(send("qa-0", 0))
		answer := ""
		defer func() { guest.call(complete(idOf(answer))) }()
		return took(func() { answer = guest.call(claim) })
	}, func() time.Duration { return byHand("cat", "brief.md") + byHand("git", "log", "-1") })
	r.byTurns("send until a waiting agent has it", "a look each second, on average", "", many, func() time.Duration {
		guest.request("tools/call", waiting)
		time.Sleep(50 * time.Millisecond) // so that it waits
		answer := ""
		defer func() { guest.call(complete(idOf(answer))) }()
		return took(func() { owner.call(send("qa-0", 0)); answer = guest.answer() })
	}, func() time.Duration { return time.Second / 2 })
	owner.end()
	guest.end()
	r.byTurns("next call after kill -9 of the owner", "", "", max(1, many/5), r.takeover, func() time.Duration { return 0 })
	shop.demandCheck(state)
	checked := shop.agent(state, r.program, "planner")
	r.byTurns("completion with a check", "sh -c true, git status", "", many, func() time.Duration { return checked.lap()[completions] },
		func() time.Duration { return byHand("sh", "-c", "true") + byHand("git", "status") })
	checked.call(send("planner", 0))
	id := idOf(checked.call(claim))
	checked.call(complete(id))
	require.NotNil(r, checked.read(id).Completion.Criteria[0].Observed)
	checked.end()
}

// takeover kills the owner of a workspace, and is how long a call of a guest then takes.
func (r *run) takeover() time.Duration {
	state := r.TempDir()
	owner, guest := r.agent(state, r.program, "planner"), r.agent(state, r.program, "qa-0")
	defer guest.end()
	guest.call(claim)
	require.NoError(r, owner.cmd.Process.Kill())
	_ = owner.cmd.Wait() // it was killed
	return took(func() { guest.call(claim) })
}

// demandCheck commits a check that all work of a repository has to pass, and allows it.
func (r *run) demandCheck(state string) {
	home, err := os.UserHomeDir()
	require.NoError(r, err)
	r.at(filepath.Join(home, ".config", "handoff")).write("approvals", "*\n")
	r.write(".handoff/checks.yaml", "checks: {passes: {run: 'true', always: true}}\n")
	r.commit()
	r.said(state, r.program, "checks", "allow")
}
