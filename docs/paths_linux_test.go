package docs_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// playedBlock matches a block of commands. A comment before the block may say why it is not played.
var playedBlock = regexp.MustCompile("(?ms)^(?:<!-- (not played): [^\n]*-->\n\n)?```(console|sh)\n(.*?)^```\n")

// A reader can follow these pages from the top, in an empty home. A test types all blocks of a page into one shell: the
// lines behind "$ " of a block marked console, which must print the lines after it, and the lines of a block marked sh,
// which must succeed.
func TestPaths_PlayFromTheTop(t *testing.T) {
	p := newProgram(t)
	for _, page := range []string{"first-try", "team", "bad-day"} {
		t.Run(page, func(t *testing.T) {
			document, sh := filepath.Join("docs", page+".md"), startShell(t, p)
			for _, block := range playedBlock.FindAllStringSubmatch(read(t, document), -1) {
				if block[1] == "" {
					shown := "```" + block[2] + "\n" + block[3] + "```\n"
					compareOrRewrite(t, document, shown, "```"+block[2]+"\n"+sh.play(t, block[2], block[3])+"```\n")
				}
			}
		})
	}
}

// A shell gets commands as a person types them, one after the other. What a command changes, such as the directory, is
// there for the next.
type shell struct {
	in         io.Writer
	out        *bufio.Reader
	home, port string // port stands for the one that the pages name
}

const shownPort = "4263"

const eraseLine = "\r\x1b[K" // of the current line, for a terminal

// startShell starts a shell in a new home. The shell and the servers that it started end with the test.
func startShell(t *testing.T, p program) *shell {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(free.Addr().String())
	require.NoError(t, err)
	require.NoError(t, free.Close())
	home, err := os.MkdirTemp("", "h") //nolint:usetesting // a short name, because paths of sockets are limited
	require.NoError(t, err)
	screen, terminal := openTerminal(t)
	cmd := exec.CommandContext(t.Context(), "sh")
	cmd.Env, cmd.Dir = []string{p.env[0], "HOME=" + home, "TMPDIR=" + t.TempDir(), "LC_ALL=C.UTF-8", "NO_COLOR=1"}, home
	cmd.Stdout, cmd.Stderr = terminal, terminal
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_, _ = io.WriteString(in, "kill $!\nwait\n")
		_ = in.Close()
		_ = cmd.Wait() // the status is of the last command
		_ = os.RemoveAll(home)
	})
	return &shell{in, bufio.NewReader(screen), home, port}
}

// openTerminal returns both ends of a terminal with 80 columns: the screen, and the end for programs.
func openTerminal(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)) // unlocks it
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = program.Close() })
	return screen, program
}

// play types the commands of a block and returns the block with their output.
func (s *shell) play(t *testing.T, kind, block string) string {
	t.Helper()
	if kind == "sh" {
		out, status := s.run(t, block)
		require.Equal(t, "0", status, "%s%s", block, out)
		return block
	}
	var played strings.Builder
	for line := range strings.Lines(block) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			out, status := s.run(t, command)
			played.WriteString(line + s.mask(out))
			if status != "0" {
				played.WriteString("(exit status " + status + ")\n")
			}
		}
	}
	return played.String()
}

// run runs commands and returns all that they print, and the exit status of the last.
func (s *shell) run(t *testing.T, commands string) (out, status string) {
	t.Helper()
	_, err := fmt.Fprintf(s.in, "{\n%s} </dev/null 2>&1; printf '\\n=%%d=\\n' $?\n", strings.ReplaceAll(commands, shownPort, s.port))
	require.NoError(t, err)
	for {
		line, err := s.out.ReadString('\n')
		require.NoError(t, err, "%s%s", commands, out)
		line = strings.ReplaceAll(line, "\r\n", "\n")
		if i := strings.LastIndex(line, eraseLine); i >= 0 { // on a slow machine a command shows that it is busy
			line = line[i+len(eraseLine):]
		}
		if text, ok := strings.CutPrefix(line, "="); ok && strings.HasSuffix(text, "=\n") {
			out = strings.TrimSuffix(out, "\n")
			if out != "" && !strings.HasSuffix(out, "\n") {
				out += "\n"
			}
			return out, strings.TrimSuffix(text, "=\n")
		}
		out += line
	}
}

func (s *shell) mask(out string) string {
	return maskVariableOutput(strings.NewReplacer(s.home, "~", s.port, shownPort).Replace(out))
}
