package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"handoff/schemas"
	"handoff/store/ledger"
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
func (s *Store) Export(ctx context.Context, h schemas.ExportHeading, w io.Writer) (schemas.ExportHeading, error) {
	h.Kind, h.Format, h.Version, h.Lines = schemas.ExportKind, schemas.ExportFormat, schemas.ExportVersion, map[string]int{}
	out := bufio.NewWriter(w)
	err := s.View(ctx, func(v *View) (err error) {
		x := exporter{View: v, ctx: ctx}
		if h.Events, err = v.Events(); err != nil {
			return err
		}
		if h.Root, err = ledger.Rows(v.treeRow).Root(int64(h.Events)); err != nil { //nolint:gosec // events are counted from 1
			return fmt.Errorf("%w: %w", err, ErrCorrupt)
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
	*View
	ctx context.Context // of the snapshot
}

// each calls fn with all lines.
func (x *exporter) each(fn func(line) error) error {
	emit := func(l line) error { return cmp.Or(x.ctx.Err(), fn(l)) }
	for _, part := range []func(func(line) error) error{
		x.agents, x.workflows, x.events, x.contents, x.records, x.notices, x.keys,
	} {
		if err := part(emit); err != nil {
			return err
		}
	}
	return nil
}

// rows calls fn with each row of a range.
func (x *exporter) rows(r Range, fn func(Row) error) error {
	for row, err := range x.r.Scan(r) {
		if err == nil {
			err = fn(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) agents(emit func(line) error) error {
	return x.rows(Range{Space: Agents}, func(row Row) error {
		a, err := fromJSON[Agent](row)
		if err != nil {
			return fmt.Errorf("agent %s: %w", row.Key, err)
		}
		a.Session, a.Conn, a.Process, a.Left, a.Idle = "", "", "", false, false
		b, _ := json.Marshal(a) // it was decoded
		return emit(line{Kind: lineAgent, Agent: b})
	})
}

func (x *exporter) workflows(emit func(line) error) error {
	return x.rows(Range{Space: Workflows}, func(row Row) error {
		return emit(line{Kind: lineWorkflow, Workflow: schemas.Workflow(row.Key), Flow: bytes.Clone(row.Value)})
	})
}

func (x *exporter) events(emit func(line) error) error {
	return x.rows(Range{Space: Events}, func(row Row) error { return x.event(row, emit) })
}

// event is the line of an event, with what was said with it.
func (x *exporter) event(row Row, emit func(line) error) error {
	n := lastNumber(row.Key)
	e, ok := readEvent(row.Value)
	if !ok {
		return fmt.Errorf("event %d cannot be read: %w", n, ErrCorrupt)
	}
	l := line{Kind: lineEvent, Event: bytes.Clone(row.Value), Leaf: ledger.Leaf(row.Value)}
	content, err := x.Said(e.Handoff, n)
	if err != nil {
		return err
	}
	if asJSON(content) {
		l.Content = content
	} else {
		l.Bytes = content
	}
	salt, err := x.r.Get(Salts, number(n))
	if err != nil {
		return err
	}
	l.Salt = bytes.Clone(salt)
	return emit(l)
}

// contents are those that handoffs refer to. One that a redaction deleted is not there.
func (x *exporter) contents(emit func(line) error) error {
	one := func(digest string) error {
		content, err := x.Kept(digest)
		if err != nil || content == nil {
			return err
		}
		if l := (line{Kind: lineContent, Digest: digest}); utf8.Valid(content) {
			l.Text = string(content)
			return emit(l)
		}
		return emit(line{Kind: lineContent, Digest: digest, Bytes: content})
	}
	for sum, err := range x.groups(Range{Space: References}, firstSum) {
		if err == nil {
			err = one(fmt.Sprintf("%s%x", digestKind, sum))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) records(emit func(line) error) error {
	return x.rows(Range{Space: Records}, func(row Row) error {
		id := schemas.ID(lastNumber(row.Key))
		r, err := decodeRecord(row.Value)
		if err != nil {
			return fmt.Errorf("record of %s: %w", id, err)
		}
		b := bytes.Clone(row.Value)
		if r.Status.Held() { // the claim stays where it was made
			r.Token, r.Voided, r.Conn, r.Lease = "", nil, "", 0
			if b, err = encodeRecord(r); err != nil {
				return err
			}
		}
		words, err := x.r.Get(Words, number(id))
		if err != nil {
			return err
		}
		return emit(line{
			Kind: lineHandoff, Handoff: id, Workflow: r.Workflow, Title: r.Title, Status: r.Status, Outcome: r.Outcome,
			Sender: r.From, To: r.To, Holder: r.Holder, Record: b,
			Words: strings.ReplaceAll(strings.Trim(string(words), "\x00"), "\x00", " "),
		})
	})
}

func (x *exporter) notices(emit func(line) error) error {
	return x.rows(Range{Space: Notices}, func(row Row) error {
		unread, err := x.r.Get(Unread, row.Key)
		if err != nil {
			return err
		}
		return emit(line{Kind: lineNotice, Unread: unread != nil, Notice: bytes.Clone(row.Value)})
	})
}

// keys are the outcomes of sends that may be repeated under their keys. Those of request ids last a day, and stay.
func (x *exporter) keys(emit func(line) error) error {
	return x.rows(Prefix(Receipts, []byte("k")), func(row Row) error {
		sender, key, _ := strings.Cut(string(row.Key[1:]), "\x00")
		r, err := x.Receipt(row.Key)
		if err != nil {
			return err
		}
		return emit(line{Kind: lineKey, Sender: schemas.Agent(sender), Key: key, At: r.At, Digest: r.Digest, Result: r.Result})
	})
}
