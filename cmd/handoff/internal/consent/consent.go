// Package consent keeps the permissions that a person gave in a repository: for lists of checks, whose commands run on
// the person's machine, and for rules of files, which send work.
//
// The repository has a random id. The id is in a file in the common git directory, so all worktrees share it. The id is
// in no commit, so a clone or a fork does not have it. In a project without git, the file is in .handoff. The user's
// state directory has a folder with the name of the id, which holds one file for each permission:
//
//	GIT/handoff-leave         the id
//	STATE/ID/KIND-DIGEST      a [Permission]
package consent

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"handoff/tools/platform"
)

// The kinds of permissions.
const (
	Checks = "checks" // a list of checks, by the digest of its text
	Rules  = "rules"  // routes and workflows of a file, by the digest of their canonical JSON
)

// A Permission is one permission of a person. It keeps the variables PATH and HOME of the person, because PATH decides
// which programs the commands of checks start, and HOME decides which settings these programs read.
type Permission struct {
	Path string `json:"path"`
	Home string `json:"home"`
}

// Getenv returns an environment with the variables of the permission.
func (l Permission) Getenv(of func(string) string) func(string) string {
	return func(name string) string {
		if kept, ok := map[string]string{"PATH": l.Path, "HOME": l.Home}[name]; ok {
			return kept
		}
		return of(name)
	}
}

// A PermissionBook holds the permissions of one user in one repository. Several processes may use a book of the same
// repository at the same time.
type PermissionBook struct {
	IDDir    string // the directory that has the id: the common git directory, or .handoff of a project without git
	StateDir string // of this user, for all repositories
}

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z2-7]{26}$`) })

// Find returns the permission of a kind for a digest, or nil if the person gave none. The error is a sentence for
// people that says why a stored permission does not count, for example because its file belongs to another user. Find
// writes nothing.
func (b PermissionBook) Find(kind, digest string) (*Permission, error) {
	dir, err := b.permissionDir()
	if err != nil || dir == "" {
		return nil, err
	}
	text, err := readUserFile(filepath.Join(dir, kind+"-"+digest))
	if err != nil || text == nil {
		return nil, err
	}
	found := &Permission{}
	if json.Unmarshal(text, found) != nil || found.Path == "" {
		return nil, fmt.Errorf("%s is not in the form that handoff writes, so it allows nothing: remove it", filepath.Join(dir, kind+"-"+digest))
	}
	return found, nil
}

// Allow stores a permission of a kind for a digest. The caller must have asked a person.
func (b PermissionBook) Allow(kind, digest string, l Permission) error {
	if b.IDDir == "" || b.StateDir == "" {
		return errors.New("there is no project here, or no directory for what is allowed: set HOME")
	}
	if err := b.ensureID(); err != nil {
		return err
	}
	dir, err := b.permissionDir()
	if err == nil {
		err = platform.MakePrivate(dir)
	}
	if err != nil {
		return err
	}
	text, _ := json.Marshal(l) // texts can be encoded
	return platform.ReplaceFile(filepath.Join(dir, kind+"-"+digest), ".new-*", text, nil)
}

// Deny removes all permissions of a kind, or of all kinds if kind is empty. It returns the number of removed
// permissions.
func (b PermissionBook) Deny(kind string) (were int, err error) {
	dir, err := b.permissionDir()
	if err != nil || dir == "" {
		return 0, err
	}
	given, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, f := range given {
		if strings.HasPrefix(f.Name(), kind) {
			were++
			err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name())))
		}
	}
	return were, err
}

// Stamp returns a text that changes with the book.
func (b PermissionBook) Stamp() string {
	dir, err := b.permissionDir()
	given, _ := os.ReadDir(dir) // there may be none
	return fmt.Sprint(dir, err, given)
}

// permissionDir returns the directory of this repository's permissions. It returns "" if the repository has no id, and
// so no permissions.
func (b PermissionBook) permissionDir() (string, error) {
	if b.IDDir == "" || b.StateDir == "" { // else the working directory would be read
		return "", nil
	}
	id, err := readUserFile(b.idFile())
	if err != nil || len(id) == 0 {
		return "", err
	}
	if !idForm().Match(id) {
		return "", fmt.Errorf("%s is not in the form that handoff writes, so nothing is allowed here: remove it", b.idFile())
	}
	dir := filepath.Join(b.StateDir, string(id))
	return dir, errors.Join(checkOwner(b.StateDir, fs.ModeDir), checkOwner(dir, fs.ModeDir))
}

// ensureID gives the repository a new id, unless it has an id for which this user has a directory of permissions. A
// lock keeps two processes from setting two ids.
func (b PermissionBook) ensureID() error {
	err := errors.Join(platform.MakePrivate(b.StateDir), os.MkdirAll(b.IDDir, 0o755)) //nolint:gosec // as other directories of the project
	if err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(b.StateDir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err = platform.Lock(lock); err == nil {
		dir, named := b.permissionDir()
		if _, missing := os.Lstat(dir); missing != nil && named == nil {
			id := rand.Text()
			err = errors.Join(os.WriteFile(b.idFile(), []byte(id), 0o600), platform.MakePrivate(filepath.Join(b.StateDir, id)))
		}
	}
	return err
}

func (b PermissionBook) idFile() string { return filepath.Join(b.IDDir, "handoff-leave") }

// readUserFile reads a file. It returns nil if the file does not exist, and an error if the file belongs to another
// user.
func readUserFile(path string) ([]byte, error) {
	if err := checkOwner(path, 0); err != nil {
		return nil, err
	}
	text, err := platform.ReadRegular(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// checkOwner returns an error if a path exists and belongs to another user, is a link, or is not of the given kind. The
// kind is 0 for a file and fs.ModeDir for a directory.
func checkOwner(path string, kind fs.FileMode) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (info.Mode().Type() != kind || !platform.IsOwnFile(info)) {
		err = fmt.Errorf("%s is a link or not your own, so nothing is allowed here: remove it", path)
	}
	return err
}
