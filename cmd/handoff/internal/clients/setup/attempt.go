package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/process"
)

// An attempt carries out a change, and knows what was made for it so far.
type attempt struct {
	Change

	setter  Setter
	done    Done
	folders []string        // that were made, outer ones first
	before  []byte          // the receipt that there was; nil: none
	left    *installed.File // the file as the client's own command left it, if that changed it
}

// errRuined says what a client's own command did.
var errRuined = errors.New("it left nothing that can be read, and what was there is back")

func (a *attempt) make(ctx context.Context) (err error) {
	_, mode := a.desired.modes()
	if a.folders, err = folders(a.File.Resolved, mode); err != nil {
		return err
	}
	if a.done.Backup, err = a.setter.backup(a.Change); err != nil {
		return err
	}
	now := a.Change
	if a.Own != nil {
		if err := a.keep(a.After); err != nil { // for who is killed meanwhile
			return err
		}
		if now, err = a.byClient(ctx); err != nil {
			return err
		}
		if err := a.setter.putBack(a.File.Resolved, a.before); err != nil {
			return err
		}
	}
	if err := a.keep(now.After); err != nil || now.Same() {
		return err
	}
	return now.write()
}

// keep writes the receipt of a file that is to have this text. It comes before the change: a change without a receipt
// cannot be undone.
func (a *attempt) keep(after []byte) error {
	return a.setter.keep(a.Change, after, a.folders, a.done.Backup)
}

// byClient has the client's own command do it, and gives what is left to be written.
func (a *attempt) byClient(ctx context.Context) (now Change, err error) {
	failed := a.setter.runOwn(ctx, a.desired, a.Own)
	now = a.setter.planned(a.Client, a.desired, a.target)
	if now.File.Missing != a.File.Missing || !bytes.Equal(now.File.Text, a.File.Text) {
		a.left = &now.File
	}
	a.done.OwnErr = failed
	switch {
	case failed != nil && ctx.Err() != nil: // it was told to stop, and so are we
		return now, fmt.Errorf("it was interrupted: %w", failed)
	case isRuined(a.File, now):
		a.done.OwnErr = errRuined
		return a.instead(now.File), nil
	case now.Err != nil:
		return now, now.Err
	}
	return a.sparing(now), nil
}

// isRuined tells whether a client's own command left nothing of a file, or what does not parse.
func isRuined(before installed.File, now Change) bool {
	_, broken := errors.AsType[*installed.Broken](now.Err)
	return broken || now.File.Missing && !before.Missing
}

// instead is the change that was planned, made of a file as it is now. It has the owner and the mode that it had.
func (a *attempt) instead(now installed.File) Change {
	c := a.Change
	c.File = now
	if !a.File.Missing {
		c.File.Info = a.File.Info
	}
	return c
}

// withdraw takes back what was made for a change that failed. What the client's own command wrote stays: its receipt
// has the copy of what was there.
func (a *attempt) withdraw() error {
	err := a.setter.putBack(a.File.Resolved, a.before)
	if a.left != nil {
		return errors.Join(err, a.keep(a.left.Text))
	}
	if a.done.Backup != "" {
		err = errors.Join(err, os.Remove(a.done.Backup))
		a.done.Backup = ""
	}
	removeEmpty(a.folders)
	return err
}

// sparing gives the change by which the text that was there gets the entry that the client's own command wrote, and
// nothing else of what the command wrote: clients write their files anew, without comments and in a layout of their
// own. If the command changed anything else that the file says, its text stays.
func (a *attempt) sparing(now Change) Change {
	if a.File.Missing || now.File.Missing {
		return now
	}
	ours, errOurs := a.File.Document(a.target.syntax)
	theirs, errTheirs := now.File.Document(a.target.syntax)
	if errOurs != nil || errTheirs != nil {
		return now
	}
	at := serverPath(a.Client, theirs)
	entry, there := theirs.Look(at...)
	if there && ours.Set(edit.Taken(entry, a.Client.Entry(a.desired.Server)), at...) != nil {
		return now
	}
	if !edit.Alike(ours, theirs) || a.desired.put(a.Client, a.target, ours, a.receipt) != nil {
		return now
	}
	c := a.instead(now.File)
	c.After = ours.Bytes()
	return c
}

// patience is how long a client's command may take.
const patience = 15 * time.Second

// own gives the client's command that adds our server, with its path. It is nil where setup writes the file: the
// client has no command, the command cannot say all that is desired, the server is there already, or the client
// would put a file of its own in the place of a link or of somebody else's file.
func (d Desired) own(c client.Client, f installed.File, known bool) []string {
	before, err := f.Document(c.Servers.Syntax)
	_, noLink := os.Readlink(f.Path)
	if c.Own == nil || known || err != nil || noLink == nil || isAnothers(f.Info) {
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
