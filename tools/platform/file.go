package platform

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// SameFile tells whether two paths lead to one file.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(one, other)
}

// Owned tells whether a file belongs to the user of this process. Where files have owners of another kind it is true.
func Owned(f fs.FileInfo) bool {
	uid, _, known := Owner(f)
	return !known || uid == os.Geteuid()
}

// IsDir tells whether a path leads to a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Canonical is a path without links, where it leads to something.
func Canonical(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// Exists tells whether there is something at a path, also a link that leads nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Replace writes a file as a whole: who reads it finds the old text or the new one. The new text lies beside it first,
// under a name that [os.CreateTemp] makes of beside, and ready, which may be nil, gets that file before it replaces the
// other. An error of it stops that.
func Replace(path, beside string, text []byte, ready func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), beside)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && ready != nil {
		err = ready(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// SyncDir makes the names in a directory durable, where the system can. The error is only that of closing it: what was
// done is done.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // not each user may
	}
	_ = f.Sync() // not each system can
	return f.Close()
}

// ReadRegular reads a regular file of at most limit bytes. It opens no pipe, which would wait for a writer, and no
// device, which may never end. The error is [fs.ErrInvalid] for what is no regular file, and for a larger file.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", fs.ErrInvalid, path, limit)
	}
	return content, err
}

// OpenRegular opens a regular file to be read, as [ReadRegular] does.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no regular file", fs.ErrInvalid, path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
