package open

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"handoff/cmd/handoff/internal/shell"
	"handoff/mailbox/keeping"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/travel"
)

// VerifiedExport is an exported workspace that ReadExport has read and verified. [VerifiedExport.CopyInto] copies it
// into a workspace.
type VerifiedExport struct {
	*keeping.Import
	rows store.Backend
}

// ImportResult is the result of an import.
type ImportResult struct {
	Added   int    `json:"added"`   // handoffs
	Open    int    `json:"open"`    // added handoffs that have not ended
	Notices int    `json:"notices"` // added notices
	Root    string `json:"root"`    // of the audit registry, which is copied unchanged
}

const (
	importName  = ".handoff-import-" // no user gives a directory this name
	leftoverAge = 24 * time.Hour     // directories of this age belong to killed imports
)

// ReadExport reads an exported workspace into a temporary file, verifies it, and calls fn. It removes the file when fn
// returns. Errors are *[schemas.Error].
func ReadExport(ctx context.Context, file io.Reader, by schemas.Event, fn func(VerifiedExport) error) (err error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), importName+"*")) // from killed imports; the pattern is valid
	for _, dir := range left {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > leftoverAge {
			_ = os.RemoveAll(dir) // fails if it belongs to another user
		}
	}
	dir, err := os.MkdirTemp("", importName)
	if err != nil {
		return explainOpenError(Config{Dir: os.TempDir()}, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	rows, err := bolt.Open(ctx, bolt.Config{Path: filepath.Join(dir, "import.db"), Logger: discardLog})
	if err != nil {
		return explainOpenError(Config{Name: "of the import", Dir: dir}, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	head, err := travel.Load(ctx, file, rows)
	if err == nil {
		i := VerifiedExport{&keeping.Import{Heading: head, By: by, NewID: newID}, rows}
		if err = i.Examine(ctx, store.New(rows)); err == nil {
			err = fn(i)
		}
	}
	return explainCopyError(ctx, Config{Name: "of the import", Dir: dir}, err)
}

// CopyInto copies the export into an unused workspace that no other process has open. It first removes all claims,
// because the holders are not on this machine, and copies all other rows unchanged. An error names the file. After an interrupted copy, the
// workspace refuses all calls until the import is repeated. Errors are *[schemas.Error]: conflict for a workspace that
// has handoffs.
func (i VerifiedExport) CopyInto(ctx context.Context, to store.Backend, file string, about Config) (done ImportResult, err error) {
	done.Added, done.Notices, done.Open = i.Heading.Lines["handoff"], i.Heading.Lines["notice"], i.Open
	err = i.RemoveClaims(ctx, store.New(i.rows))
	if err == nil {
		var copied travel.CopyResult
		copied, err = travel.Copy{From: i.rows, To: to}.Run(ctx)
		done.Root = copied.Audit.Root
	}
	if errors.Is(err, travel.ErrNotEmpty) {
		return done, schemas.Errorf(schemas.Conflict, "workspace %s has work already, and an import makes a workspace", about.Name).
			WithHint("Nothing was changed. handoff import %s --workspace %s-2 makes a new workspace of it. "+
				"To have work of before again, handoff backup and handoff restore do that.", shell.JoinWords([]string{file}), about.Name)
	}
	return done, explainCopyError(ctx, about, err)
}
