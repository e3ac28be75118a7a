package setup

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
	"handoff/cmd/handoff/internal/process"
)

// patience is how long a client's command may take.
const patience = time.Minute

// own gives the client's command that adds our server, with its path; nil where the file is better written: there is no
// command, it cannot say all that is wished, the server is there already, or a link leads to the file, which some
// clients replace.
func (w Wish) own(c client.Client, f installed.File, known bool) []string {
	before, err := f.Document(c.Servers.Syntax)
	if c.Own == nil || known || err != nil || f.Target != f.Path {
		return nil
	}
	if _, there := before.Look(server(c, before)...); there {
		return nil
	}
	program := c.Detect(w.Machine).Command
	arguments := c.Own.Add(w.Scope, w.Server)
	if program == "" || arguments == nil {
		return nil
	}
	return append([]string{program}, arguments...)
}

// runOwn runs a client's command where the project is. Out of patience, it ends all that the command started.
func (w Wish) runOwn(ctx context.Context, command []string) error {
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the client that was found, with arguments from our table
	cmd.Dir, cmd.Env = w.Machine.Project, w.Machine.Environ()
	process.Tree(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		said := strings.Join(strings.Fields(string(out)), " ")
		return fmt.Errorf("%w: %.300s", err, said)
	}
	return nil
}
