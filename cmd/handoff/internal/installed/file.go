// Package installed reads what the files of a client say of handoff: our entries in its lists of servers ([Entries]) and
// our lines among its hooks ([Hooks]). Setup changes them and doctor examines them, and neither reads them otherwise.
//
// What lies in a project comes from whoever wrote the project: a clone of a stranger's repository must not have a command
// of ours start a program, call an address or give away a variable. So of that only what setup writes there itself is
// tried, to the letter: see [Entry.Written] and [HookFile.Words]. Nothing here starts or changes anything.
package installed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/edit"
)

// Largest is how long a file may be that is read, in bytes. A configuration is never so long.
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

// Read reads a file. One that is not there is no error, and [File.Missing].
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
	return f, nil
}

// Document gives what is in a file, which is nothing where there is none. The error is a [*Broken].
func (f File) Document(syntax client.Syntax) (edit.Document, error) {
	doc, err := edit.Open(syntax, f.Text)
	if err != nil {
		return nil, &Broken{err}
	}
	return doc, nil
}

// Open reads a file as a document.
func Open(syntax client.Syntax, path string) (edit.Document, error) {
	f, err := Read(path)
	if err != nil {
		return nil, err
	}
	return f.Document(syntax)
}

// missing is a file that is to be made, unless a link leads to nothing.
func (f File) missing() (File, error) {
	if _, err := os.Lstat(f.Path); err == nil {
		return f, errors.New("it is a link to a file that does not exist")
	}
	f.Missing = true
	return f, nil
}
