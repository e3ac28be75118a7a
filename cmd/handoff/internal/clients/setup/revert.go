package setup

import (
	"context"
	"errors"
	"os"
)

// Revert makes a change that [Setter.Undo] gave. What was put back exactly needs its copies no more: they go with the
// receipt, and with the directories that were made.
func (s Setter) Revert(ctx context.Context, c Change) (d Done, err error) {
	if c.Err != nil || c.Same() && !c.Recorded {
		return d, c.Err
	}
	return d, s.inTurn(ctx, func() error {
		if err := c.stillSo(); err != nil {
			return err
		}
		r, _ := s.receipt(c.File) // that of another change may have left it directories since
		exact := c.Exact || c.File.Missing && r.Missing
		if !c.Same() {
			if d.Backup, err = s.undo(c); err != nil {
				return err
			}
		}
		return errors.Join(s.forget(c.File), s.clear(r, c.File.Target, exact))
	})
}

// undo writes the text of an undoing, or removes the file, and gives the copy that it made of what nobody can make again.
func (s Setter) undo(c Change) (backup string, err error) {
	if !c.Exact {
		if backup, err = s.backup(c.File); err != nil {
			return "", err
		}
	}
	if c.Gone {
		if err = c.stillSo(); err == nil {
			err = os.Remove(c.File.Target)
		}
	} else {
		err = c.write()
	}
	if err != nil && backup != "" {
		return "", errors.Join(err, os.Remove(backup))
	}
	return backup, err
}
