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

// exportEvent makes the line of an event, with its content.
func (x *exporter) exportEvent(row store.Row) (*exportLine, error) {
	n := store.DecodeLastNumber(row.Key)
	var e audit.EventFields
	if schemas.Decode(row.Value, &e) != nil {
		return nil, fmt.Errorf("event %d cannot be read: %w", n, store.ErrCorrupt)
	}
	content, err := x.Content(e.Handoff, n, new(bytes.Buffer))
	if err != nil {
		return nil, err
	}
	l := &exportLine{Event: bytes.Clone(row.Value), Leaf: ledger.LeafHash(row.Value), Salt: content.Salt}
	if isCompactJSON(content.Bytes) {
		l.Content = content.Bytes
	} else {
		l.Bytes = content.Bytes
	}
	return l, nil
}

func (l *loader) loadEvent(read *exportLine) error {
	var e schemas.Event
	if err := decodeCompactRow(read.Event, &e); err != nil {
		return err
	}
	if err := l.checkOrder(read.Kind, store.EncodeNumber(e.N)); err != nil {
		return err
	}
	if ledger.LeafHash(read.Event) != read.Leaf {
		return fmt.Errorf("event %d does not match the tree: its bytes were changed", e.N)
	}
	if want := l.events + 1; e.N != want {
		return fmt.Errorf("it has event %d, and event %d is missing", e.N, want)
	}
	l.events++
	l.putRow(store.Tree, store.EncodeNumber(e.N), bytes.Clone(l.walk.Add(read.Event)))
	if err := l.checkLink(e, read.Event); err != nil {
		return err
	}
	content := store.Content{Bytes: read.Bytes, Salt: read.Salt}
	if read.Content != nil {
		content.Bytes = read.Content
	}
	of := audit.EventFields{Handoff: e.Handoff, Action: e.Action, Said: e.Said, Bytes: e.Bytes}
	if wrong := l.said.Compare(e.N, of, content); wrong != "" {
		return errors.New(wrong)
	}
	l.putRow(store.Events, store.EncodeNumber(e.N), read.Event)
	if read.Salt != nil {
		l.putRow(store.Salts, store.EncodeNumber(e.N), read.Salt)
	}
	l.putChunks(store.Bodies, append(store.EncodeNumber(e.Handoff), store.EncodeNumber(e.N)...), content.Bytes)
	return nil
}

// lastEvent is the last event of a handoff so far.
type lastEvent struct {
	n            uint64
	hash, record string         // digests of the event and of the record after it
	status       schemas.Status // after it; empty if the event does not say
}

// checkLink compares an event with the one before it of the same handoff.
func (l *loader) checkLink(e schemas.Event, raw []byte) error {
	before := l.lastEvents[e.Handoff]
	if e.State == "" && e.Before == 0 {
		return nil
	}
	if e.State == "" || before.n != e.Before || e.Before != 0 && before.hash != e.Prev {
		return fmt.Errorf("event %d does not follow event %d of %s", e.N, before.n, e.Handoff)
	}
	l.lastEvents[e.Handoff] = lastEvent{n: e.N, hash: store.HashOf(raw), record: e.State, status: cmp.Or(e.To, before.status)}
	return nil
}

// exportContent makes the line of a content that handoffs refer to. Content has several rows, and only the first one
// makes the line. It makes no line for content that a redaction deleted.
func (x *exporter) exportContent(row store.Row) (*exportLine, error) {
	l := &exportLine{Digest: store.DigestFromKey(row.Key)}
	if l.Digest == x.digest {
		return nil, nil
	}
	x.digest = l.Digest
	content, err := x.Reference(l.Digest)
	if err != nil || content == nil {
		return nil, err
	}
	if utf8.Valid(content) {
		l.Text = string(content)
	} else {
		l.Bytes = content
	}
	return l, nil
}

func (l *loader) loadContent(read *exportLine) error {
	content := read.Bytes
	if content == nil {
		content = []byte(read.Text)
	}
	if store.ReferenceDigest(content) != read.Digest {
		return fmt.Errorf("content %s does not match its digest", schemas.EscapeHidden(schemas.Clip(read.Digest, 80)))
	}
	sum := sha256.Sum256(content)
	l.putChunks(store.References, sum[:], content)
	return l.checkOrder(read.Kind, sum[:])
}
