//go:build linux

package figures_test

import (
	"os"
	"os/exec"
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
		r.add("start to tools/list, "+what, "ms", "an empty server", aim, func() (float64, float64) {
			return alternately(many,
				func() time.Duration { return r.listed(state(), r.program, "mcp", "--workspace", "figures") },
				func() time.Duration { return r.listed(settled, r.empty) })
		})
	}
	compared("owner", "≤ 1.5", func() string { return settled })
	compared("owner of a new workspace", "≤ 1.7", r.TempDir)
	compared("guest of another process", "≤ 1.9", func() string { return guested })
	owner.ask("tools/call", `{"name":"send_handoff","arguments":{"to":"codex","task":"Test it"}}`)
	hook := func() time.Duration {
		return r.over(guested, `{"session_id":"s1"}`, r.program, "hook", "tool", "--client", "codex", "--workspace", "figures")
	}
	hook() // the mention
	r.add("hook with nothing new", "ms", "handoff version", "≤ 1.15", func() (float64, float64) {
		return alternately(2*many, hook, func() time.Duration { return r.over(guested, "", r.program, "version") })
	})
	r.add("handoff version", "ms", "true", "", func() (float64, float64) {
		version := func() time.Duration { return r.over(guested, "", r.program, "version") }
		return alternately(2*many, version, func() time.Duration { return r.over(guested, "", "true") })
	})
	r.inProject(many, settled)
}

// inProject measures a start in a project whose rules a process before it declared.
func (r *run) inProject(many int, settled string) {
	rules, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "rules", "agents.yaml"))
	require.NoError(r, err)
	project, state := r.TempDir(), r.TempDir()
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".handoff/agents.yaml": string(rules)} {
		require.NoError(r, os.MkdirAll(filepath.Dir(filepath.Join(project, name)), 0o700))
		require.NoError(r, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600))
	}
	command := []string{r.program, "mcp", "--workspace", "figures", "--dir", project}
	r.start(state, command...).hello().end()
	r.add("start to tools/list, owner with rules", "ms", "an empty server", "", func() (float64, float64) {
		return alternately(many, func() time.Duration { return r.listed(state, command...) },
			func() time.Duration { return r.listed(settled, r.empty) })
	})
}

// alternately does two things by turns, and gives the medians of how long they took.
func alternately(times int, ours, best func() time.Duration) (float64, float64) {
	var a, b []time.Duration
	for range times {
		a, b = append(a, ours()), append(b, best())
	}
	return ms(median(a)), ms(median(b))
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
	cmd := exec.CommandContext(r.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = r.TempDir(), append(os.Environ(), "XDG_STATE_HOME="+state, "HANDOFF_STORE=")
	out, err := cmd.Output()
	require.NoError(r, err)
	return out
}

// over is the time from the start of a process to its end.
func (r *run) over(state, stdin string, command ...string) time.Duration {
	cmd := exec.CommandContext(r.Context(), command[0], command[1:]...)
	cmd.Env, cmd.Stdin = append(os.Environ(), "XDG_STATE_HOME="+state, "HANDOFF_STORE="), strings.NewReader(stdin)
	began := time.Now()
	require.NoError(r, cmd.Run())
	return time.Since(began)
}
