// Package git reads the branch and the commit of a git repository from its files. It runs no git process for them: a
// server needs both before it may respond, and git may not be installed. Lists of files and commits come from the
// program git (changes.go).
//
// A working tree has a ".git": a directory, or a file with the path of a directory elsewhere (linked worktrees,
// submodules, repositories made with --separate-git-dir). Each working tree has its own HEAD. Branches, and everything
// else that linked worktrees share, are in the common directory.
package git

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"

	"handoff/tools/platform"
)

// Repository has the paths of a repository. They are absolute if the path given to [FindRepository] was.
type Repository struct {
	Root   string // of the working tree; empty in a bare repository
	Dir    string // the git directory of this working tree
	Common string // the git directory shared by all working trees of the repository
}

// FindRepository returns the repository of the nearest working tree, which is dir or a parent of dir. Only without a working tree
// it returns the nearest bare repository, because a folder that looks like a bare repository can be committed into a
// working tree and come with a clone (git has safe.bareRepository for the same reason). It passes over directories for
// which skip returns true. Ok is false if there is no repository.
func FindRepository(dir string, skip func(dir string) bool) (found Repository, ok bool) {
	for ; ; dir = filepath.Dir(dir) {
		if !skip(dir) {
			if r, isTree := workingTree(dir); isTree {
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

// workingTree returns the repository of a directory that has a ".git".
func workingTree(dir string) (Repository, bool) {
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
	return Repository{Root: dir, Dir: gitDir, Common: shared}, isGitDir(gitDir, shared) && !belongsToOther(dir, gitDir)
}

// belongsToOther reports whether a git directory is the ".git" of another working tree. A file or a link from an
// archive can lead to it. Like git, it accepts a git directory elsewhere under another name: submodules and
// --separate-git-dir leave no sign of the working tree there.
func belongsToOther(dir, gitDir string) bool {
	real, err := filepath.EvalSymlinks(gitDir)
	return err != nil || filepath.Base(real) == ".git" && !platform.SameFile(filepath.Dir(real), dir)
}

// isGitDir recognises a git directory as git does: by HEAD and by the directories of objects and references, which a
// linked worktree has in its common directory.
func isGitDir(dir, shared string) bool {
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil && platform.IsDir(filepath.Join(shared, "objects")) && platform.IsDir(filepath.Join(shared, "refs"))
}

// commonDir returns the directory that a linked worktree shares with its repository. It follows the file "commondir"
// only if both refer to each other: the repository has the git directory among its worktrees, and the git directory
// names dotGit. Otherwise a downloaded folder could pass for a part of any repository on this machine.
func commonDir(gitDir, dotGit string) string {
	shared, named := readPathFile(gitDir, "commondir")
	back, backNamed := readPathFile(gitDir, "gitdir")
	worktrees := filepath.Join(shared, "worktrees")
	if named && backNamed && platform.SameFile(filepath.Dir(gitDir), worktrees) && platform.SameFile(back, dotGit) {
		return shared
	}
	return gitDir
}

// readPathFile reads a path from a file of a git directory. Ok is false if the file has no path.
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
	line, ok := strings.CutPrefix(content, "gitdir: ")
	if !ok {
		return "", false
	}
	return firstLine(line)
}

// firstLine returns the only line of a file. Ok is false for an empty text, several lines, or a zero byte.
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

// maxPackedRefs limits the part of packed-refs that is read, in bytes: about a million references.
const maxPackedRefs = 64 << 20

// IsObjectID reports whether s has the form of a whole object id, SHA-1 or SHA-256 in lower-case hex.
func IsObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Head returns the branch that is checked out and the id of its commit. The branch is empty when HEAD is detached. The
// commit is empty before the first commit. Both are empty if HEAD is unreadable or the references have a format that
// this package does not read.
func (r Repository) Head() (branch, commit string) {
	content, err := readSmallFile(filepath.Join(r.Dir, "HEAD"))
	if err != nil {
		return "", ""
	}
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

// parseHead reads "ref: refs/heads/main" or, detached, the id of a commit.
func parseHead(content string) (ref, commit string) {
	line, ok := firstLine(content)
	if !ok {
		return "", ""
	}
	if ref, ok := strings.CutPrefix(line, "ref: "); ok && filepath.IsLocal(ref) {
		return ref, ""
	}
	if IsObjectID(line) {
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

// findPackedRef looks up a reference in packed-refs: in lines "ID NAME". It ignores comments and peeled tags.
func findPackedRef(packed io.Reader, ref string) string {
	for lines := bufio.NewScanner(packed); lines.Scan(); {
		if id, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref && IsObjectID(id) {
			return id
		}
	}
	return ""
}

// readSmallFile reads a file of one line.
func readSmallFile(path string) (string, error) {
	content, err := platform.ReadRegular(path, maxSmallFile)
	return string(content), err
}
