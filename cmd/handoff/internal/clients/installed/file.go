// Package installed finds handoff in the files of a client: our entries in its lists of servers ([ServerEntries]), our
// command lines among its hooks ([HookFiles]) and our plugins ([EnabledPlugins]). Setup and doctor read the files
// through this package. It starts no program and changes no file.
//
// Another person may have written the files of a project. So a clone must not make handoff start a program, call an
// address or reveal a variable. Doctor and setup therefore try only an entry that setup would write (see
// [ServerEntry.IsWrittenBySetup]), run no hook, and read files only up to a limit (see [Largest]).
package installed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/schemas"
	"handoff/tools/platform"
)

// The limits for files, in bytes.
const (
	// Largest is the size limit, in bytes, of a file that may have come with a project. A huge file could keep handoff
	// busy.
	Largest = 1 << 20

	// LargestOwn is the size limit, in bytes, of a file of the user. It is higher than [Largest], because some clients
	// also store the history of their sessions in the file.
	LargestOwn = 8 << 20
)

// A ConfigFile is a configuration file as it was read.
type ConfigFile struct {
	Path     string // the name that clients use
	Resolved string // the path without links; that of a missing file is not resolved
	Text     []byte
	Info     fs.FileInfo // of the resolved file; nil: there is none
	Missing  bool
}

// ReadFile reads a file of at most `most` bytes. If there is no file, it returns a file with [ConfigFile.Missing] set
// and no error. The error says why the file cannot be used, for example because it is too long, or is a link to a file
// that does not exist.
func ReadFile(path string, most int64) (ConfigFile, error) {
	f := ConfigFile{Path: path, Resolved: path}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		f.Missing = true
		return f, nil
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil {
		f.Resolved = resolved
		f.Info, err = os.Stat(resolved)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, errors.New("it is a link to a file that does not exist")
	case err != nil:
		return f, fmt.Errorf("it cannot be read: %w", err)
	case !f.Info.Mode().IsRegular():
		return f, errors.New("it is no file")
	case f.Info.Size() > most:
		return f, fmt.Errorf("it has %d bytes, and is read up to %d", f.Info.Size(), most)
	}
	if f.Text, err = platform.ReadRegular(f.Resolved, most); err != nil { // it may have grown since
		return f, fmt.Errorf("it cannot be read: %w", err)
	}
	return f, nil
}

// ParseDocument parses the file. A missing file is an empty document. The error is a [*schemas.Error] with a hint.
func (f ConfigFile) ParseDocument(syntax client.Syntax) (edit.Document, error) {
	doc, err := edit.ParseDocument(syntax, f.Text)
	if err != nil {
		return nil, schemas.Errorf(schemas.Invalid, "it does not parse: %w", err).WithHint("Mend it and run this again.")
	}
	return doc, nil
}

// OpenDocument reads and parses a file of at most `most` bytes.
func OpenDocument(syntax client.Syntax, path string, most int64) (edit.Document, error) {
	f, err := ReadFile(path, most)
	if err != nil {
		return nil, err
	}
	return f.ParseDocument(syntax)
}
