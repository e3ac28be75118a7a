package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
	"handoff/tools"
)

// Invoker is an invoker that adds facts of the project to a call, because only a process on the project's machine can
// read them. It replaces the path in a reference by the content of the file. It marks missing files of the context, and
// adds the digests of the other files and of artifacts, so that a later claim can report changed files. It also adds
// the git working tree to the caller. Its methods may be called concurrently.
type Invoker struct {
	tools.Invoker
	Dir      string        // the project directory, outside of which nothing is read; empty: nothing is read
	Patience time.Duration // for which each call waits for a look at the tree; 0: the usual times, see [LongPatience]

	looks git.Looker
	bases sync.Map // by branch and commit, found in the last second

	mu         sync.Mutex     // guards the fields below
	repository git.Repository // around the directory, when it was last looked for
	inside     bool           // whether there is one
	lookedAt   time.Time
}

// Invoke adds the facts of the project to a call and passes the call on. The error has the code invalid if the call
// refers to a file that cannot be read.
func (f *Invoker) Invoke(ctx context.Context, c tools.Call) (_ json.RawMessage, err error) {
	if c.Args, err = EncloseFiles(c.Args, f.Dir); err != nil {
		return nil, err
	}
	f.addWorkingTree(ctx, &c)
	out, err := f.Invoker.Invoke(ctx, c)
	if err == nil && (c.Tool == schemas.ClaimIn{}.Tool() || c.Tool == schemas.GetIn{}.Tool()) {
		f.locateClaim(ctx, c, out)
		out = f.addChangedFiles(ctx, c, out)
	}
	return out, err
}

// mostRead is the maximal number of bytes that one call reads from files. It equals the maximal size of a message.
const mostRead = 4 << 20

// EncloseFiles replaces paths in the arguments of a call by the content of the project's files, and adds the digests of
// context files and artifacts: see [Invoker]. Arguments without paths stay unchanged, byte for byte.
func EncloseFiles(args json.RawMessage, dir string) (json.RawMessage, error) {
	if !bytes.Contains(args, []byte(`"path"`)) && !bytes.Contains(args, []byte(`"files"`)) {
		return args, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return args, nil // the mailbox decides about a path that was not read
	}
	defer root.Close()
	var whole any
	if schemas.DecodeNumbers(args, &whole) != nil {
		return args, nil
	}
	changed, left, digested := false, mostRead, 4*mostRead
	for _, object := range []any{whole, fieldOf(whole, "changes"), fieldOf(whole, "continuation")} {
		context := fieldOf(object, "context")
		for i, ref := range objectsInList(context, "references") {
			taken, err := encloseContent(root, ref, left)
			if err != nil {
				return nil, schemas.PrefixField(fmt.Sprintf("context.references[%d]", i), err)
			}
			changed, left = changed || taken > 0, left-taken
		}
		for _, file := range contextFiles(context) {
			changed = describeContextFile(root, file, &digested) || changed
		}
		for _, artifact := range objectsInList(context, "artifacts") {
			path, _ := artifact["path"].(string)
			if digest, _ := fileDigest(root, path, &digested); digest != "" {
				artifact["digest"], changed = digest, true
			}
		}
	}
	if !changed {
		return args, nil
	}
	return schemas.Encode(whole)
}

// fieldOf returns a field of an object, or nil.
func fieldOf(v any, name string) any {
	object, _ := v.(map[string]any)
	return object[name]
}

// objectsInList returns the objects in the list v[name]. It returns nil if v[name] is not a list.
func objectsInList(v any, name string) (objects []map[string]any) {
	list, _ := fieldOf(v, name).([]any)
	for _, entry := range list {
		if object, ok := entry.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// contextFiles returns the files of a context. A file that is a path alone becomes an object in the list.
func contextFiles(context any) []map[string]any {
	list, _ := fieldOf(context, "files").([]any)
	for i, entry := range list {
		if path, ok := entry.(string); ok && !strings.Contains(path, ":") { // of lines, such as a.go:12
			list[i] = map[string]any{"path": path}
		}
	}
	return objectsInList(context, "files")
}

// encloseContent replaces the path in a reference by the content of the file. It returns the number of bytes of the
// content, which is at most `most`. It returns 0 if the reference has no path.
func encloseContent(root *os.Root, ref map[string]any, most int) (taken int, err error) {
	path, _ := ref["path"].(string)
	if path == "" || ref["content"] != nil {
		return 0, nil
	}
	text, err := readTextFile(root, path, most)
	if err != nil {
		return 0, schemas.Invalidf("path", "%s: %w", schemas.EscapeHidden(path), err).
			WithHint("Name a whole text file inside of the project %s: its reader takes parts of it. Nothing was sent.",
				filepath.Base(root.Name()))
	}
	delete(ref, "path")
	ref["content"], ref["read_from"] = text, filepath.ToSlash(relativeTo(root, path))
	if ref["name"] == nil {
		ref["name"] = ReferenceName(path)
	}
	return len(text), nil
}

// describeContextFile marks a context file as missing, or adds its digest. The parameter left is the number of bytes
// that the call may still read: a larger file gets no digest.
func describeContextFile(root *os.Root, file map[string]any, left *int) (changed bool) {
	path, _ := file["path"].(string)
	digest, gone := fileDigest(root, path, left)
	switch {
	case gone:
		file["missing"] = true
	case digest != "":
		file["digest"] = digest
	}
	return gone || digest != ""
}

// ReferenceName returns the name of a reference that has the content of the file at path.
func ReferenceName(path string) string {
	return schemas.Clip(strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("0123456789._-", r)) {
			return r
		}
		return '_'
	}, strings.TrimLeft(filepath.Base(path), ".-")), 60)
}

// ReadTextFile reads a text file of the project in dir. It follows no link out of the project.
func ReadTextFile(dir, path string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return readTextFile(root, path, mostRead)
}

// readTextFile reads a text file of at most `most` bytes. A link is followed only inside of root.
func readTextFile(root *os.Root, path string, most int) (string, error) {
	path = relativeTo(root, path)
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return "", errorWithoutPath(err)
	case !info.Mode().IsRegular():
		return "", errors.New("is no regular file")
	case info.Size() > int64(most):
		return "", errors.New("is too large, or too much with the files before it")
	}
	b, err := root.ReadFile(path)
	if err == nil && (!utf8.Valid(b) || len(b) == 0 || bytes.IndexByte(b, 0) >= 0) {
		err = errors.New("is no text as UTF-8")
	}
	return string(b), errorWithoutPath(err)
}

// errorWithoutPath returns the error of the operating system without the path, because the caller's message already has
// the path.
func errorWithoutPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// relativeTo returns a path relative to the root.
func relativeTo(root *os.Root, path string) string {
	if rel, err := filepath.Rel(root.Name(), path); err == nil && filepath.IsAbs(path) {
		return rel
	}
	return path
}
