package live

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/tools/platform"
)

// maxLine is the greatest length of a line or a reply, in bytes.
const maxLine = 4 << 20

// askProgram starts the program, sends it the requests, and waits for its end. The program stores its state in a
// temporary directory, which askProgram removes. So the trial takes no agent name in the real workspace. Outside of a
// project, for example in the home directory, the program gets a workspace, and the reply does not name it. The error
// contains the program's exit status and its last line on standard error.
func (t Trial) askProgram(ctx context.Context) (r ServerReply, err error) {
	scratch, err := os.MkdirTemp("", "handoff-try-")
	if err != nil {
		return r, fmt.Errorf("it was not tried, as there is no directory for temporary files (TMPDIR): %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	words := t.Entry.Command
	program := cmp.Or(t.Machine.ProgramPath(words[0]), words[0])
	cmd := exec.CommandContext(ctx, program, words[1:]...) //nolint:gosec // the configuration names it
	cmd.Dir, cmd.Env = t.Machine.Project, slices.Concat(os.Environ(), t.Entry.Environ)
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+scratch, "XDG_RUNTIME_DIR="+scratch, "HANDOFF_STORE=")
	_, nowhere := workspace.Find(workspace.Config{Cwd: t.Machine.Project, Getenv: t.Machine.Getenv})
	if nowhere != nil {
		cmd.Env = append(cmd.Env, "HANDOFF_WORKSPACE=trial")
	}
	platform.CancelTree(cmd) // the configured program may be a shell
	var stderr platform.OutputTail
	cmd.Stderr = &stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("start it: %w", err)
	}
	defer platform.KillTree(cmd)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	r, err = askNameAndTools("initialize", func(id int, method string) (rpcResult, error) { return t.askLine(in, lines, id, method) })
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	if nowhere != nil {
		r.You, _, _ = strings.Cut(r.You, " in workspace ")
	}
	if ended := cmd.Wait(); err != nil {
		return r, errorWithProgramEnd(err, ended, stderr.String())
	}
	return r, nil
}

// The first messages of a client: %q is its name.
const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":%q,"version":"setup"}}}` + "\n"
	listTools = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
)

// askLine writes a request and reads lines until the reply. It skips other messages of the server.
func (t Trial) askLine(in io.Writer, lines *bufio.Scanner, id int, method string) (rpcResult, error) {
	request := listTools
	if method == "initialize" {
		request = fmt.Sprintf(initialize, t.As)
	}
	if _, err := io.WriteString(in, request); err != nil {
		return rpcResult{}, errSilent
	}
	for lines.Scan() {
		if said, ok, err := parseReply(lines.Bytes(), id); ok || err != nil {
			return said, err
		}
	}
	return rpcResult{}, errSilent
}

// errorWithProgramEnd adds to err how the program ended. Ended is the error of its exit, or nil after a success. Stderr
// is its standard error, of which only the last line is added.
func errorWithProgramEnd(err, ended error, stderr string) error {
	if ended != nil {
		err = fmt.Errorf("%w (%w)", err, ended)
	}
	stderr = strings.TrimSpace(stderr)
	if stderr == "" {
		return err
	}
	return fmt.Errorf("%w: %.300s", err, stderr[strings.LastIndexByte(stderr, '\n')+1:])
}
