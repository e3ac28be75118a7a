package keeping

import (
	"context"
	"errors"
	"regexp"

	"handoff/mailbox/operation"
	"handoff/store"
)

const (
	maxDeleted   = 500   // contents that one transaction deletes
	maxNewEvents = 5_000 // events since the scan that it reads
)

// deleteUnusedContent deletes content that was sent along and that no event refers to any more. To find the references,
// it first reads all existing events outside of a transaction. Then each transaction that deletes content reads the
// events that came later, because a new send may refer to stored content.
func (r *retention) deleteUnusedContent(ctx context.Context) error {
	unused, err := operation.ReadSnapshot(ctx, r.engine, (*store.View).ReferenceDigests)
	if err != nil {
		return err
	}
	scanned := uint64(0)
	for more := len(unused) > 0; more; {
		err := r.engine.Store.View(ctx, func(v *store.View) error {
			named, last, rest, err := contentDigestsAfter(v, scanned, maxScanned)
			scanned, more = last, rest
			for _, digest := range named {
				delete(unused, digest)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for len(unused) > 0 {
		var s sweepResult
		err := r.engine.Update(ctx, r.by, func(o *operation.Op) (err error) {
			s, err = deleteUnused(o, unused, scanned)
			return err
		})
		if err != nil || s.late {
			return err
		}
		r.done.Bytes += s.freed
		for _, digest := range s.gone {
			delete(unused, digest)
		}
	}
	return nil
}

// sweepResult is the result of one transaction of [retention.deleteUnusedContent].
type sweepResult struct {
	gone  []string // digests of unused content that it deleted, or found used or damaged
	freed int64
	late  bool // more events came since the scan than it reads; the next retention does the rest
}

func deleteUnused(o *operation.Op, unused map[string]bool, looked uint64) (s sweepResult, err error) {
	named, _, more, err := contentDigestsAfter(o.View, looked, maxNewEvents)
	if err != nil || more {
		s.late = more
		return s, err
	}
	used := map[string]bool{}
	for _, digest := range named {
		used[digest] = true
	}
	for digest := range unused {
		if len(s.gone) == maxDeleted {
			break
		}
		s.gone = append(s.gone, digest)
		if used[digest] {
			continue
		}
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

// contentDigestsAfter reads the events with numbers above `after`, but none with a number above after+most. It returns
// all digests of stored content that these events contain. The result last is the number of the last event that it
// read, and more says whether later events exist.
func contentDigestsAfter(v *store.View, after uint64, most uint64) (digests []string, last uint64, more bool, err error) {
	last = after
	for e, err := range v.EventsAfter(after) {
		if err != nil || e.N-after > most {
			return digests, last, err == nil, err
		}
		last = e.N
		content, err := v.RawContent(e.Handoff, e.N)
		if err != nil {
			return digests, last, false, err
		}
		digests = append(digests, digestForm.FindAllString(string(content), -1)...)
	}
	return digests, last, false, nil
}

// digestForm matches a digest of stored content.
var digestForm = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
