package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Largest is how long a file may be that is changed, in bytes. A configuration is never so long.
const Largest = 8 << 20

// A File is a configuration file as it was found.
type File struct {
	Path    string // by which clients know it
	Target  string // where its links lead
	Text    []byte
	Mode    fs.FileMode
	Missing bool
}

// A Broken file is one that does not parse.
type Broken struct{ Err error }

func (b *Broken) Error() string { return "it does not parse: " + b.Err.Error() }
func (b *Broken) Unwrap() error { return b.Err }

// Read reads a file. The error is the reason to leave it alone.
func Read(path string) (File, error) {
	f := File{Path: path, Target: path}
	target, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.missing()
	case err != nil:
		return f, fmt.Errorf("it cannot be read: %w", err)
	}
	f.Target = target
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return f, fmt.Errorf("it cannot be read: %w", err)
	case !info.Mode().IsRegular():
		return f, errors.New("it is no file")
	case info.Size() > Largest:
		return f, fmt.Errorf("it has %d bytes, which no configuration has", info.Size())
	}
	f.Mode = info.Mode().Perm()
	if f.Text, err = os.ReadFile(target); err != nil {
		return f, fmt.Errorf("it cannot be read: %w", err)
	}
	if f.Mode&0o200 == 0 {
		return f, errors.New("it is read-only")
	}
	return f, nil
}

// missing is a file that is to be made, unless a link leads to nothing.
func (f File) missing() (File, error) {
	if _, err := os.Lstat(f.Path); err == nil {
		return f, errors.New("it is a link to a file that does not exist")
	}
	f.Missing = true
	return f, nil
}
