//go:build linux

package figures_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// starts measures processes that are over soon: from the start to an answered tools/list, and hooks.
func (r *run) starts() {
	many := max(1, r.calls/200)
	settled, guested := r.TempDir(), r.TempDir()
	owner := r.start(guested, r.program, "mcp", "--workspace", "figures").hello()
	defer owner.end()
	r.start(settled, r.program, "mcp", "--workspace", "figures").hello().end()
	compared := func(what, aim string, state func() string) {
		r.byTurns("start to tools/list, "+what, "an empty server", aim, many,
			func() time.Duration { return r.listed(state(), r.program, "mcp", "--workspace", "figures") },
			func() time.Duration { return r.listed(settled, r.empty) })
	}
	compared("owner", "≤ 1.5", func() string { return settled })
	compared("owner of a new workspace", "≤ 1.7", r.TempDir)
	compared("guest of another process", "≤ 1.9", func() string { return guested })
	owner.ask("tools/call", `{"name":"send_handoff","arguments":{"to":"codex","task":"Test it"}}`)
	nothing := func() time.Duration { return r.over(guested, "", r.nothing) }
	for _, event := range []string{"tool", "prompt"} {
		hook := func() time.Duration {
			return r.over(guested, `{"session_id":"s1"}`, r.program, "hook", event, "--client", "codex", "--workspace", "figures")
		}
		hook() // the mention
		r.byTurns(fmt.Sprintf("hook with nothing new (%s)", event), "an empty Go program", "", 2*many, hook, nothing)
	}
	version := func() time.Duration { return r.over(guested, "", r.program, "version") }
	r.byTurns("handoff version", "an empty Go program", "", 2*many, version, nothing)
	r.inProject(many, settled)
}

// inProject measures a start in a project whose rules a process before it declared.
func (r *run) inProject(many int, settled string) {
	rules, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "rules", "agents.yaml"))
	require.NoError(r, err)
	project, state := r.at(r.TempDir()), r.TempDir()
	project.write(".git/HEAD", "ref: refs/heads/main\n")
	project.write(".handoff/agents.yaml", string(rules))
	command := []string{r.program, "mcp", "--workspace", "figures"}
	project.start(state, command...).hello().end()
	r.byTurns("start to tools/list, owner with rules", "an empty server", "", many,
		func() time.Duration { return project.listed(state, command...) }, func() time.Duration { return r.listed(settled, r.empty) })
}

// listed is the time from the start of a server to its list of tools.
func (r *run) listed(state string, command ...string) time.Duration {
	began := time.Now()
	p := r.start(state, command...).hello()
	line := p.ask("tools/list", "{}")
	took := time.Since(began)
	require.Contains(r, line, `"tools"`)
	p.end()
	return took
}

// said returns the output of a command.
func (r *run) said(state string, command ...string) []byte {
	out, err := r.command(state, command...).Output()
	require.NoError(r, err)
	return out
}

// over is the time from the start of a process to its end.
func (r *run) over(state, stdin string, command ...string) time.Duration {
	cmd := r.command(state, command...)
	cmd.Stdin = strings.NewReader(stdin)
	began := time.Now()
	require.NoError(r, cmd.Run())
	return time.Since(began)
}
