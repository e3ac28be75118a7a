package travel

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"unicode/utf8"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/ledger"
)

// events writes the events, each with its content.
func (x *exporter) events(emit func(line) error) error {
	return x.Each(store.Range{Space: store.Events}, func(row store.Row) error {
		n := store.LastNumber(row.Key)
		var e audit.Event
		if schemas.Decode(row.Value, &e) != nil {
			return fmt.Errorf("event %d cannot be read: %w", n, store.ErrCorrupt)
		}
		content, err := x.Content(e.Handoff, n, new(bytes.Buffer))
		if err != nil {
			return err
		}
		l := line{Event: bytes.Clone(row.Value), Leaf: ledger.Leaf(row.Value), Salt: content.Salt}
		if isCompactJSON(content.Bytes) {
			l.Content = content.Bytes
		} else {
			l.Bytes = content.Bytes
		}
		return emit(l)
	})
}

func (l *loader) event(read *line) error {
	var e schemas.Event
	if err := decodeRow(read.Event, &e); err != nil {
		return err
	}
	if err := l.checkOrder(read.Kind, store.Number(e.N)); err != nil {
		return err
	}
	if ledger.Leaf(read.Event) != read.Leaf {
		return fmt.Errorf("event %d does not match the tree: its bytes were changed", e.N)
	}
	if want := l.events + 1; e.N != want {
		return fmt.Errorf("it has event %d, and event %d is missing", e.N, want)
	}
	l.events++
	l.put(store.Tree, store.Number(e.N), bytes.Clone(l.walk.Add(read.Event)))
	if err := l.checkLink(e, read.Event); err != nil {
		return err
	}
	content := store.Content{Bytes: read.content(), Salt: read.Salt}
	of := audit.Event{Handoff: e.Handoff, Action: e.Action, Said: e.Said, Bytes: e.Bytes}
	if wrong := l.said.Compare(e.N, of, content); wrong != "" {
		return errors.New(wrong)
	}
	l.put(store.Events, store.Number(e.N), read.Event)
	if read.Salt != nil {
		l.put(store.Salts, store.Number(e.N), read.Salt)
	}
	l.putChunks(store.Bodies, append(store.Number(e.Handoff), store.Number(e.N)...), content.Bytes)
	return nil
}

// tip is the last event of a handoff so far.
type tip struct {
	n            uint64
	hash, record string         // digests of the event and of the record after it
	status       schemas.Status // after it; empty if the event does not say
}

// checkLink compares an event with the one before it of the same handoff.
func (l *loader) checkLink(e schemas.Event, raw []byte) error {
	before := l.tips[e.Handoff]
	if e.State == "" && e.Before == 0 {
		return nil
	}
	if e.State == "" || before.n != e.Before || e.Before != 0 && before.hash != e.Prev {
		return fmt.Errorf("event %d does not follow event %d of %s", e.N, before.n, e.Handoff)
	}
	l.tips[e.Handoff] = tip{n: e.N, hash: store.Hash(raw), record: e.State, status: cmp.Or(e.To, before.status)}
	return nil
}

// contents writes the content that handoffs refer to. It leaves out content that a redaction deleted.
func (x *exporter) contents(emit func(line) error) error {
	last := ""
	return x.Each(store.Range{Space: store.References}, func(row store.Row) error {
		l := line{Digest: store.DigestIn(row.Key)}
		if l.Digest == last {
			return nil
		}
		last = l.Digest
		content, err := x.Reference(l.Digest)
		if err != nil || content == nil {
			return err
		}
		if utf8.Valid(content) {
			l.Text = string(content)
		} else {
			l.Bytes = content
		}
		return emit(l)
	})
}

func (l *loader) content(read *line) error {
	content := read.Bytes
	if content == nil {
		content = []byte(read.Text)
	}
	if store.DigestOf(content) != read.Digest {
		return fmt.Errorf("content %s does not match its digest", schemas.Visible(schemas.Clip(read.Digest, 80)))
	}
	sum := sha256.Sum256(content)
	l.putChunks(store.References, sum[:], content)
	return l.checkOrder(read.Kind, sum[:])
}
