// Package git reads what handoff needs to know of a git repository from its files. No git process is run:
// the answer is needed before a server may speak, and git may not be installed at all.
//
// A working tree has a ".git": a directory, or a file naming one elsewhere (linked worktrees, submodules,
// repositories made with --separate-git-dir). HEAD is kept per working tree; branches, and everything else
// that its linked worktrees share, are in the common directory.
package git

import (
	"os"
	"path/filepath"
	"strings"
)

// Repository is where the parts of a repository are. Paths are absolute if the path given to [Find] was.
type Repository struct {
	Root   string // of the working tree; empty in a bare repository
	Dir    string // the git directory of this working tree
	Common string // the git directory shared by all working trees of the repository
}

// Find gives the repository that dir is in: its own, or that of the nearest parent which has one. Parents
// for which skip is true are passed over.
func Find(dir string, skip func(dir string) bool) (Repository, bool) {
	for ; ; dir = filepath.Dir(dir) {
		if !skip(dir) {
			if r, ok := at(dir); ok {
				return r, true
			}
		}
		if dir == filepath.Dir(dir) {
			return Repository{}, false
		}
	}
}

func at(dir string) (Repository, bool) {
	if gitDir, ok := resolve(filepath.Join(dir, ".git")); ok {
		return Repository{Root: dir, Dir: gitDir, Common: common(gitDir)}, true
	}
	if isGitDir(dir) {
		return Repository{Dir: dir, Common: common(dir)}, true
	}
	return Repository{}, false
}

// resolve gives the git directory behind a ".git".
func resolve(dotGit string) (string, bool) {
	if isGitDir(dotGit) {
		return dotGit, true
	}
	content, err := readSmall(dotGit)
	if err != nil {
		return "", false
	}
	target, ok := parseGitFile(content)
	if !ok {
		return "", false
	}
	gitDir := within(filepath.Dir(dotGit), target)
	return gitDir, isGitDir(gitDir)
}

// isGitDir tells a git directory as git itself does: by HEAD and the places of objects and references,
// which a linked worktree has in its common directory.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	shared := common(dir)
	return isDir(filepath.Join(shared, "objects")) && isDir(filepath.Join(shared, "refs"))
}

func common(gitDir string) string {
	content, err := readSmall(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	target, ok := firstLine(content)
	if !ok {
		return gitDir
	}
	return within(gitDir, target)
}

// parseGitFile reads a ".git" file: one line, "gitdir: PATH".
func parseGitFile(content string) (path string, ok bool) {
	line, ok := strings.CutPrefix(content, "gitdir: ")
	if !ok {
		return "", false
	}
	return firstLine(line)
}

// firstLine gives the only line of a file that holds a path. Paths that no file system has are no paths.
func firstLine(content string) (string, bool) {
	line := strings.TrimRight(content, "\r\n")
	return line, line != "" && !strings.ContainsAny(line, "\x00\n")
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
