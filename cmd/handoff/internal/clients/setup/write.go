package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
)

// replace writes a file as a whole: a reader finds the old text or the new one. The file keeps the owner of the old
// one, of, if there was one. The function last, which may be nil, is called right before the new text gets its name,
// and an error of it stops that.
func replace(path string, text []byte, mode fs.FileMode, of fs.FileInfo, last func() error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".handoff-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if of != nil {
		err = errors.Join(err, keepOwner(f, of))
	}
	err = errors.Join(err, f.Chmod(mode)) // last: a new owner takes some of it away
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if last != nil {
		if err := last(); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), path)
}

// backup copies a file, for nobody else to read. The copy lies beside the file. That of a file of a project lies with
// the receipts, as the file may be in a repository.
func (s Setter) backup(c Change) (string, error) {
	f := c.File
	if f.Missing {
		return "", nil
	}
	first := backupName(f.Resolved, s.Now())
	if c.desired.Scope == client.Project {
		first = filepath.Join(s.Dir, filepath.Base(first))
	}
	name, err := first, writeNew(first, f.Text)
	for n := 2; errors.Is(err, fs.ErrExist) && n < 100; n++ {
		name = fmt.Sprintf("%s-%d", first, n)
		err = writeNew(name, f.Text)
	}
	if err != nil {
		return "", fmt.Errorf("back it up: %w", err)
	}
	return name, nil
}

// copied is in the name of a copy, between that of its file and when it was made.
const copied = ".handoff-backup-"

// backupName is how the copy of a file is called that is made before it is changed.
func backupName(path string, at time.Time) string {
	return path + copied + at.UTC().Format("20060102-150405")
}

// isLink tells whether a path is a link itself.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// writeNew writes a file that is not there yet, as a whole or not at all.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
