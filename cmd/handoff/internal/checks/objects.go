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

// objectStore is a git directory that borrows the objects of a repository, so that git can read the repository's
// commits. The configuration of the repository and of the user has no effect in it. It has no hooks, no filters, and no
// program that watches files.
type objectStore struct {
	dir     string   // the git directory
	tree    string   // its working tree; empty if only objects are read
	gitLock *os.File // a lock that git holds while it runs, nil for none

	shallow string // the file with the ends of a shallow history; empty for a complete one
}

// borrowObjects prepares a git directory that borrows the objects of a repository. The directory may already exist. Its
// HEAD becomes commit.
func borrowObjects(dir string, from git.Repository, commit string) (objectStore, error) {
	o := objectStore{dir: dir}
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
		if err := writeIfChanged(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return o, err
		}
	}
	return o, nil
}

// writeIfChanged writes a text to a file, unless the file already has this text. Other processes may read the file at
// the same time.
func writeIfChanged(path, text string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		if said, err := os.ReadFile(path); err == nil && string(said) == text {
			return nil
		}
	}
	return platform.ReplaceFile(path, ".new-*", []byte(text), nil)
}

// runGit runs git with an input, and returns the output. The error has git's message.
func (o objectStore) runGit(ctx context.Context, input string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // no argument comes from a call
	env := []string{
		"GIT_DIR=" + o.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1",
	}
	for name, value := range map[string]string{"WORK_TREE": o.tree, "SHALLOW_FILE": o.shallow} {
		if value != "" {
			env = append(env, "GIT_"+name+"="+value)
		}
	}
	if o.gitLock != nil && runtime.GOOS != "windows" {
		cmd.ExtraFiles = []*os.File{o.gitLock}
	}
	cmd.Dir, cmd.Stdin = o.tree, strings.NewReader(input)
	out, err := git.RunCommand(ctx, cmd, env...)
	if err != nil {
		err = fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, err
}

// hasCommit reports whether a commit of this id exists.
func (o objectStore) hasCommit(ctx context.Context, commit string) bool {
	kind, err := o.runGit(ctx, "", "cat-file", "-t", commit)
	return err == nil && kind == "commit\n"
}

// readText returns the text of a regular file of a commit. Ok is false if there is no regular file at the path, or if
// the file has more than `most` bytes.
func (o objectStore) readText(ctx context.Context, commit, path string, most int) (text string, ok bool, err error) {
	id, size, err := o.findFile(ctx, commit, path)
	if err != nil || id == "" || size > most {
		return "", false, err
	}
	text, err = o.runGit(ctx, "", "cat-file", "blob", id)
	return text, err == nil, err
}

// findFile returns the id and the size of a regular file of a commit. It follows links that stay within the tree. If
// there is no regular file at the path, id is empty.
func (o objectStore) findFile(ctx context.Context, commit, path string) (id string, size int, err error) {
	found, err := o.runGit(ctx, commit+":"+path+"\n", "cat-file", "--batch-check", "--follow-symlinks")
	words := strings.Fields(found)
	if err != nil || len(words) != 3 || words[1] != "blob" || !git.IsObjectID(words[0]) {
		return "", 0, err
	}
	size, err = strconv.Atoi(words[2])
	return words[0], size, err
}

// changedFile is a file that differs between two commits. The field isNew is true if only the second commit has the
// file.
type changedFile struct {
	path  string
	isNew bool
}

// changedFiles compares two commits, file by file.
func (o objectStore) changedFiles(ctx context.Context, from, to string) (all []changedFile, err error) {
	listed, err := o.runGit(ctx, "", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", from, to)
	rows := strings.Split(listed, "\x00")
	for ; len(rows) > 1; rows = rows[2:] { // ":100644 100644 ID ID M", then the path
		words := strings.Fields(strings.TrimPrefix(rows[0], ":"))
		if len(words) < 5 {
			return nil, errors.New("git lists changes in a way that is not known")
		}
		all = append(all, changedFile{rows[1], strings.Trim(words[0], "0") == ""})
	}
	return all, err
}
