package audit

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// ContentCheck compares the content of events with the digests in the events. A redaction replaces content and erases
// its salt. The digest of the new content is in the event of the redaction, which comes later. So ContentCheck compares
// content without a salt only after it has seen all events. [NewContentCheck] makes one.
type ContentCheck struct {
	unsalted map[uint64]string    // digests of replaced contents, by event
	redacted map[uint64]redaction // the last redaction of a content, by event
}

// redaction is the last redaction of a content: its event and its digest.
type redaction struct {
	by     uint64
	digest string
}

// NewContentCheck returns a check that has seen no event.
func NewContentCheck() ContentCheck { return ContentCheck{map[uint64]string{}, map[uint64]redaction{}} }

// Compare returns a sentence about the fault in the content of event n, and "" if the content is right. It also returns
// "" if the content has no salt, because [ContentCheck.Unexplained] checks that content later. It compares the size
// too: the digest covers salt and content without a separator, so a byte could move from one to the other.
func (s *ContentCheck) Compare(n uint64, e EventFields, c store.Content) string {
	sum := ""
	if c.Salt != nil || c.Bytes != nil {
		sum = store.HashOf(c.Salt, c.Bytes)
	}
	switch {
	case c.Salt == nil && e.Said != "" && e.Said != sum:
		s.unsalted[n] = sum
	case sum != "" && (len(c.Bytes) != e.Bytes || sum != e.Said):
		return fmt.Sprintf("the content of event %d of %s was changed", n, e.Handoff)
	case e.Action == schemas.Redacted:
		var redacted schemas.Redaction
		if err := schemas.Decode(c.Bytes, &redacted); err != nil {
			return fmt.Sprintf("the redaction in event %d cannot be read: %v", n, err)
		}
		for event, sum := range redacted.Events {
			if s.redacted[event].by < n {
				s.redacted[event] = redaction{n, sum}
			}
		}
	}
	return ""
}

// Unexplained returns a fault for each content without a salt whose digest is not in its last redaction.
func (s *ContentCheck) Unexplained() (wrong []string) {
	for _, n := range slices.Sorted(maps.Keys(s.unsalted)) {
		if s.redacted[n].digest != s.unsalted[n] {
			wrong = append(wrong, fmt.Sprintf("the content of event %d was changed, and no redaction tells of it", n))
		}
	}
	return wrong
}

// checkReference checks content that handoffs refer to. It is called for each row of a content. At the first row it
// checks the whole content, and at the other rows nothing.
func (a *registryWalk) checkReference(v *store.View, row store.Row) error {
	digest := store.DigestFromKey(row.Key)
	if digest == a.content {
		return nil
	}
	a.content = digest
	content, err := v.Reference(digest)
	if errors.Is(err, store.ErrCorrupt) || content == nil && err == nil {
		a.problems.addFault("content %s was changed", digest)
		return nil
	}
	return err
}
