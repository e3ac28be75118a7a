package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"handoff/schemas"
)

// chunkSize is the number of bytes of content in one row. With one large row, a commit would write several times the
// size of the content. Reading does not depend on chunkSize, so a later version may change it.
const chunkSize = 2000

// maxContent is the largest size of content, because chunks are numbered in two bytes. It is far above the limits of
// messages.
const maxContent = chunkSize << 16

// putContent writes the content and the salt of an event. The key of each row is the id of the handoff, the number of
// the event and the number of the chunk, so one scan reads the content of an event.
func (t *RowTx) putContent(e schemas.Event, content Content) error {
	if err := t.putChunks(Bodies, joinBytes(EncodeNumber(e.Handoff), EncodeNumber(e.N)), content.Bytes); err != nil {
		return err
	}
	if content.Salt == nil {
		return nil
	}
	return t.w.Put(Salts, EncodeNumber(e.N), content.Salt)
}

// RedactContent replaces the content of an event and erases its salt. After that, the digest in the event proves
// nothing about the old content. It returns the digest of the new content. The caller puts this digest into a
// [schemas.Redaction] of an event in the same transaction, because package audit accepts replaced content only with
// such an event.
func (t *RowTx) RedactContent(e schemas.Event, content []byte) (string, error) {
	old := Prefix(Bodies, joinBytes(EncodeNumber(e.Handoff), EncodeNumber(e.N)))
	return HashOf(content), cmp.Or(
		t.deleteRowsWhere(old, matchAll), t.w.Delete(Salts, EncodeNumber(e.N)), t.putContent(e, Content{Bytes: content}))
}

// deleteRowsWhere deletes the rows of a range for which gone returns true.
func (t *RowTx) deleteRowsWhere(r Range, gone func(value []byte) bool) error {
	return t.EachInRange(r, func(row Row) error {
		if gone(row.Value) {
			return t.w.Delete(r.Space, row.Key)
		}
		return nil
	})
}

// matchAll is the condition of [RowTx.deleteRowsWhere] for a whole range.
func matchAll([]byte) bool { return true }

// putChunks writes content in rows.
func (t *RowTx) putChunks(space Space, begin, content []byte) error {
	for key, part := range SplitIntoChunks(begin, content) {
		if err := t.w.Put(space, key, part); err != nil {
			return err
		}
	}
	return nil
}

// SplitIntoChunks yields the rows of content. Each key is begin, followed by the number of the chunk in two bytes. In
// [Bodies] begin is the id of the handoff and the number of the event. In [References] begin is the SHA-256 of the
// content.
func SplitIntoChunks(begin, content []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, part []byte) bool) {
		i := uint16(0)
		for part := range slices.Chunk(content, chunkSize) {
			if !yield(binary.BigEndian.AppendUint16(slices.Clip(begin), i), part) {
				return
			}
			i++
		}
	}
}

// joinChunks joins the rows that [RowTx.putChunks] wrote. The result is in the memory of buf, or nil if there are no
// rows.
func (v *View) joinChunks(space Space, begin []byte, buf *bytes.Buffer) (content []byte, err error) {
	buf.Reset()
	err = v.EachInRange(Prefix(space, begin), func(row Row) error {
		buf.Write(row.Value)
		content = buf.Bytes()
		return nil
	})
	return content, err
}

// RawContent returns the content of an event of a handoff. It returns nil if the event had no content or if the content
// was erased. It does not compare the content with its digest, and does not notice a missing chunk. Package audit does.
func (v *View) RawContent(id schemas.ID, event uint64) ([]byte, error) {
	return v.rawContent(id, event, bytes.NewBuffer([]byte{}))
}

func (v *View) rawContent(id schemas.ID, event uint64, buf *bytes.Buffer) ([]byte, error) {
	content, err := v.joinChunks(Bodies, joinBytes(EncodeNumber(id), EncodeNumber(event)), buf)
	if err != nil {
		return nil, fmt.Errorf("content of event %d: %w", event, err)
	}
	return content, nil
}

// Content returns the content of an event with its salt. Bytes or Salt is nil if the store has none. Bytes lies in buf,
// and is valid until buf is used again.
func (v *View) Content(id schemas.ID, event uint64, buf *bytes.Buffer) (c Content, err error) {
	if c.Bytes, err = v.rawContent(id, event, buf); err != nil {
		return c, err
	}
	salt, err := v.r.Get(Salts, EncodeNumber(event))
	c.Salt = bytes.Clone(salt)
	return c, err
}

// HasSalt reports whether the salt of an event still exists, so that the digest in the event proves its content.
// [RowTx.RedactContent] erases the salt.
func (v *View) HasSalt(event uint64) (bool, error) {
	salt, err := v.r.Get(Salts, EncodeNumber(event))
	return salt != nil, err
}

// DecodeContent decodes the content of an event, which is JSON, into out. Event 0 means no content, and then out does
// not change. For erased content the error names the event.
func (v *View) DecodeContent(id schemas.ID, event uint64, out any) error {
	if event == 0 {
		return nil
	}
	b, err := v.RawContent(id, event)
	if err != nil {
		return err
	}
	if err := schemas.Decode(b, out); err != nil {
		return fmt.Errorf("content of event %d: %w: %w", event, ErrCorrupt, err)
	}
	return nil
}
