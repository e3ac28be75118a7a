package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handoff/cmd/handoff/internal/installed"
)

// replace writes a file as a whole: who reads it finds the old text or the new one. The last look, if there is one, is
// taken when all that is left is to give the new text its name.
func replace(path string, text []byte, mode fs.FileMode, last func() error) (err error) {
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
	err = errors.Join(err, f.Chmod(mode))
	if old, statErr := os.Stat(path); statErr == nil {
		keepOwner(f, old)
	}
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

// backup copies a file beside it, for nobody else to read.
func (s Setter) backup(f installed.File) (string, error) {
	if f.Missing {
		return "", nil
	}
	first := backupName(f.Target, s.Now())
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

// backupName is how the copy of a file is called that is made before it is changed.
func backupName(path string, at time.Time) string {
	return path + ".handoff-backup-" + at.UTC().Format("20060102-150405")
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

// folders makes the directory of a file and gives those that were made, outer ones first.
func folders(path string, mode fs.FileMode) (made []string, err error) {
	dir := filepath.Dir(path)
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		made = append([]string{d}, made...)
	}
	return made, os.MkdirAll(dir, mode)
}
