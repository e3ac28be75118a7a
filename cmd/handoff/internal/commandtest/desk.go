package commandtest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/mailboxtest"
)

// A Desk is a state directory for a test. Its commands run in the process of the test. Its clock stands still unless
// the test sets the clock.
type Desk struct {
	testing.TB
	State string
	Now   time.Time
}

// NewDesk returns an unused desk.
func NewDesk(t testing.TB) Desk { return Desk{t, t.TempDir(), mailboxtest.StartTime()} }

// File returns the path of the store of the desk's workspace.
func (d Desk) File() string { return filepath.Join(d.State, "handoff", "w", "handoff.db") }

// Run runs a command as an agent.
func (d Desk) Run(agent string, args ...string) (code int, out, errs string) {
	d.Helper()
	return Execute(d.Context(), d.Env(), d.Vars(agent), args...)
}

// Env returns the environment of the desk's commands, for [Execute].
func (d Desk) Env() cli.Env {
	return cli.Env{Now: func() time.Time { return d.Now }, Cwd: d.State}
}

// Vars returns the environment variables of an agent. If agent is empty, the variables name no agent. Each variable
// named in `on` gets the value 1.
func (d Desk) Vars(agent string, on ...string) map[string]string {
	vars := StateVars(d.State, map[string]string{"HANDOFF_AGENT": agent, "HANDOFF_WORKSPACE": "w"})
	for _, name := range on {
		vars[name] = "1"
	}
	return vars
}

// Must runs a command and returns its output. If the command fails, the test fails.
func (d Desk) Must(agent string, args ...string) string {
	d.Helper()
	code, out, errs := d.Run(agent, args...)
	require.Zero(d, code, "%v: %s%s", args, out, errs)
	return out
}

// HostileText is text that moves the cursor, changes colours, and reverses or hides text on an unprotected terminal.
// Its last line is [ForgedLine], which looks like a line of handoff.
const HostileText = "\x1b[2J\x1b]0;owned\x07\u009b31mred\u202egnp\u200b\r\x7f\U000e0041 wäre 東京 🎉\n" + ForgedLine

// ForgedLine is a line of an agent that looks like a line of handoff. Output must never have ForgedLine in the first
// column.
const ForgedLine = "✓ 1. All tests pass"

// NewHostileDesk returns a workspace whose texts all try to repaint the reader's terminal.
func NewHostileDesk(t *testing.T) Desk {
	d := NewDesk(t)
	d.Must("dev", "send", "qa", HostileText, "--title", HostileText, "--summary", HostileText, "--detail", HostileText,
		"--data", "x="+HostileText,
		"--criteria", HostileText, "--constraint", HostileText, "--if-stuck", HostileText, "--tags", "a", "--reason", HostileText, "--phase", HostileText,
		"--context", AsJSON(t, map[string]any{"decisions": []any{map[string]any{"decision": HostileText, "rationale": HostileText}}, "state": map[string]any{HostileText: HostileText}}))
	d.Must("dev", "send", "qa", HostileText, "--type", "message", "--title", HostileText)
	d.Must("qa", "agents", "register", "qa", "--description", HostileText)
	d.Must("qa", "claim", "1")
	d.Must("qa", "update", "1", "--note", HostileText, "--percent", "10")
	d.Must("qa", "update", "1", "--ask", HostileText, "--needs-context", HostileText)
	d.Must("dev", "update", "1", "--answer", HostileText)
	d.Must("qa", "claim", "1")
	d.Must("qa", "fail", "1", HostileText, "--blocker", HostileText, "--question", HostileText, "--note", HostileText, "--state", AsJSON(t, map[string]any{HostileText: HostileText}))
	d.Must("dev", "claim", "2")
	d.Must("dev", "complete", "2", "--summary", HostileText, "--met", "1="+HostileText, "--note", HostileText, "--result", "branch="+HostileText, "--next", "qa", "--next-task", HostileText)
	return d
}
