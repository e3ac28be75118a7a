package checks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"handoff/cmd/handoff/internal/git"
	"handoff/tools/platform"
)

// objects is a git directory of handoff's own that borrows the objects of a repository. Of the configuration of that
// one, and of the user, nothing holds in it: neither hooks nor filters nor a program that watches files.
type objects struct {
	dir  string   // the git directory
	tree string   // its working tree; empty where only objects are read
	held *os.File // a lock that git holds as long as it runs, nil for none

	shallow string // where the history of the repository ends, if it does
}

// borrow readies a git directory, which may be there. Commit is what HEAD is in it.
func borrow(dir string, from git.Repository, commit string) (objects, error) {
	o := objects{dir: dir}
	if shallow := filepath.Join(from.Common, "shallow"); platform.Exists(shallow) {
		o.shallow = shallow
	}
	format, extension := 0, ""
	if len(commit) == 64 {
		format, extension = 1, "[extensions]\n\tobjectFormat = sha256\n"
	}
	windows := runtime.GOOS == "windows"
	config := fmt.Sprintf("[core]\n\trepositoryformatversion = %d\n\tbare = false\n\tfileMode = %t\n\tsymlinks = %t\n\tignoreCase = %t\n\tlongPaths = true\n"+
		"\thooksPath = %s\n\tattributesFile = %[5]s\n\texcludesFile = %[5]s\n\tfsmonitor = false\n%[6]s",
		format, !windows, !windows, windows || runtime.GOOS == "darwin", os.DevNull, extension)
	for _, folder := range []string{"objects/info", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o700); err != nil {
			return o, err
		}
	}
	for name, text := range map[string]string{
		"config": config, "objects/info/alternates": filepath.Join(from.Common, "objects") + "\n", "HEAD": commit + "\n",
	} {
		if err := settle(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return o, err
		}
	}
	return o, nil
}

// settle makes a file say what it has to, unless it does. Others may read it meanwhile.
func settle(path, text string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		if said, err := os.ReadFile(path); err == nil && string(said) == text {
			return nil
		}
	}
	return platform.Replace(path, ".new-*", []byte(text), nil)
}

// git runs git, with an input, and gives what it printed. The error says what git said.
func (o objects) git(ctx context.Context, input string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // none of it is said by a call
	env := []string{
		"GIT_DIR=" + o.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1",
	}
	for name, value := range map[string]string{"WORK_TREE": o.tree, "SHALLOW_FILE": o.shallow} {
		if value != "" {
			env = append(env, "GIT_"+name+"="+value)
		}
	}
	if o.held != nil && runtime.GOOS != "windows" {
		cmd.ExtraFiles = []*os.File{o.held}
	}
	cmd.Dir, cmd.Stdin = o.tree, strings.NewReader(input)
	out, err := git.Run(ctx, cmd, env...)
	if err != nil {
		err = fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, err
}

// has tells whether there is a commit of this id.
func (o objects) has(ctx context.Context, commit string) bool {
	kind, err := o.git(ctx, "", "cat-file", "-t", commit)
	return err == nil && kind == "commit\n"
}

// isFile tells whether a path leads to a regular file of a commit, through links that stay in the tree.
func (o objects) isFile(ctx context.Context, commit, path string) (bool, error) {
	id, _, err := o.find(ctx, commit, path)
	return id != "", err
}

// text gives the text of such a file. Ok is false where there is none of at most so many bytes.
func (o objects) text(ctx context.Context, commit, path string, most int) (text string, ok bool, err error) {
	id, size, err := o.find(ctx, commit, path)
	if err != nil || id == "" || size > most {
		return "", false, err
	}
	text, err = o.git(ctx, "", "cat-file", "blob", id)
	return text, err == nil, err
}

// find gives the id and the size of such a file. The id is empty where there is none.
func (o objects) find(ctx context.Context, commit, path string) (id string, size int, err error) {
	found, err := o.git(ctx, commit+":"+path+"\n", "cat-file", "--batch-check", "--follow-symlinks")
	words := strings.Fields(found)
	if err != nil || len(words) != 3 || words[1] != "blob" || !git.IsObjectID(words[0]) {
		return "", 0, err
	}
	size, err = strconv.Atoi(words[2])
	return words[0], size, err
}

// A change is a file in which two commits differ. A new one is not in the first.
type change struct {
	path  string
	isNew bool
}

// changes compares two commits, file by file.
func (o objects) changes(ctx context.Context, from, to string) (all []change, err error) {
	listed, err := o.git(ctx, "", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", from, to)
	rows := strings.Split(listed, "\x00")
	for ; len(rows) > 1; rows = rows[2:] { // ":100644 100644 ID ID M", then the path
		words := strings.Fields(strings.TrimPrefix(rows[0], ":"))
		if len(words) < 5 {
			return nil, errors.New("git lists changes in a way that is not known")
		}
		all = append(all, change{rows[1], strings.Trim(words[0], "0") == ""})
	}
	return all, err
}
