package live

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/process"
)

// A Program is a server that a client starts.
type Program struct {
	Command []string
	Dir     string
	Environ []string
	As      string // the name by which the client calls itself
}

// longest is how long a line or a reply may be, in bytes.
const longest = 4 << 20

// Ask starts the program, asks it and lets it end. When ctx ends it kills the program and what that left running. The
// error tells how the program ended and the last line of its complaints, and is an [*Another] if it is not handoff.
func (p Program) Ask(ctx context.Context) (r Reply, err error) {
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...) //nolint:gosec // the configuration names it
	cmd.Dir, cmd.Env = p.Dir, p.Environ
	process.Tree(cmd) // what is configured may be a shell
	var stderr process.Tail
	cmd.Stderr = &stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("start it: %w", err)
	}
	defer process.Kill(cmd)
	err = p.converse(in, out, &r)
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	if ended := cmd.Wait(); err != nil {
		return r, explained(err, ended, stderr.String())
	}
	return r, nil
}

// AskAside asks a program that keeps its state in a directory made for that and removed after: so it takes no name
// from a session, and nothing of it stays. Where Dir is empty the program runs in that directory, too.
func (p Program) AskAside(ctx context.Context) (r Reply, err error) {
	scratch, err := os.MkdirTemp("", "handoff-try-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	p.Dir = cmp.Or(p.Dir, scratch)
	p.Environ = append(slices.Clip(p.Environ), "XDG_STATE_HOME="+scratch, "XDG_RUNTIME_DIR="+scratch)
	for _, name := range client.ProjectVariables() {
		p.Environ = append(p.Environ, name+"=")
	}
	return p.Ask(ctx)
}

// What a client says first: %s is its name, quoted.
const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":%s,"version":"setup"}}}` + "\n"
	listTools = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
)

func (p Program) converse(in io.Writer, out io.Reader, r *Reply) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longest)
	as, err := json.Marshal(p.As)
	if err != nil {
		return err
	}
	said, err := ask(in, lines, 1, fmt.Sprintf(initialize, as))
	if err != nil {
		return err
	}
	if err := r.greeted(said); err != nil {
		return err
	}
	said, err = ask(in, lines, 2, listTools)
	r.Tools = len(said.Tools)
	return err
}

// ask sends a request and gives the reply to it. It passes over other messages of the server.
func ask(in io.Writer, lines *bufio.Scanner, id int, request string) (result, error) {
	if _, err := io.WriteString(in, request); err != nil {
		return result{}, errSilent
	}
	for lines.Scan() {
		if said, ok, err := replyTo(lines.Bytes(), id); ok || err != nil {
			return said, err
		}
	}
	return result{}, errSilent
}

// explained adds what a program said last when it failed.
func explained(err, ended error, stderr string) error {
	if ended != nil {
		err = fmt.Errorf("%w (%w)", err, ended)
	}
	stderr = strings.TrimSpace(stderr)
	if stderr == "" {
		return err
	}
	return fmt.Errorf("%w: %.300s", err, stderr[strings.LastIndexByte(stderr, '\n')+1:])
}
