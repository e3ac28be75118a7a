package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// UncommittedFiles lists the files with changes that are in no commit, with untracked files last. It reads the state of
// every file of the tree. A [Looker] shares this work between callers.
func (r Repository) UncommittedFiles(ctx context.Context) (files []string, err error) {
	out, err := r.run(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")
	for _, row := range splitRows(out) { // "XY path"
		files = append(files, row[min(3, len(row)):])
	}
	return files, err
}

// Base returns the last commit that a commit has in common with the target of its branch. The target is the first branch
// that exists of these: an upstream branch of another name, the default branch of origin, main, master. Base is empty if
// no target exists, or if the histories have no common commit. Branch is empty for a detached HEAD.
//
// The upstream is read again when the settings of the repository are written. A setting branch.NAME in a user's own
// settings is read once.
func (r Repository) Base(ctx context.Context, branch, commit string) (string, error) {
	if commit == "" {
		return "", nil
	}
	upstream := ""
	if branch != "" {
		settings := []string{filepath.Join(r.Common, "config"), filepath.Join(r.Dir, "config.worktree")}
		found, err := r.runFact(ctx, settings, "for-each-ref", "--format=%(upstream:short)", "refs/heads/"+branch)
		if err != nil {
			return "", err
		}
		upstream = cmp.Or(strings.TrimSpace(found), branch)
	}
	base, err := r.mergeBase(ctx, branch, commit, upstream)
	if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
		err = nil // the histories have no common commit
	}
	return base, err
}

// HidingSetting returns the setting that hides an uncommitted file from [Repository.UncommittedFiles]: "skip-worktree",
// "assume-unchanged", the name of an ignore file, or a general text.
func (r Repository) HidingSetting(ctx context.Context, file string) string {
	flags, _ := r.run(ctx, "ls-files", "-v", "-z", "--", ":(top,literal)"+file) // without git the result is the general text
	rule, _ := r.run(ctx, "check-ignore", "-v", "--", "./"+file)
	switch flag := flags + " "; {
	case flag[0] == 'S':
		return "skip-worktree"
	case flag[0] >= 'a':
		return "assume-unchanged"
	case rule != "":
		source, _, _ := strings.Cut(rule, ":")
		return source
	}
	return "the settings of git here"
}

// mergeBase returns the last commit that a commit has in common with the target of its branch, or "" if there is no
// target.
func (r Repository) mergeBase(ctx context.Context, branch, commit, upstream string) (string, error) {
	into := []string{"refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"}
	if own := []string{"refs/heads/" + upstream, "refs/remotes/" + upstream}; path.Base(upstream) != path.Base(branch) {
		into = append(own, into...)
	} else { // the upstream is the branch itself, as pushed
		into = append(into, own...)
	}
	for _, ref := range into {
		switch tip := r.commitOf(ref); {
		case tip == "" || ref == "refs/heads/"+branch:
		case tip == commit:
			return commit, nil
		default:
			found, err := r.runFact(ctx, nil, "merge-base", commit, tip)
			return strings.TrimSpace(found), err
		}
	}
	return "", nil
}

// ChangedFiles lists the files that differ between the commits from and to. Both must be whole object ids.
func (r Repository) ChangedFiles(ctx context.Context, from, to string) ([]string, error) {
	if !IsObjectID(from) || !IsObjectID(to) {
		return nil, errors.New("no id of a commit")
	}
	if from == to {
		return nil, nil
	}
	out, err := r.runFact(ctx, nil, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", from, to, "--")
	return splitRows(out), err
}

// Diff returns the changes from one commit to another, as a patch or, with stat, as a list of files with numbers of
// lines. Both must be whole object ids.
func (r Repository) Diff(ctx context.Context, from, to string, stat bool) (string, error) {
	if !IsObjectID(from) || !IsObjectID(to) {
		return "", errors.New("no id of a commit")
	}
	form := map[bool]string{true: "--stat=80", false: "--patch"}[stat]
	return r.run(ctx, "diff", form, "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", from, to, "--")
}

// CommonCommit returns the last commit that the histories of two commits have in common, or "" if there is none. Both
// must be whole object ids.
func (r Repository) CommonCommit(ctx context.Context, one, other string) string {
	if !IsObjectID(one) || !IsObjectID(other) {
		return ""
	}
	found, _ := r.run(ctx, "merge-base", one, other) // an unknown commit has none
	return strings.TrimSpace(found)
}

// NewestCommits lists the ids of at most n commits in the history of a commit, the newest first. The commit must be a
// whole object id.
func (r Repository) NewestCommits(ctx context.Context, commit string, n int) ([]string, error) {
	out, err := r.runFact(ctx, nil, "rev-list", fmt.Sprintf("--max-count=%d", n), commit)
	return strings.Fields(out), err
}

// KnownCommits returns those of the given commits that the repository has. All must be whole object ids.
func (r Repository) KnownCommits(ctx context.Context, ids []string) []string {
	out, _ := r.run(ctx, append([]string{"rev-list", "--no-walk", "--ignore-missing"}, ids...)...) // without git none is known
	return strings.Fields(out)
}

// HasPath reports whether a commit has a file or directory at a path. The commit must be a whole object id. Git fetches
// nothing from other repositories.
func (r Repository) HasPath(ctx context.Context, commit, path string) (bool, error) {
	if !IsObjectID(commit) {
		return false, errors.New("no id of a commit")
	}
	found, err := r.runFact(ctx, nil, "ls-tree", "--name-only", "-z", commit, "--", path)
	return found != "", err
}

// ResolveCommit returns the whole id of a commit. Name is a branch, a tag, or the beginning of an id.
func (r Repository) ResolveCommit(ctx context.Context, name string) (string, error) {
	args := []string{"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}
	if IsObjectID(name) {
		found, err := r.runFact(ctx, nil, args...)
		return strings.TrimSpace(found), err
	}
	found, err := r.run(ctx, args...)
	return strings.TrimSpace(found), err
}

// maxOutput limits the output of git, in bytes.
const maxOutput = 64 << 20

// splitRows splits output of git at zero bytes.
func splitRows(out string) []string {
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
}

// run runs the program git and returns its output, or nothing if git fails. Paths in the output are relative to the
// root. For safety, git writes no file in the tree, and runs no program that the repository's configuration names, for
// example to watch files. The error contains git's message.
func (r Repository) run(ctx context.Context, args ...string) (string, error) {
	args = append([]string{"-C", cmp.Or(r.Root, r.Dir), "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // no argument comes from a call
	return RunCommand(ctx, cmd, "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}

// RunCommand runs a git command and returns its output, or nothing if git fails. The command gets the environment of
// this process without its GIT_ variables, which a hook of git may have set, and then env. Git ignores replacement
// objects of the repository. The error contains git's message.
func RunCommand(ctx context.Context, cmd *exec.Cmd, env ...string) (string, error) {
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(append(cmd.Env, "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"), env...)
	cmd.WaitDelay = time.Second
	var out, problem limitedBuffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	if said, _, _ := strings.Cut(problem.String(), "\n"); said != "" && ctx.Err() == nil {
		err = errors.New(said)
	}
	return "", err
}

// limitedBuffer keeps written bytes. A write that exceeds maxOutput fails.
type limitedBuffer struct{ strings.Builder }

func (l *limitedBuffer) Write(b []byte) (int, error) {
	if l.Len()+len(b) > maxOutput {
		return 0, errors.New("git prints too much")
	}
	return l.Builder.Write(b)
}
