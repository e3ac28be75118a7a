package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas/display"
)

// screens are the screens of the busy workspace, with the number of lines of a command that does not end.
var screens = []struct {
	line   string
	events int
}{
	{line: ""}, // which is status
	{line: "list"},
	{line: "list --all"},
	{line: "list --stuck"},
	{line: "show 1"},
	{line: "show 2"},
	{line: "show 3"},
	{line: "show 1 --outcome"},
	{line: "show 7 --events"},
	{line: "show 11"},
	{line: "history login"},
	{line: "history tidy"},
	{line: "history audit"},
	{line: "watch --since 0 --action asked,completed,failed,timed_out,message", events: 5},
}

// The golden files hold the output for a person on a terminal of 80 columns, with and without colours. No line may be
// wider than the terminal, and times are local.
func TestScreens_MatchTestdata(t *testing.T) {
	d := playDay(t, "busy.txt")
	for _, width := range []int{60, 80, 200} {
		for _, colour := range []bool{false, true} {
			var all strings.Builder
			for _, s := range screens {
				shown := onScreen(d, width, colour, s.events, strings.Fields(s.line)...)
				for line := range strings.Lines(shown) {
					bare := escapes.ReplaceAllString(strings.TrimRight(line, "\n"), "")
					require.LessOrEqual(t, display.CountColumns(bare), width, "%s: %s", s.line, bare)
				}
				fmt.Fprintf(&all, "%s\n%s\n", strings.TrimSpace("$ handoff "+s.line), strings.ReplaceAll(shown, "\x1b", `\e`))
			}
			if width == 80 {
				generated(t, filepath.Join("testdata", "screens", map[bool]string{false: "80.txt", true: "80-colour.txt"}[colour]), all.String())
			}
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// The first screen of the README is the output for a person on a terminal of 80 columns.
func TestScreens_FirstOfReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	const begin, end = "<!-- screen:begin -->\n", "\n<!-- screen:end -->"
	before, rest, begins := strings.Cut(string(readme), begin)
	_, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends)
	shown := onScreen(playDay(t, "readme.txt"), 80, false, 0, []string{}...)
	generated(t, "../../README.md", before+begin+"\n```text\n$ handoff\n"+shown+"```\n"+end+after)
}

// playDay returns the workspace that a file of testdata/screens makes, in a place two hours east of UTC.
func playDay(t *testing.T, name string) commandtest.Desk {
	script, err := os.ReadFile(filepath.Join("testdata", "screens", name))
	require.NoError(t, err)
	d := commandtest.NewDesk(t)
	d.Now = d.Now.In(time.FixedZone("EET", 2*60*60))
	words := regexp.MustCompile(`'[^']*'|\S+`)
	for line := range strings.Lines(string(script)) {
		said := words.FindAllString(strings.TrimSpace(line), -1)
		for i := range said {
			said[i] = strings.Trim(said[i], "'")
		}
		switch after, pause := strings.CutPrefix(said[0], "+"); {
		case said[0] == "#":
		case said[0] == "!":
			killed(d, t, said[1], said[2], said[3])
		case pause:
			passes, err := time.ParseDuration(after)
			require.NoError(t, err)
			d.Now = d.Now.Add(passes)
		default:
			d.Must(said[0], said[1:]...)
		}
	}
	return d
}

// killed has the client of an agent call a tool through a server, which is killed then.
func killed(d commandtest.Desk, t *testing.T, agent, tool, args string) {
	at, err := d.Now.MarshalText()
	require.NoError(t, err)
	s := commandtest.Home{T: t, State: d.State}.StartServerCommand("claude-code", map[string]string{"CLOCK": string(at)},
		commandtest.StoppedClock, "mcp", "--workspace", "w", "--agent", agent, "--dir", t.TempDir())
	require.Contains(t, s.Request("tools/call", fmt.Sprintf(`{"name": %q, "arguments": %s}`, tool, args)), `\"brief\"`)
	require.NoError(t, s.Cmd.Process.Kill())
	require.Equal(t, -1, s.Wait())
}

// onScreen returns the output of a command of human on a terminal with the given width. After the given number of lines
// it stops a command that is still running.
func onScreen(d commandtest.Desk, width int, colour bool, lines int, args ...string) string {
	d.Helper()
	screen, line := commandtest.OpenTerminal(d)
	commandtest.WithFileDescriptor(d, line, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: uint16(width)})
	})
	ctx, leave := context.WithTimeout(d.Context(), commandtest.Patience)
	defer leave()
	e := d.Env()
	out := &teletype{File: line, left: lines, leave: leave}
	e.Stdin, e.Stdout, e.IsTerminal = line, out, terminal.IsTerminal
	vars := d.Vars("human")
	if vars["TERM"] = "xterm"; !colour {
		vars["NO_COLOR"] = "1"
	}
	got := make(chan string)
	go func() {
		var all strings.Builder
		b := make([]byte, 4096)
		for {
			n, err := screen.Read(b) // until the line is closed
			if all.Write(b[:n]); err != nil {
				break
			}
		}
		got <- strings.ReplaceAll(all.String(), "\r\n", "\n")
	}()
	_, _, errs := commandtest.Execute(ctx, e, vars, args...)
	require.NoError(d, line.Close())
	shown := <-got
	require.Empty(d, errs, "%v", args)
	return shown
}

// teletype is the line to a terminal, on which somebody gets up after so many lines.
type teletype struct {
	*os.File
	left  int
	leave func()
}

func (w *teletype) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if w.left > 0 {
		if w.left--; w.left == 0 {
			w.leave()
		}
	}
	return n, err
}
