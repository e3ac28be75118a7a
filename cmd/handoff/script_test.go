package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/store/postgres/postgrestest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// TestScripts_PlayAsWritten plays testdata/script. A script runs commands in this process:
//
//	handoff send qa "Test it"        must succeed
//	exits 3 show 99                  must end with this status
//	exits 0 send qa - <task.txt      with standard input from a file
//	env ANSWER=yes                   the answer that a person types at the terminal
//	watches 2 --since 0              runs watch until it has printed so many lines
//	advance 20m                      sets the clock forward
//
// It has a home of its own, a clock that begins at noon of 31 January 2026, and is no terminal unless it
// says env TERMINAL=1.
func TestScripts_PlayAsWritten(t *testing.T) {
	playScripts(t, "script", "")
}

// TestScripts_OverDatabase plays testdata/database. The variable DATABASE says where a database is.
func TestScripts_OverDatabase(t *testing.T) {
	playScripts(t, "database", postgrestest.StartServer(t))
}

func playScripts(t *testing.T, scripts, database string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", scripts),
		Setup: func(e *testscript.Env) error {
			clock := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
			e.Values[clockKey{}] = &clock
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("DATABASE", database)
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"handoff": func(ts *testscript.TestScript, _ bool, args []string) { expect(ts, 0, args) },
			"exits":   exits,
			"watches": watches,
			"advance": advance,
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

type clockKey struct{}

func clock(ts *testscript.TestScript) *time.Time { return ts.Value(clockKey{}).(*time.Time) }

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	expect(ts, want, args[1:])
}

func advance(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	*clock(ts) = clock(ts).Add(d)
}

func expect(ts *testscript.TestScript, want int, args []string) {
	stdin := ""
	if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "<") {
		stdin = ts.ReadFile(args[last][1:])
		args = args[:last]
	}
	if code := commandtest.Run(context.Background(), surroundings(ts, stdin, ts.Stdout()), args); code != want {
		ts.Fatalf("exit status %d, not %d", code, want)
	}
}

func watches(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ctx, leave := context.WithTimeout(context.Background(), commandtest.Patience)
	defer leave()
	out := &commandtest.LineLimitWriter{Writer: ts.Stdout(), Left: n, Leave: leave}
	code := commandtest.Run(ctx, surroundings(ts, "", out), append([]string{"watch"}, args[1:]...))
	if code != 0 || out.Left != 0 {
		ts.Fatalf("exit status %d, with %d lines to come", code, out.Left)
	}
}

// console is a terminal at which a person types the text of the variable ANSWER. Without the variable there is none.
type console struct {
	io.Reader
	io.Writer
}

func (console) Close() error { return nil }

func answerTo(ts *testscript.TestScript) (io.ReadWriteCloser, error) {
	if ts.Getenv("ANSWER") == "" {
		return nil, os.ErrNotExist
	}
	return console{strings.NewReader(ts.Getenv("ANSWER") + "\n"), ts.Stderr()}, nil
}

// surroundings returns the environment of a command in a script.
func surroundings(ts *testscript.TestScript, stdin string, stdout io.Writer) cli.Env {
	return cli.Env{
		Getenv: ts.Getenv,
		Stdin:  strings.NewReader(stdin), Stdout: stdout, Stderr: ts.Stderr(),
		IsTerminal: func(any) bool { return ts.Getenv("TERMINAL") != "" },
		Console:    func() (io.ReadWriteCloser, error) { return answerTo(ts) },
		Now:        func() time.Time { return *clock(ts) },
		Cwd:        ts.MkAbs("."),
		Executable: commandtest.Program,
		Exit:       func(code int) { ts.Fatalf("hard exit with %d", code) },
	}
}
