package project

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"handoff/schemas"
	"handoff/tools"
)

// Files is an invoker that reads the files of a project to which calls refer: only the process beside the files can. The
// content of a file stands in the place of the path of a reference, and files of the context that are not there are
// marked.
type Files struct {
	tools.Invoker
	Dir string // the directory of the project, beyond which nothing is read
}

// Invoke passes the call on, with the files. The error is invalid for a file that may not be read.
func (f Files) Invoke(ctx context.Context, c tools.Call) (_ json.RawMessage, err error) {
	if c.Args, err = Enclose(c.Args, f.Dir); err != nil {
		return nil, err
	}
	return f.Invoker.Invoke(ctx, c)
}

// mostRead bounds what is read of one file, in bytes; the mailbox has a lower limit.
const mostRead = 4 << 20

// Enclose gives the arguments of a call with the files of a project to which they refer, see [Files]. Arguments that
// refer to none stay as they are.
func Enclose(args json.RawMessage, dir string) (json.RawMessage, error) {
	if !bytes.Contains(args, []byte(`"path"`)) {
		return args, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return args, nil // the mailbox says what becomes of a path that nobody read
	}
	defer root.Close()
	context := field("context", each("references", reader(root)), each("files", noter(root)))
	return field("", context, field("changes", context), field("continuation", context))(args)
}

// change makes other JSON of a value; what it does not know stays as it is.
type change func(json.RawMessage) (json.RawMessage, error)

// holds tells whether JSON is a value like v, and decodes it.
func holds(raw json.RawMessage, v any) bool { return json.Unmarshal(raw, v) == nil }

// field applies changes to a field of an object, or to the object itself, where it is there.
func field(name string, changes ...change) change {
	return func(object json.RawMessage) (_ json.RawMessage, err error) {
		if name == "" {
			for _, c := range changes {
				if object, err = c(object); err != nil {
					return nil, err
				}
			}
			return object, nil
		}
		var fields map[string]json.RawMessage
		if !holds(object, &fields) || fields[name] == nil {
			return object, nil
		}
		if fields[name], err = field("", changes...)(fields[name]); err != nil {
			return nil, err
		}
		return schemas.Encode(fields)
	}
}

// each applies a change to the entries of a list that is a field of an object.
func each(name string, c change) change {
	return field(name, func(list json.RawMessage) (_ json.RawMessage, err error) {
		var entries []json.RawMessage
		if !holds(list, &entries) {
			return list, nil
		}
		for i := range entries {
			if entries[i], err = c(entries[i]); err != nil {
				return nil, err
			}
		}
		return schemas.Encode(entries)
	})
}

// with gives an object with more fields. Those that it has and nobody knows stay, for the tool to refuse.
func with[T any](fields map[string]json.RawMessage, more map[string]T) (_ json.RawMessage, err error) {
	for name, v := range more {
		if fields[name], err = schemas.Encode(v); err != nil {
			return nil, err
		}
	}
	return schemas.Encode(fields)
}

// reader puts the content of a file into a reference that has only its path.
func reader(root *os.Root) change {
	return func(raw json.RawMessage) (json.RawMessage, error) {
		var ref schemas.Reference
		var fields map[string]json.RawMessage
		if !holds(raw, &ref) || !holds(raw, &fields) || ref.Path == "" || ref.Content != "" {
			return raw, nil
		}
		text, err := read(root, ref.Path)
		if err != nil {
			return nil, schemas.Invalidf("context.references.path", "%s: %w", schemas.Visible(ref.Path), err).
				WithHint("Name a text file inside of the project %s. Nothing was sent.", filepath.Base(root.Name()))
		}
		delete(fields, "path")
		return with(fields, map[string]string{"content": text, "name": cmp.Or(ref.Name, NameOf(ref.Path))})
	}
}

// NameOf is the name that the content of a file has as a reference.
func NameOf(path string) string {
	return schemas.Clip(strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("0123456789._-", r)) {
			return r
		}
		return '_'
	}, strings.TrimLeft(filepath.Base(path), ".-")), 60)
}

// read reads a regular file of text inside of a directory, also where links lead.
func read(root *os.Root, path string) (string, error) {
	path = inside(root, path)
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return "", reason(err)
	case !info.Mode().IsRegular():
		return "", errors.New("is no regular file")
	case info.Size() > mostRead:
		return "", errors.New("is too large")
	}
	b, err := root.ReadFile(path)
	if err == nil && (!utf8.Valid(b) || len(b) == 0 || bytes.IndexByte(b, 0) >= 0) {
		err = errors.New("is no text as UTF-8")
	}
	return string(b), reason(err)
}

// reason is an error of the system without the path, which its reader knows.
func reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// inside is a path as the root takes it.
func inside(root *os.Root, path string) string {
	if rel, err := filepath.Rel(root.Name(), path); err == nil && filepath.IsAbs(path) {
		return rel
	}
	return path
}

// noter marks a file that is not there.
func noter(root *os.Root) change {
	return func(raw json.RawMessage) (json.RawMessage, error) {
		var f schemas.File
		var fields map[string]json.RawMessage
		if !holds(raw, &f) || !holds(raw, &fields) || f.Path == "" || strings.ContainsAny(f.Path, "*?[{:") {
			return raw, nil
		}
		if _, err := root.Stat(inside(root, f.Path)); errors.Is(err, fs.ErrNotExist) {
			return with(fields, map[string]bool{"missing": true})
		}
		return raw, nil
	}
}
