// Package travel copies the rows of a workspace to another store. [Export] writes them as lines of a file for other
// workspaces and other systems, and [Load] reads and verifies that file. [Copy] copies all rows from one engine to
// another, and [CheckUsable] reports whether a store has all its rows and was not moved.
package travel

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"

	"handoff/schemas"
	"handoff/store"
)

// Export writes a workspace as JSON Lines: a heading, and then a line for each row that is of use to another workspace
// or another system. The caller sets the workspace and the time in the heading. Export fills in the rest and returns
// the heading. [Load] reads the file.
//
// Export reads one snapshot, so the exported file shows one moment. The store's own file may grow meanwhile. Export
// keeps one line in memory. The same rows always give the same lines.
//
// Export leaves out index rows, counters and the tree, because [Load] computes them again. It leaves out bearer tokens,
// declarations of files and names of sessions, because they belong to one machine. A held handoff is exported without
// its claim.
func Export(ctx context.Context, s *store.Store, h schemas.ExportHeading, w io.Writer) (schemas.ExportHeading, error) {
	h.Kind, h.Format, h.Version, h.Lines = schemas.ExportKind, schemas.ExportFormat, schemas.ExportVersion, map[string]int{}
	out := bufio.NewWriter(w)
	err := s.View(ctx, func(v *store.View) (err error) {
		x := &exporter{View: v, ctx: ctx}
		if h.Events, err = v.EventCount(); err != nil {
			return err
		}
		if h.Root, err = v.TreeRows().Root(int64(h.Events)); err != nil { //nolint:gosec // events are counted from 1
			return fmt.Errorf("%w: %w", err, store.ErrCorrupt)
		}
		err = x.eachLine(func(l exportLine) error {
			h.Lines[l.Kind]++
			return nil
		})
		if err != nil {
			return err
		}
		if err := writeLine(out, h); err != nil {
			return err
		}
		if err := x.eachLine(func(l exportLine) error { return writeLine(out, l) }); err != nil {
			return err
		}
		return out.Flush()
	})
	return h, err
}

func writeLine(w *bufio.Writer, l any) error {
	b, err := schemas.Encode(l)
	if err != nil {
		return err
	}
	if err := schemas.CheckBytes("line", len(b), maxLine); err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// exporter walks through one snapshot.
type exporter struct {
	*store.View
	ctx    context.Context // of the snapshot
	digest string          // of the last content
}

// eachLine calls fn with all lines.
func (x *exporter) eachLine(fn func(exportLine) error) error {
	for _, kind := range lineKinds {
		x.digest = ""
		err := x.EachInRange(kind.rows, func(row store.Row) error {
			l, err := kind.write(x, row)
			if l == nil || err != nil {
				return err
			}
			l.Kind = kind.name
			return cmp.Or(x.ctx.Err(), fn(*l))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
