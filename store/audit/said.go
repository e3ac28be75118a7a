package audit

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// ContentCheck compares what was said with events with the digests in them. Content without a salt was redacted: it is compared
// when all events were seen, because a later event tells what the redaction left. [NewContentCheck] makes one. It keeps two
// digests for each content that was redacted or let go of.
type ContentCheck struct {
	unsalted map[uint64]string    // digests of contents that stand in the place of others, by event
	redacted map[uint64]redaction // what redactions say of them
}

// redaction is what the last one said of a content, and its event.
type redaction struct {
	by     uint64
	digest string
}

// NewContentCheck has seen no event.
func NewContentCheck() ContentCheck { return ContentCheck{map[uint64]string{}, map[uint64]redaction{}} }

// Judge says what is wrong with the content of event n, nothing where it is right or left for [Said.Unexplained]. It
// compares the size as well: the digest alone does not say where the salt ends and the content begins.
func (s *ContentCheck) Compare(n uint64, e Event, c store.Content) string {
	sum := ""
	if c.Salt != nil || c.Bytes != nil {
		sum = store.Hash(c.Salt, c.Bytes)
	}
	switch {
	case c.Salt == nil && e.Said != "" && e.Said != sum:
		s.unsalted[n] = sum
	case sum != "" && (len(c.Bytes) != e.Bytes || sum != e.Said):
		return fmt.Sprintf("what was said with event %d of %s was changed", n, e.Handoff)
	case e.Action == schemas.Redacted:
		var said schemas.Redaction
		if err := schemas.Decode(c.Bytes, &said); err != nil {
			return fmt.Sprintf("what event %d redacted cannot be read: %v", n, err)
		}
		for event, sum := range said.Events {
			if s.redacted[event].by < n {
				s.redacted[event] = redaction{n, sum}
			}
		}
	}
	return ""
}

// Unexplained says of which content without a salt the last redaction does not tell.
func (s *ContentCheck) Unexplained() (wrong []string) {
	for _, n := range slices.Sorted(maps.Keys(s.unsalted)) {
		if s.redacted[n].digest != s.unsalted[n] {
			wrong = append(wrong, fmt.Sprintf("what was said with event %d was changed, and no redaction tells of it", n))
		}
	}
	return wrong
}

// checkReference checks the content of which the row is a part, at its first row, or where that one is missing.
func (a *auditor) checkReference(v *store.View, row store.Row) error {
	digest := store.DigestIn(row.Key)
	if digest == a.content {
		return nil
	}
	a.content = digest
	content, err := v.Reference(digest)
	if errors.Is(err, store.ErrCorrupt) || content == nil && err == nil {
		a.problems.addf("content %s was changed", digest)
		return nil
	}
	return err
}
