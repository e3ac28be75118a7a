package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/process"
)

// patience is how long a client's command may take.
const patience = 15 * time.Second

// own gives the client's command that adds our server, with its path. It is nil where setup writes the file: the
// client has no command, the command cannot say all that is desired, the server is there already, or the client
// would put a file of its own in the place of a link or of somebody else's file.
func (d Desired) own(c client.Client, f installed.File, known bool) []string {
	before, err := f.Document(c.Servers.Syntax)
	if c.Own == nil || known || err != nil || isLink(f.Path) || isAnothers(f.Info) {
		return nil
	}
	if _, there := before.Look(serverPath(c, before)...); there {
		return nil
	}
	program := d.Machine.LookPath(c.Program)
	arguments := c.Own.Add(d.Scope, d.Server)
	if program == "" || arguments == nil {
		return nil
	}
	return append([]string{program}, arguments...)
}

// runOwn runs a client's command where the project is. Out of patience, it ends all that the command started.
func (s Setter) runOwn(ctx context.Context, d Desired, command []string) error {
	limit := cmp.Or(s.Patience, patience)
	ctx, end := context.WithTimeout(ctx, limit)
	defer end()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the client, with arguments of its row
	cmd.Dir, cmd.Env = d.Machine.Project, d.Machine.Environ()
	var out process.Tail
	cmd.Stdout, cmd.Stderr = &out, &out
	process.Tree(cmd)
	err := cmd.Run()
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it did not end within %s", limit)
	}
	if said := strings.Join(strings.Fields(out.String()), " "); err != nil && said != "" {
		err = fmt.Errorf("%w: %.300s", err, said)
	}
	return err
}
