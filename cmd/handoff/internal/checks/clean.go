package checks

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools/platform"
)

// checkClean returns a sentence about the uncommitted files in the working tree where the work was done, and about the
// settings that hide them from git. It returns "" if there are no such files. It reads each file of the tree, so it
// runs only for a check that asks for a clean tree.
func (l *jobRun) checkClean(ctx context.Context) (why string, err error) {
	if l.Unknown != "" {
		return "", schemas.Errorf(schemas.Unavailable, "nobody knows whether the working tree is clean: %s", l.Unknown).
			WithHint("Complete the work from its working tree.")
	}
	head, err := l.Repository.ResolveCommit(ctx, "HEAD")
	if err = errors.Join(err, l.ensureSlot(ctx)); err != nil {
		return "", err
	}
	hidden, err := l.slot.uncommittedFiles(ctx, l.Repository.Root, head)
	hidden = slices.DeleteFunc(hidden, func(file string) bool { return slices.Contains(l.Uncommitted, file) })
	files := append(slices.Clip(l.Uncommitted), schemas.Map(hidden, func(file string) string {
		return file + " (hidden by " + l.Repository.HidingSetting(ctx, file) + ")"
	})...)
	return fileProblem(files, "the working tree has changes that are in no commit"), err
}

// mostUncommitted is the maximal number of listed files.
const mostUncommitted = 20

// uncommittedFiles lists the files of a working tree that differ from a commit. It uses its own git directory with a
// new index, so that the index flags, ignore lists and settings of the user hide no file. It respects committed
// .gitignore and .gitattributes files, the exclusions of a sparse checkout, and pointers of Git LFS. For a submodule
// that is not checked out, it lists all files.
func (s *slot) uncommittedFiles(ctx context.Context, dir, commit string) (files []string, err error) {
	of, _ := git.FindRepository(dir, func(at string) bool { return at != dir })
	if of.Root == "" {
		all, _ := os.ReadDir(dir) // it may not exist
		return schemas.Map(all, os.DirEntry.Name), nil
	}
	o, err := borrowObjects(filepath.Join(s.path, "look"), of, commit)
	sparse, _ := os.ReadFile(filepath.Join(of.Dir, "info", "sparse-checkout")) // without the file the checkout is complete
	o.tree, o.gitLock = filepath.Join(s.path, "empty"), s.lock                 // git writes no file there, because no file in the index differs
	settings := []string{"-c", "core.compression=0", "-c", fmt.Sprint("core.sparseCheckout=", len(sparse) > 0), "-c", fmt.Sprint("core.autocrlf=", map[bool]string{true: "input"}[runtime.GOOS == "windows"])}
	run := func(args ...string) (said string) {
		if err == nil {
			said, err = o.runGit(ctx, "", append(settings, args...)...)
		}
		return said
	}
	err = errors.Join(err, os.RemoveAll(filepath.Join(o.dir, "index")), os.RemoveAll(filepath.Join(o.dir, "index.lock")),
		os.MkdirAll(o.tree, 0o700), os.MkdirAll(filepath.Join(o.dir, "info"), 0o700),
		writeIfChanged(filepath.Join(o.dir, "info", "sparse-checkout"), string(sparse)))
	run("read-tree", commit)
	run("read-tree", "-m", "-u", commit)
	o.tree = of.Root
	listed := run("status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty")
	for row := range strings.SplitSeq(listed, "\x00") {
		if file, ok := o.uncommittedFile(ctx, row); ok {
			if files = append(files, file); len(files) == mostUncommitted {
				return files, err
			}
		}
	}
	for row := range strings.SplitSeq(run("ls-files", "-s", "-z"), "\x00") { // "MODE ID 0", then the path
		if about, name, _ := strings.Cut(row, "\t"); strings.HasPrefix(about, "160000 ") && !slices.Contains(files, name) {
			within, unknown := s.uncommittedFiles(ctx, filepath.Join(of.Root, filepath.FromSlash(name)), strings.Fields(about)[1])
			files = append(files, schemas.Map(within, func(file string) string { return path.Join(name, file) })...)
			err = errors.Join(err, unknown)
		}
	}
	return files, err
}

// uncommittedFile returns the file of one row of the output of git status. Ok reports whether the file counts as
// uncommitted. A row is "1 XY SUB MODE MODE MODE ID ID PATH" for a changed file, with the modes in HEAD, index and
// tree. It is "? PATH" for an untracked file, and "! PATH" for an ignored file. An uncommitted .gitignore or
// .gitattributes always counts, because it could hide other files.
func (o objectStore) uncommittedFile(ctx context.Context, row string) (file string, ok bool) {
	kind, file, ok := strings.Cut(row, " ")
	if fields := strings.SplitN(row, " ", 9); kind == "1" && len(fields) == 9 {
		return fields[8], fields[4] != fields[5] || !o.matchesPointer(ctx, fields[7], fields[8])
	}
	name := strings.ToLower(path.Base(file))
	return file, ok && (kind != "!" || name == ".gitignore" || name == ".gitattributes")
}

// matchesPointer reports whether a file has the content that its Git LFS pointer in the commit names.
func (o objectStore) matchesPointer(ctx context.Context, id, file string) bool {
	filter, _ := o.runGit(ctx, "", "check-attr", "-z", "filter", "--", file)
	if !strings.HasSuffix(filter, "\x00lfs\x00") {
		return false
	}
	pointer, _ := o.runGit(ctx, "", "cat-file", "blob", id)
	_, named, ok := strings.Cut(pointer, "\noid sha256:")
	content, err := platform.OpenRegular(filepath.Join(o.tree, filepath.FromSlash(file)))
	if !ok || err != nil {
		return false
	}
	defer content.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, content)
	return err == nil && strings.HasPrefix(named, fmt.Sprintf("%x\n", sum.Sum(nil)))
}
