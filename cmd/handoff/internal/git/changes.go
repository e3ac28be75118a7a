package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Changes are what git itself finds in a working tree: the files in which a commit and that of HEAD differ, and those
// with changes that are in no commit, untracked ones among them. Paths are relative to the root.
//
// It runs the program git, since nothing else knows its index and its rules for what is ignored, twice and for five
// seconds at most. Nothing in the tree is written, and none of the programs runs that its configuration may name for
// differences and for watching files. The error says what git said, as where the commit is not in the repository.
func (r Repository) Changes(ctx context.Context, since string) (committed, uncommitted []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if since != "" {
		if !isObjectID(since) {
			return nil, nil, errors.New("no id of a commit")
		}
		if committed, err = r.list(ctx, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", since, "HEAD", "--"); err != nil {
			return nil, nil, err
		}
	}
	rows, err := r.list(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all")
	for _, row := range rows { // "XY path"
		uncommitted = append(uncommitted, row[min(3, len(row)):])
	}
	return committed, uncommitted, err
}

// mostListed is how much git may print, in bytes.
const mostListed = 16 << 20

// list runs git and gives what it printed, which it ends with a zero each.
func (r Repository) list(ctx context.Context, args ...string) ([]string, error) {
	args = append([]string{"-C", r.Root, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)                                                      //nolint:gosec // none of it is said by a call
	ours := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }) // as of a hook of git
	cmd.Env = append(ours, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var out, problem limited
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		if said, _, _ := strings.Cut(problem.String(), "\n"); said != "" && ctx.Err() == nil {
			err = errors.New(said)
		}
		return nil, err
	}
	return strings.FieldsFunc(out.String(), func(c rune) bool { return c == 0 }), nil
}

// limited keeps what is written to it, and fails past the limit.
type limited struct{ strings.Builder }

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > mostListed {
		return 0, errors.New("git lists too many files")
	}
	return l.Builder.Write(b)
}
