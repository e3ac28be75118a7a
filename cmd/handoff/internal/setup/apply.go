package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"handoff/cmd/handoff/internal/client"
)

// errMeanwhile says that a file is not what it was when the change was shown.
var errMeanwhile = errors.New("it was changed meanwhile: run this again")

// Done is what became of a change.
type Done struct {
	Backup string // the copy that was made
	Own    bool   // by the client's own command
	OwnErr error  // why that did not do it; the file was written then
}

// Apply makes a change that was planned. A file that somebody else changed since is left alone.
func (s Setter) Apply(ctx context.Context, c Change) (d Done, err error) {
	if c.Err != nil || c.Same() {
		return d, c.Err
	}
	if err := c.stillSo(); err != nil {
		return d, err
	}
	made, err := folders(c.File.Target, c.folderMode())
	if err != nil {
		return d, err
	}
	if d.Backup, err = s.backup(c.File); err != nil {
		return d, err
	}
	now := c
	if c.Own != nil {
		d.OwnErr = c.wish.runOwn(ctx, c.Own)
		d.Own = d.OwnErr == nil
		if !d.Own && ctx.Err() != nil { // it was told to stop, and so are we
			return d, fmt.Errorf("it was interrupted: %w", d.OwnErr)
		}
		if now = s.planned(c.Client, c.wish, c.place); now.Err != nil {
			return d, now.Err
		}
	}
	if err := s.keep(c, now.After, made, d.Backup); err != nil || now.Same() {
		return d, err
	}
	return d, now.write()
}

// stillSo tells whether the file is as it was read.
func (c Change) stillSo() error {
	now, err := changeable(c.File.Path)
	if err == nil && (now.Missing != c.File.Missing || now.Target != c.File.Target || !bytes.Equal(now.Text, c.File.Text)) {
		err = errMeanwhile
	}
	return err
}

func (c Change) write() error {
	if err := replace(c.File.Target, c.After, c.mode(), c.stillSo); err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	return nil
}

// mode is that of the file. A new one is for its user alone, unless it is the project's.
func (c Change) mode() fs.FileMode {
	switch {
	case !c.File.Missing:
		return c.File.Mode
	case c.wish.Scope == client.Project:
		return 0o644
	}
	return 0o600
}

func (c Change) folderMode() fs.FileMode {
	if c.wish.Scope == client.Project {
		return 0o755
	}
	return 0o700
}
