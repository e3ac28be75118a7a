package checks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools/platform"
)

const (
	slots = 4 // of a repository; a run that finds all in use waits
	stale = 7 * 24 * time.Hour

	markVariable = "HANDOFF_CHECK" // the variable of processes of a command
	markFile     = "mark"
	lockFile     = "lock"
	stdout       = "stdout" // the output of a command, for its report
)

// A slot is a directory with a tree in which one command at a time runs.
type slot struct {
	objectStore
	path string
	from git.Repository
	lock *os.File
}

// takeSlot returns a slot of a repository that no other process uses. If a killed run left processes in the slot,
// takeSlot ends these processes.
func takeSlot(ctx context.Context, place string, from git.Repository, commit string) (s *slot, err error) {
	for s == nil {
		for n := range slots {
			if s, err = tryLock(filepath.Join(place, fmt.Sprint(n+1))); s != nil || err != nil {
				break
			}
		}
		if err == nil && s == nil && !platform.Sleep(ctx, 100*time.Millisecond) {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	s.killRemaining()
	if s.objectStore, err = borrowObjects(filepath.Join(s.path, "git"), from, commit); err != nil {
		s.release()
		return nil, err
	}
	s.tree, s.gitLock, s.from = filepath.Join(s.path, "tree"), s.lock, from
	return s, nil
}

// tryLock locks a slot. It returns nil if another process uses the slot or has just removed it.
func tryLock(path string) (*slot, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err = platform.TryLock(lock); err == nil {
		now := time.Now()
		_ = os.Chtimes(lock.Name(), now, now)
		locked, _ := lock.Stat()
		if there, err := os.Stat(lock.Name()); err == nil && os.SameFile(locked, there) {
			return &slot{path: path, lock: lock}, nil
		}
	}
	_ = lock.Close() // nothing was written
	return nil, schemas.IgnoreError(platform.ErrLocked, err)
}

func (s *slot) release() { _ = s.lock.Close() } // nothing was written

// temporaryDir returns the directory for temporary files of a command. Its path is short, because programs make sockets
// below it and paths of sockets must be short.
func temporaryDir(id string) string { return filepath.Join(os.TempDir(), "handoff-"+id) }

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z2-7]{16}$`) })

// killRemaining ends the processes of a command whose run and supervisors were killed. It also removes the temporary
// files of the command.
func (s *slot) killRemaining() {
	path := filepath.Join(s.path, markFile)
	id, err := platform.ReadRegular(path, 64)
	if err == nil && idForm().Match(id) {
		platform.KillByEnvironment(markVariable + "=" + string(id))
		_ = removeAll(temporaryDir(string(id))) // else the system removes it one day
	}
	_ = os.Remove(path)
	_ = os.Remove(filepath.Join(s.path, stdout))
}

// checkOut checks a commit out into the tree, and removes all other files of the tree. If the checkout fails, it makes
// a new tree.
func (s *slot) checkOut(ctx context.Context, commit string) error {
	err := s.checkOutIntoTree(ctx, commit)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if err := errors.Join(removeAll(s.tree), os.RemoveAll(filepath.Join(s.dir, "index"))); err != nil {
		return err
	}
	return s.checkOutIntoTree(ctx, commit)
}

func (s *slot) checkOutIntoTree(ctx context.Context, commit string) error {
	if info, err := os.Lstat(s.tree); err == nil && !info.IsDir() { // a link would lead git elsewhere
		return fmt.Errorf("%s is no directory", s.tree)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(s.dir, "index.lock")), os.MkdirAll(s.tree, 0o700)); err != nil {
		return err
	}
	if _, err := s.runGit(ctx, "", "read-tree", "--reset", "-u", commit); err != nil {
		return err
	}
	_, err := s.runGit(ctx, "", "clean", "-ffdxq")
	return err
}

// addGitDir gives the tree a new git directory. A command may change settings or index flags in this directory. The
// next command gets a new directory without these changes.
func (s *slot) addGitDir(commit string) error {
	lent := filepath.Join(s.tree, ".git")
	if err := removeAll(lent); err != nil {
		return err
	}
	if _, err := borrowObjects(lent, s.from, commit); err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(s.dir, "index"))
	if err != nil {
		return err
	}
	return writeIfChanged(filepath.Join(lent, "index"), string(index))
}

// restoreFiles gives files of the tree the content that they have at the base. It restores files that match a pattern
// and that the work changed. It removes a matching file that the base does not have.
func (s *slot) restoreFiles(ctx context.Context, base string, changed []changedFile, patterns []string) error {
	root, err := os.OpenRoot(s.tree)
	if err != nil {
		return err
	}
	defer root.Close()
	match := compileGlobs(patterns)
	var old strings.Builder
	for _, c := range changed {
		switch {
		case !match.MatchString(c.path):
		case !c.isNew:
			old.WriteString(c.path + "\x00")
		default:
			if err := root.RemoveAll(c.path); err != nil {
				return err
			}
		}
	}
	if old.Len() > 0 {
		_, err = s.runGit(ctx, old.String(), "--literal-pathspecs", "checkout", "-q", base, "--pathspec-from-file=-", "--pathspec-file-nul")
	}
	return err
}

// removeAll removes a directory, even if parts of the directory are not writable.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // it is removed
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// removeUnusedSlots removes the slots and stored results that no run used for a week, in all repositories.
func removeUnusedSlots(dir string, now time.Time) {
	all, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	for _, path := range all {
		used := filepath.Join(path, lockFile)
		if strings.HasPrefix(filepath.Base(path), "kept-") {
			used = path
		}
		info, err := os.Stat(used)
		if err != nil || now.Sub(info.ModTime()) < stale {
			continue
		}
		if used == path {
			_ = os.Remove(path)
		} else if s, err := tryLock(path); s != nil && err == nil {
			s.killRemaining()
			_ = removeAll(path) // the next run tries again
			s.release()
		}
	}
}
