// Package travel takes the rows of a workspace to another store. [Export] writes them as lines of a file for other
// workspaces and other systems, and [Load] reads that file and judges it. [Copy] copies all rows from one engine to
// another, and [Usable] tells whether a store still has its rows or has them already.
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

// Export writes what a workspace keeps as JSON Lines: the heading, and then a line for each row that another workspace
// or another system has a use for. The heading says of which workspace it is and when; the rest is filled in and
// returned. [Load] reads it.
//
// It is what one snapshot has, so everything in it is of one moment, however long it takes and whoever works meanwhile;
// some engines grow for that time. It keeps one line in memory. Without the times in the heading, the same rows give the
// same bytes.
//
// Index rows, counters and the tree are left out, because [Load] makes them anew. So are bearer tokens, what files
// declare and which session has which name: they belong to a machine. A handoff that is held goes without the claim.
func Export(ctx context.Context, s *store.Store, h schemas.ExportHeading, w io.Writer) (schemas.ExportHeading, error) {
	h.Kind, h.Format, h.Version, h.Lines = schemas.ExportKind, schemas.ExportFormat, schemas.ExportVersion, map[string]int{}
	out := bufio.NewWriter(w)
	err := s.View(ctx, func(v *store.View) (err error) {
		x := &exporter{View: v, ctx: ctx}
		if h.Events, err = v.Events(); err != nil {
			return err
		}
		if h.Root, err = v.Tree().Root(int64(h.Events)); err != nil { //nolint:gosec // events are counted from 1
			return fmt.Errorf("%w: %w", err, store.ErrCorrupt)
		}
		err = x.each(func(l line) error {
			h.Lines[l.Kind]++
			return nil
		})
		if err != nil {
			return err
		}
		if err := writeLine(out, h); err != nil {
			return err
		}
		if err := x.each(func(l line) error { return writeLine(out, l) }); err != nil {
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
	if err := schemas.TooBig("line", len(b), maxLine); err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// exporter goes through one snapshot.
type exporter struct {
	*store.View
	ctx context.Context // of the snapshot
}

// each calls fn with all lines.
func (x *exporter) each(fn func(line) error) error {
	for _, kind := range kinds {
		err := kind.write(x, func(l line) error {
			l.Kind = kind.name
			return cmp.Or(x.ctx.Err(), fn(l))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
