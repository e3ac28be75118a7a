// Package git reads the branch and the commit of a repository from the files of git, and lists of files and commits
// through the program git. Reading the files costs no process: a server needs branch and commit before it responds, and
// the program git may be missing.
//
// A working tree has a ".git". It is a directory, or a file with the path of a directory elsewhere, as in linked
// worktrees and submodules. Each working tree has its own HEAD. Linked worktrees share their branches and objects in
// the common directory.
package git

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff/tools/platform"
)

// Repository holds the paths of a repository. They are absolute if [FindRepository] got an absolute path.
type Repository struct {
	Root   string // of the working tree; empty in a bare repository
	Dir    string // the git directory of this working tree
	Common string // the git directory shared by all working trees of the repository
}

// FindRepository returns the repository of the nearest working tree at or above dir. If there is no working tree, it
// returns the nearest bare repository. Working trees come first, because a clone may contain a folder that looks like a
// bare repository. FindRepository ignores directories for which skip returns true. Ok is false if it finds no
// repository.
func FindRepository(dir string, skip func(dir string) bool) (found Repository, ok bool) {
	for ; ; dir = filepath.Dir(dir) {
		if !skip(dir) {
			if r, isTree := readWorkingTree(dir); isTree {
				return r, true
			}
			if !ok && isGitDir(dir, dir) {
				found, ok = Repository{Dir: dir, Common: dir}, true
			}
		}
		if dir == filepath.Dir(dir) {
			return found, ok
		}
	}
}

// readWorkingTree returns the repository of a directory that has a ".git".
func readWorkingTree(dir string) (Repository, bool) {
	dotGit := filepath.Join(dir, ".git")
	gitDir, shared := dotGit, dotGit
	if content, err := readSmallFile(dotGit); err == nil {
		target, ok := parseGitFile(content)
		if !ok {
			return Repository{}, false
		}
		gitDir = resolvePath(dir, target)
		shared = commonDir(gitDir, dotGit)
	}
	return Repository{Root: dir, Dir: gitDir, Common: shared}, isGitDir(gitDir, shared) && !belongsToOtherTree(dir, gitDir)
}

// belongsToOtherTree reports whether gitDir is the ".git" of another working tree than dir. An unpacked archive, for
// example, may contain a file or a link that leads to another repository. For a git directory with another name than
// ".git" the result is false, as in git, because the git directory of a submodule does not name its working tree.
func belongsToOtherTree(dir, gitDir string) bool {
	real, err := filepath.EvalSymlinks(gitDir)
	return err != nil || filepath.Base(real) == ".git" && !platform.IsSameFile(filepath.Dir(real), dir)
}

// isGitDir reports whether dir is a git directory. As git does, it looks for HEAD in dir and for the directories
// objects and refs in shared.
func isGitDir(dir, shared string) bool {
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil && platform.IsDir(filepath.Join(shared, "objects")) && platform.IsDir(filepath.Join(shared, "refs"))
}

// commonDir returns the directory that a linked worktree shares with its repository, or gitDir for any other working
// tree. The repository must list gitDir among its worktrees, and gitDir must name dotGit. Otherwise a downloaded folder
// could pass for a worktree of any repository on this machine.
func commonDir(gitDir, dotGit string) string {
	shared, named := readPathFile(gitDir, "commondir")
	back, backNamed := readPathFile(gitDir, "gitdir")
	worktrees := filepath.Join(shared, "worktrees")
	if named && backNamed && platform.IsSameFile(filepath.Dir(gitDir), worktrees) && platform.IsSameFile(back, dotGit) {
		return shared
	}
	return gitDir
}

// A LostWorktree is a linked worktree that its repository does not list at its path: one of the two was moved, or is
// mounted at another path.
type LostWorktree struct {
	Root       string // with the file ".git"
	Repository string // its git directory, as Root names it; it may not exist
	Noted      string // the path of the worktree, as the repository notes it; empty if the repository does not exist
}

