package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"handoff/schemas"
)

// chunk is the size of a row of content in bytes. One value of 64 KB would make a commit write five times its size.
const chunk = 2000

// maxSaid is the size of content whose chunks can be numbered in two bytes, far beyond the limits of messages.
const maxSaid = chunk << 16

// say writes content under its event.
func (t *Tx) say(e schemas.Event, said Content) error {
	key := join(number(e.Handoff), number(e.N), []byte{0, 0})
	i := uint16(0)
	for part := range slices.Chunk(said.Bytes, chunk) {
		binary.BigEndian.PutUint16(key[16:], i)
		if err := t.w.Put(Bodies, key, part); err != nil {
			return err
		}
		i++
	}
	return t.w.Put(Salts, number(e.N), said.Salt)
}

// Said returns the content of an event about a handoff; nil when the event had none or it was erased. It does not
// compare the content with its digest: [View.Verify] does.
func (v *View) Said(id schemas.ID, event uint64) ([]byte, error) {
	var content []byte
	for row, err := range v.r.Scan(Prefix(Bodies, join(number(id), number(event)))) {
		if err != nil {
			return nil, fmt.Errorf("content of event %d: %w", event, err)
		}
		content = append(content, row.Value...)
	}
	return content, nil
}

// Saying decodes the content of an event, which is JSON, into out. For event 0 it leaves out as it is.
func (v *View) Saying(id schemas.ID, event uint64, out any) error {
	if event == 0 {
		return nil
	}
	b, err := v.Said(id, event)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("content of event %d: %w", event, err)
	}
	return nil
}
