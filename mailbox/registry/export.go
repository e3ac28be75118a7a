package registry

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/travel"
)

const (
	exportPrefix   = ".handoff-export-" // which nobody gives a file of their own
	exportPartSize = 1 << 20
	exportLife     = time.Hour // a file that nobody reads on
)

// Export writes what the workspace keeps into a file for temporary files of this machine, and
// gives that file in parts of 1 MiB. A person calls it with handoff export, which may be another process, and on another
// machine where the workspace is in a database. Nobody is kept from working meanwhile: the file has one snapshot, see
// [travel.Export]. A file whose reader ended is removed by an export an hour later.
//
// The error is not_found for a file that was removed, and that of the store.
func (r *Registry) Export(ctx context.Context, _ schemas.Caller, in schemas.ExportIn) (out schemas.ExportOut, err error) {
	if in.File == "" {
		return r.beginExport(ctx, in)
	}
	if filepath.Base(in.File) != in.File || !strings.HasPrefix(in.File, exportPrefix) {
		return out, schemas.Invalidf("file", "%q is none that an export began", schemas.Visible(in.File))
	}
	path := filepath.Join(os.TempDir(), in.File)
	if in.Done {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return out, fileError(err)
		}
		return out, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return out, schemas.Errorf(schemas.NotFound, "the file of the export is gone: %w", err).WithHint("Export again.")
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	part := make([]byte, exportPartSize)
	_ = os.Chtimes(path, time.Time{}, r.config.Now()) // somebody reads on
	n, err := f.ReadAt(part, in.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return out, fileError(err)
	}
	out.Data = base64.StdEncoding.EncodeToString(part[:n])
	return out, nil
}

func (r *Registry) beginExport(ctx context.Context, in schemas.ExportIn) (out schemas.ExportOut, err error) {
	r.removeExports()
	f, err := os.CreateTemp("", exportPrefix)
	if err != nil {
		return out, fileError(err)
	}
	head, err := travel.Export(ctx, r.config.Store, schemas.ExportHeading{Workspace: in.Workspace, At: r.config.Now().UTC()}, f)
	size, _ := f.Seek(0, io.SeekEnd) // a file that was written has an end
	out = schemas.ExportOut{File: filepath.Base(f.Name()), Size: size, Heading: &head}
	if err = cmp.Or(err, fileError(f.Close())); err == nil {
		return out, nil
	}
	_ = os.Remove(f.Name()) // what failed is told
	if _, file := errors.AsType[*os.PathError](err); file {
		err = fileError(err)
	}
	return schemas.ExportOut{}, store.Coded(err)
}

// removeExports removes files that nobody reads on: their readers were killed.
func (r *Registry) removeExports() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), exportPrefix+"*")) // the pattern is right
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && r.config.Now().Sub(info.ModTime()) > exportLife {
			_ = os.Remove(path) // it may be that of another person
		}
	}
}

// fileError is the error for the file of an export.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	return schemas.Errorf(schemas.Unavailable, "the export needs a file for as long as it lasts: %w", err).
		WithHint("Nothing was changed. TMPDIR of the process that owns the workspace says where it is.")
}