// FindLostWorktree returns the nearest lost worktree at or above dir, but below top. It ignores directories for which
// skip returns true. Ok is false if there is none.
func FindLostWorktree(dir, top string, skip func(dir string) bool) (lost LostWorktree, ok bool) {
	for ; dir != top; dir = filepath.Dir(dir) {
		content, err := readSmallFile(filepath.Join(dir, ".git"))
		target, named := parseGitFile(content)
		gitDir := resolvePath(dir, target)
		if worktrees := filepath.Dir(gitDir); err == nil && named && !skip(dir) && filepath.Base(worktrees) == "worktrees" {
			noted, _ := readPathFile(gitDir, "gitdir")
			return LostWorktree{dir, filepath.Dir(worktrees), strings.TrimSuffix(noted, string(filepath.Separator)+".git")}, true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return lost, false
}

// readPathFile reads a path from a one-line file of a git directory. Ok is false if the file is missing or has no path.
func readPathFile(gitDir, file string) (string, bool) {
	content, err := readSmallFile(filepath.Join(gitDir, file))
	if err != nil {
		return "", false
	}
	path, ok := firstLine(content)
	return resolvePath(gitDir, path), ok
}

// parseGitFile reads a ".git" file: one line, "gitdir: PATH".
func parseGitFile(content string) (path string, ok bool) {
	if line, ok := strings.CutPrefix(content, "gitdir: "); ok {
		return firstLine(line)
	}
	return "", false
}

// firstLine returns the only line of a text. Ok is false if the text is empty, has several lines, or has a zero byte.
func firstLine(content string) (string, bool) {
	line := strings.TrimRight(content, "\r\n")
	return line, line != "" && !strings.ContainsAny(line, "\x00\n")
}

func resolvePath(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// maxSmallFile limits the size of a one-line file, in bytes.
const maxSmallFile = 64 << 10

// maxPackedRefs is the largest number of bytes that are read from the file packed-refs. It is enough for about a
// million references.
const maxPackedRefs = 64 << 20

// IsObjectID reports whether s has the form of a whole object id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
func IsObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Head returns the current branch and the id of its commit. Branch is empty if HEAD is detached. Commit is empty before
// the first commit. Both are empty if HEAD cannot be read, or if the repository has a format of references that this
// package does not know.
func (r Repository) Head() (branch, commit string) {
	content, _ := readSmallFile(filepath.Join(r.Dir, "HEAD")) // of an unreadable file both stay empty
	ref, commit := parseHead(content)
	if ref == "" {
		return "", commit
	}
	branch = strings.TrimPrefix(ref, "refs/heads/")
	if branch == ".invalid" { // a reftable repository; its HEAD only stops old programs
		return "", ""
	}
	return branch, r.commitOf(ref)
}

// EarlyCommit returns the id of an early commit of the repository, without the program git: the first commit in the log
// of HEAD, or else the commit of HEAD. In a repository that was made here it is the first commit, in a clone the commit
// that was cloned. It returns "" before the first commit.
func (r Repository) EarlyCommit() string {
	if log, err := platform.OpenRegular(filepath.Join(r.Dir, "logs", "HEAD")); err == nil {
		defer log.Close()
		line, _ := bufio.NewReader(log).ReadString(' ') // "OLD NEW NAME <MAIL> ...", and OLD has the length of NEW
		id := make([]byte, max(len(line)-1, 0))
		if _, err := log.ReadAt(id, int64(len(line))); err == nil && IsObjectID(string(id)) {
			return string(id)
		}
	}
	_, commit := r.Head()
	return commit
}

// Made returns the time at which git made the repository or cloned it: that of a file that git never changes. A move
// keeps this time, and so does a copy with times. It returns "" if the file is missing or has whole seconds only,
// because then two repositories may have the same time.
func (r Repository) Made() string {
	info, err := os.Stat(filepath.Join(r.Common, "description"))
	if err != nil || info.ModTime().Nanosecond() == 0 {
		return ""
	}
	return info.ModTime().UTC().Format(time.RFC3339Nano)
}

// parseHead reads "ref: refs/heads/main" or, detached, the id of a commit.
func parseHead(content string) (ref, commit string) {
	line, ok := firstLine(content)
	ref, isRef := strings.CutPrefix(line, "ref: ")
	switch {
	case ok && isRef && filepath.IsLocal(ref):
		return ref, ""
	case IsObjectID(line):
		return "", line
	}
	return "", ""
}

func (r Repository) commitOf(ref string) string {
	content, err := readSmallFile(filepath.Join(r.Common, filepath.FromSlash(ref)))
	if err == nil {
		other, commit := parseHead(content)
		if strings.HasSuffix(ref, "/HEAD") && other != "" && !strings.HasSuffix(other, "/HEAD") { // the branch that a remote has checked out
			return r.commitOf(other)
		}
		return commit
	}
	packed, err := platform.OpenRegular(filepath.Join(r.Common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer packed.Close()
	return findPackedRef(io.LimitReader(packed, maxPackedRefs), ref)
}

// findPackedRef returns the id of a reference from the text of packed-refs, whose lines are "ID NAME". It ignores
// comments and peeled tags.
func findPackedRef(packed io.Reader, ref string) string {
	for lines := bufio.NewScanner(packed); lines.Scan(); {
		if id, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref && IsObjectID(id) {
			return id
		}
	}
	return ""
}

// smallFile is a file of one line, as it was read.
type smallFile struct {
	os.FileInfo
	content string
}

var smallFiles sync.Map // path → smallFile

// readSmallFile reads a file of one line. It remembers a file that was two seconds old when it was read: git replaces a
// file that it changes, so the new one is another file or has another time.
func readSmallFile(path string) (string, error) {
	info, _ := os.Stat(path) // nil if there is none
	last, _ := smallFiles.Load(path)
	if f, ok := last.(smallFile); ok && os.SameFile(f.FileInfo, info) && f.ModTime().Equal(info.ModTime()) {
		return f.content, nil
	}
	isOld := info != nil && time.Since(info.ModTime()) > 2*time.Second
	content, err := platform.ReadRegular(path, maxSmallFile)
	if err == nil && isOld {
		smallFiles.Store(path, smallFile{info, string(content)})
	}
	return string(content), err
}
