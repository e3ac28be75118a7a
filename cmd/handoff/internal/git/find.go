// Package git reads the branch and the commit of a git repository from its files. It runs no git process: a server
// needs them before it may respond, and git may not be installed.
//
// A working tree has a ".git": a directory, or a file that names one elsewhere (linked worktrees, submodules,
// repositories made with --separate-git-dir). Each working tree has its own HEAD. Branches, and everything else that
// linked worktrees share, are in the common directory.
package git

import (
	"os"
	"path/filepath"
	"strings"
)

// Repository has the paths of a repository. They are absolute if the path given to [Find] was.
type Repository struct {
	Root   string // of the working tree; empty in a bare repository
	Dir    string // the git directory of this working tree
	Common string // the git directory shared by all working trees of the repository
}

// Find returns the repository of dir: that in dir, or in the nearest parent that has one. It passes over directories
// for which skip returns true. Ok is false when there is none.
func Find(dir string, skip func(dir string) bool) (_ Repository, ok bool) {
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

// resolve returns the git directory of a ".git".
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
	gitDir := resolvePath(filepath.Dir(dotGit), target)
	return gitDir, isGitDir(gitDir)
}

// isGitDir recognises a git directory as git does: by HEAD and by the directories of objects and references, which a
// linked worktree has in its common directory.
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
	return resolvePath(gitDir, target)
}

// parseGitFile reads a ".git" file: one line, "gitdir: PATH".
func parseGitFile(content string) (path string, ok bool) {
	line, ok := strings.CutPrefix(content, "gitdir: ")
	if !ok {
		return "", false
	}
	return firstLine(line)
}

// firstLine returns the only line of a file that holds a path. Ok is false for a text that is no path.
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

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
