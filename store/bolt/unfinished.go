package bolt

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"
)

// bbolt makes a file by writing its first pages and syncing them. A power cut in between leaves some of the sectors, and
// zeros for the others. The first commit writes other meta pages, and makes the file much larger before. So a file that
// has at most these pages, and in them nothing else, never had a commit: nothing that was acknowledged is in it.

const (
	firstPages = 4 * pageSize
	sectorSize = 512
)

// unfinished reports whether nobody can have lost anything with the file at path: it was not even made.
func unfinished(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > firstPages {
		return false
	}
	content, err := os.ReadFile(path)
	fresh, failed := freshFile()
	if err != nil || failed != nil {
		return false
	}
	for at := 0; at < len(content); at += sectorSize {
		sector := content[at:min(at+sectorSize, len(content))]
		if len(bytes.Trim(sector, "\x00")) > 0 && !bytes.HasPrefix(fresh[min(at, len(fresh)):], sector) {
			return false
		}
	}
	return true
}

// freshFile gives the content of a file that bbolt has just made.
func freshFile() ([]byte, error) {
	dir, err := os.MkdirTemp("", "handoff-fresh-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nobody needs it
	path := filepath.Join(dir, "fresh.db")
	db, err := bboltOpen(path, bbolt.Options{NoFreelistSync: true})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// syncDirs makes the entry of a new file durable, and those of the directories above it, which may be as new. Not each
// system can sync a directory, nor may each user.
func syncDirs(path string) {
	if runtime.GOOS == "windows" {
		return
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		f, err := os.Open(dir)
		if err != nil {
			return
		}
		err = f.Sync()
		if f.Close() != nil || err != nil || dir == filepath.Dir(dir) {
			return
		}
	}
}
