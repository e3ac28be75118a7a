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
	exportPrefix   = ".handoff-export-" // people do not use this name
	exportPartSize = 1 << 20
	exportLife     = time.Hour // for a file that is no longer read
)

// Export writes a snapshot of the workspace into a temporary file, and returns the file in parts of 1 MiB, one part for
// each call. The command handoff export calls it. A slow caller blocks no other call, because the snapshot ends when
// the file is written. A later export removes files that are over an hour old.
//
// The error is not_found for a part of a removed file. Other errors come from the store.
func (r *Registry) Export(ctx context.Context, _ schemas.Caller, in schemas.ExportIn) (out schemas.ExportOut, err error) {
	if in.File == "" {
		return r.beginExport(ctx, in)
	}
	if filepath.Base(in.File) != in.File || !strings.HasPrefix(in.File, exportPrefix) {
		return out, schemas.Invalidf("file", "%q is none that an export began", schemas.EscapeHidden(in.File))
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
	_ = os.Chtimes(path, time.Time{}, r.config.Now()) // marks the file as being read
	n, err := f.ReadAt(part, in.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return out, fileError(err)
	}
	out.Data = base64.StdEncoding.EncodeToString(part[:n])
	return out, nil
}

func (r *Registry) beginExport(ctx context.Context, in schemas.ExportIn) (out schemas.ExportOut, err error) {
	r.removeExportFiles()
	f, err := os.CreateTemp("", exportPrefix)
	if err != nil {
		return out, fileError(err)
	}
	head, err := travel.Export(ctx, r.config.Store, schemas.ExportHeading{Workspace: in.Workspace, At: r.config.Now().UTC()}, f)
	size, _ := f.Seek(0, io.SeekEnd) // a written file has an end
	out = schemas.ExportOut{File: filepath.Base(f.Name()), Size: size, Heading: &head}
	if err = cmp.Or(err, fileError(f.Close())); err == nil {
		return out, nil
	}
	_ = os.Remove(f.Name()) // the first error is returned
	if _, file := errors.AsType[*os.PathError](err); file {
		err = fileError(err)
	}
	return schemas.ExportOut{}, store.CodedError(err)
}

// removeExportFiles removes files whose readers were killed.
func (r *Registry) removeExportFiles() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), exportPrefix+"*")) // the pattern is right
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && r.config.Now().Sub(info.ModTime()) > exportLife {
			_ = os.Remove(path) // it may belong to another person
		}
	}
}

// fileError returns the error for a failure of the export's file.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	return schemas.Errorf(schemas.Unavailable, "the export needs a file for as long as it lasts: %w", err).
		WithHint("Nothing was changed. TMPDIR of the process that owns the workspace says where it is.")
}
