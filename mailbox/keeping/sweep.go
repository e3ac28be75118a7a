package keeping

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"

	"handoff/mailbox/operation"
	"handoff/store"
)

const maxDeleted = 500 // contents that one transaction deletes

// deleteUnusedContent deletes content that was sent along and that no event refers to any more. Its first transactions
// read a portion of the events each, to find the references. When all events are read, the next transactions delete
// content. Each of them first reads the events that came meanwhile, because a new send may refer to stored content.
func (r *retention) deleteUnusedContent(ctx context.Context) error {
	unused, err := operation.ReadSnapshot(ctx, r.engine, (*store.View).ReferenceDigests)
	if err != nil {
		return err
	}
	for scanned := uint64(0); len(unused) > 0; {
		var s sweepPortion
		err := r.engine.Update(ctx, r.by, func(o *operation.Op) (err error) {
			s, err = sweep(o, unused, scanned)
			return err
		})
		if err != nil {
			return err
		}
		scanned = s.last
		r.done.Bytes += s.freed
		for _, digest := range s.settled {
			delete(unused, digest)
		}
	}
	return nil
}

// sweepPortion is the result of one transaction of [retention.deleteUnusedContent].
type sweepPortion struct {
	last    uint64   // the number of the last event that it read
	settled []string // digests of content that it found used or damaged, or deleted
	freed   int64
}

// sweep reads the next events, and finds the digests of stored content that they contain. If there are no more events,
// it deletes unused content.
func sweep(o *operation.Op, unused map[string]bool, scanned uint64) (s sweepPortion, err error) {
	s.last = scanned
	for e, err := range o.EventsAfter(scanned) {
		if err != nil || e.N-scanned > maxScanned {
			return s, err
		}
		s.last = e.N
		content, err := o.RawContent(e.Handoff, e.N)
		if err != nil {
			return s, err
		}
		s.settled = append(s.settled, digestForm().FindAllString(string(content), -1)...)
	}
	named := s.settled
	for digest := range unused {
		if slices.Contains(named, digest) {
			continue
		}
		if len(s.settled) >= len(named)+maxDeleted {
			break
		}
		s.settled = append(s.settled, digest)
		kept, err := o.Reference(digest)
		if errors.Is(err, store.ErrCorrupt) {
			continue // an audit reports it
		}
		if err == nil {
			err = o.DeleteReference(digest)
		}
		if err != nil {
			return s, err
		}
		s.freed += int64(len(kept))
	}
	return s, nil
}

// digestForm matches a digest of stored content.
var digestForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`sha256:[0-9a-f]{64}`) })
