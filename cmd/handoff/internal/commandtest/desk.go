package commandtest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/mailboxtest"
)

// A Desk is a state directory, and commands in it that run in the process of the test. Its clock stands still unless a
// test sets it.
type Desk struct {
	testing.TB
	State string
	Now   time.Time
}

// NewDesk is one that nobody has used.
func NewDesk(t testing.TB) Desk { return Desk{t, t.TempDir(), mailboxtest.Start()} }

// File is the store of its workspace.
func (d Desk) File() string { return filepath.Join(d.State, "handoff", "w", "handoff.db") }

// Run runs a command as an agent.
func (d Desk) Run(agent string, args ...string) (code int, out, errs string) {
	d.Helper()
	return Execute(d.Context(), d.Env(), d.Vars(agent), args...)
}

// Env are the surroundings of its commands, for [Execute].
func (d Desk) Env() cli.Env {
	return cli.Env{Now: func() time.Time { return d.Now }, Cwd: d.State}
}

// Vars are those of an agent, empty for none, and switches that are on.
func (d Desk) Vars(agent string, on ...string) map[string]string {
	vars := With(d.State, map[string]string{"HANDOFF_AGENT": agent, "HANDOFF_WORKSPACE": "w"})
	for _, name := range on {
		vars[name] = "1"
	}
	return vars
}

// Must runs a command that has to succeed and gives what it printed.
func (d Desk) Must(agent string, args ...string) string {
	d.Helper()
	code, out, errs := d.Run(agent, args...)
	require.Zero(d, code, "%v: %s%s", args, out, errs)
	return out
}
