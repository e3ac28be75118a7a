package platform

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// IsSameFile reports whether two paths lead to one file.
func IsSameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(one, other)
}

// IsOwnFile reports whether a file belongs to the user of this process. It returns true on systems whose files have no
// user number as their owner.
func IsOwnFile(f fs.FileInfo) bool {
	uid, _, known := FileOwner(f)
	return !known || uid == os.Geteuid()
}

// IsDir reports whether a path leads to a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ResolveLinks returns a path with all links resolved, as far as the path exists.
func ResolveLinks(path string) string {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(resolved, rest)
		}
		if dir == filepath.Dir(dir) {
			return filepath.Clean(path)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// Exists reports whether a path exists, even as a link to nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// ReplaceFile replaces a file in one step, so that a reader finds either the old text or the new text. It writes the
// new text to a temporary file in the same directory. Beside is the name pattern of this file, see [os.CreateTemp].
// Then it calls ready, which may be nil, with the new file. If ready fails, the old file stays.
func ReplaceFile(path, beside string, text []byte, ready func(*os.File) error) error {
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

// SyncDir makes changed names in a directory durable, if the system can. It returns only the error of closing the
// directory.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // some users may not open it
	}
	_ = f.Sync() // some systems cannot sync it
	return f.Close()
}

// ReadRegular reads a regular file of at most limit bytes. The error is [fs.ErrInvalid] for a larger file and for any
// other kind of file. It opens no pipe, which would wait for a writer, and no device, which may never end.
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

// OpenRegular opens a regular file for reading, as [ReadRegular] does.
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
