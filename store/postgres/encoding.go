package postgres

import (
	"encoding/binary"
	"fmt"

	"handoff/store"
)

// spaceNumber returns the number of a space in the database, counted from 1.
func spaceNumber(s store.Space) byte { return byte(s) + 1 }

// encodeEntry encodes the writes of an entry. Each write is the number of its space, the length of the key, the key, a
// byte that says whether there is a value, and the length and the bytes of the value.
func encodeEntry(writes []rowWrite) (b []byte) {
	for _, w := range writes {
		b = appendWithLength(append(b, spaceNumber(w.space)), w.Key)
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
	number := r.readByte()
	r.whole = r.whole && 0 < number && number <= byte(store.Spaces)
	return store.Space(max(number, 1) - 1)
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
