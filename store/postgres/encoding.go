package postgres

import (
	"encoding/binary"
	"fmt"
	"slices"

	"handoff/store"
)

// spaceNumbers are the numbers of spaces in the database. They never change; a new space gets the next.
var spaceNumbers = [store.Spaces]byte{
	store.Sys: 1, store.Records: 2, store.Bodies: 3, store.Ready: 4, store.Wakes: 5, store.ByBox: 6, store.BySender: 7,
	store.ByHolder: 8, store.ByWorkflow: 9, store.ByState: 10, store.ByParent: 11, store.ByOrigin: 12, store.ByAfter: 13,
	store.ByFreed: 14, store.Agents: 15, store.Mailboxes: 16, store.Workflows: 17, store.Tokens: 18, store.Notices: 19,
	store.Unread: 20, store.Events: 21, store.Salts: 22, store.Tree: 23, store.Receipts: 24, store.References: 25,
	store.Words: 26, store.Deliveries: 27, store.Rules: 28, store.Touches: 29,
}

// spaceNumber returns the number of a space in the table.
func spaceNumber(s store.Space) int16 { return int16(spaceNumbers[s]) }

// encodeEntry encodes the writes of an entry. Each write is the number of its space, the length of the key, the key, a
// byte that says whether there is a value, and the length and the bytes of the value.
func encodeEntry(writes []rowWrite) (b []byte) {
	for _, w := range writes {
		b = appendWithLength(append(b, spaceNumbers[w.space]), w.Key)
		if w.Value == nil {
			b = append(b, 0)
		} else {
			b = appendWithLength(append(b, 1), w.Value)
		}
	}
	return b
}

func appendWithLength(b, part []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

// decodeEntry decodes the writes of an entry. It copies keys and values, so that a cached row does not keep the whole
// entry in memory.
func decodeEntry(b []byte) (writes []rowWrite, err error) {
	r := entryDecoder{b, true}
	for r.whole && len(r.left) > 0 {
		w := rowWrite{space: r.readSpace()}
		if w.Key = r.readBytes(); r.readByte() == 1 {
			w.Value = r.readBytes()
		}
		writes = append(writes, w)
	}
	if !r.whole {
		return nil, fmt.Errorf("an entry of the log: %w", store.ErrCorrupt)
	}
	return writes, nil
}

// entryDecoder reads an encoded entry. After the end of the bytes it returns zeros, and whole is false.
type entryDecoder struct {
	left  []byte
	whole bool
}

func (r *entryDecoder) readByte() (b byte) {
	if r.whole = r.whole && len(r.left) > 0; r.whole {
		b, r.left = r.left[0], r.left[1:]
	}
	return b
}

func (r *entryDecoder) readSpace() store.Space {
	s := slices.Index(spaceNumbers[:], r.readByte())
	r.whole = r.whole && s >= 0
	return store.Space(max(s, 0)) //nolint:gosec // there are few
}

func (r *entryDecoder) readBytes() []byte {
	length, n := binary.Uvarint(r.left)
	if r.whole = r.whole && n > 0 && length <= uint64(len(r.left[max(n, 0):])); !r.whole {
		return nil
	}
	part := append([]byte{}, r.left[n:n+int(length)]...) //nolint:gosec // it is no longer than what is left
	r.left = r.left[n+len(part):]
	return part
}
