// Package commandtest runs handoff in tests. A [Desk] and a [Home] run commands in the process of the test. A [Home]
// also starts separate processes, such as the [Server] of an MCP client. A package whose tests start processes must
// call [Main] from its TestMain.
package commandtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/root"
	"handoff/schemas/sandbox"
)

// Program is a program name. A test binary with this name runs handoff instead of its tests.
const Program = "handoff-process"

// Run runs a command in this process.
func Run(ctx context.Context, e cli.Env, args []string) int { return root.Run(ctx, e, "", args) }

// Execute runs a command in this process with the environment variables vars. A field of e that is not set gets a
// default: empty input, output into the returned texts, no terminal, and the real time.
func Execute(ctx context.Context, e cli.Env, vars map[string]string, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	e.Getenv = func(name string) string { return vars[name] }
	e.Stdin = cmp.Or[io.Reader](e.Stdin, bytes.NewReader(nil))
	e.Stdout, e.Stderr = cmp.Or[io.Writer](e.Stdout, &stdout), cmp.Or[io.Writer](e.Stderr, &stderr)
	if e.IsTerminal == nil {
		e.IsTerminal = func(any) bool { return false }
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	code = Run(ctx, e, args)
	return code, stdout.String(), stderr.String()
}

// StateVars returns the environment variables for a state directory, and more.
func StateVars(state string, more map[string]string) map[string]string {
	vars := map[string]string{"XDG_STATE_HOME": state}
	maps.Copy(vars, more)
	return vars
}

// Root returns the root command, for tests that examine the commands themselves.
func Root() *cobra.Command { return root.Command(root.NewApp(cli.Env{}, "")) }

// StoppedClock is a program name. A test binary with this name runs handoff with a stopped clock. The variable CLOCK
// has the time of that clock.
const StoppedClock = "handoff-stopped"

// Main runs the tests of a package in a sandbox. It also lets the test binary run as [Program] and [StoppedClock].
func Main(m *testing.M) {
	tests := testscript.TestingM(m)
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); name != Program && name != StoppedClock {
		tests = sandbox.New(m)
	}
	testscript.Main(tests, map[string]func(){
		Program: func() { root.Main("") },
		StoppedClock: func() {
			e, at := cli.SystemEnv(), time.Time{}
			if err := at.UnmarshalText([]byte(os.Getenv("CLOCK"))); err != nil {
				panic(err)
			}
			e.Now = func() time.Time { return at }
			os.Exit(Run(context.Background(), e, os.Args[1:]))
		},
	})
}

// Patience is the time for which tests wait for an event that should happen at once. It is long, because machines may
// be slow.
const Patience = 2 * time.Minute

// A Record is a JSON object whose numbers keep their spelling.
type Record = map[string]any

// ParseRecord parses a JSON object.
func ParseRecord(t testing.TB, raw []byte) (d Record) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&d), "%s", raw)
	return d
}

// AsJSON returns a value as JSON.
func AsJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// RowIDs returns the ids of the rows of a list.
func RowIDs(list Record) (all []string) {
	for _, item := range list["items"].([]any) {
		row := item.(map[string]any)
		all = append(all, cmp.Or(row["notice_id"], row["handoff_id"]).(string))
	}
	return all
}

// Commands returns a command and all its subcommands. It leaves out the command help, which cobra adds later.
func Commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, Commands(sub)...)
	}
	return all
}

// LineLimitWriter is a writer that calls Leave after it has written Left lines. It calls Leave again at each later
// write.
type LineLimitWriter struct {
	io.Writer
	Left  int
	Leave func()
}

func (c *LineLimitWriter) Write(p []byte) (int, error) {
	if c.Left -= bytes.Count(p, []byte("\n")); c.Left <= 0 {
		c.Leave()
	}
	return c.Writer.Write(p)
}
