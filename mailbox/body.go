package mailbox

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"handoff/mailbox/brief"
	"handoff/mailbox/compose"
	"handoff/schemas"
	"handoff/store"
)

// body is what was sent, with its place in the workflow filled in.
func body(v *store.View, r *store.Record) (h schemas.Handoff, err error) {
	b, err := v.Said(r.ID, r.Body)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(b, &h); err != nil {
		return h, fmt.Errorf("what was sent with %s: %w", r.ID, err)
	}
	h.ID = r.ID
	h.Metadata.EstimatedTokens = brief.Tokens(string(b))
	h.Target = compose.Target(r.To, h.Target.Reason)
	m := &h.Metadata
	m.Workflow, m.Parent, m.Depth, m.RetryOf = r.Workflow, r.Parent, r.Depth, r.RetryOf
	m.Attempt, m.MaxAttempts, m.CreatedAt = r.Attempt, r.MaxAttempts, r.Created.Time()
	m.NotBefore = r.NotBefore.Ptr()
	if m.Deadline == nil { // else what was asked for, which a timeout may come before
		m.Deadline = r.Deadline.Ptr()
	}
	if h.Kind == "" && r.Parent == 0 && !workBefore(h.Context) {
		h.Kind = "assignment"
	}
	return h, nil
}

// workBefore tells whether the context speaks of work that somebody did.
func workBefore(c *schemas.Context) bool {
	return c != nil && len(c.CompletedSteps)+len(c.Results)+len(c.PreviousFailures)+len(c.Artifacts) > 0
}

// standingOf is where a handoff stands, with what holders reported.
func standingOf(v *store.View, r *store.Record) (st schemas.Standing, err error) {
	st = schemas.Standing{
		Status: r.Status, Box: r.Box, Holder: r.Holder, HolderID: r.HolderID, Attempt: r.Attempt,
		LeaseEnds: r.Lease.Ptr(), ClaimedAt: r.Claimed.Ptr(), EndedAt: r.Ended.Ptr(), Percent: r.Percent,
		BlockedBy: blockedBy(r), Excluded: r.Excluded, Outcome: r.Outcome, Successor: r.Successor, Late: len(r.Late),
	}
	if r.Checkpoint != 0 {
		st.Checkpoint = checkpointID(r.Checkpoint)
	}
	var note, asked schemas.UpdateIn
	if err := v.Saying(r.ID, r.Note, &note); err != nil {
		return st, err
	}
	if err := v.Saying(r.ID, r.Ask, &asked); err != nil {
		return st, err
	}
	st.Note, st.Questions = note.Note, asked.Questions
	return st, nil
}

// resultOf adds how a handoff ended, and what came late.
func resultOf(v *store.View, r *store.Record, out *schemas.GetOut) error {
	for _, n := range r.Late {
		var l schemas.Late
		if err := v.Saying(r.ID, n, &l); err != nil {
			return err
		}
		out.Late = append(out.Late, l)
	}
	switch {
	case r.Result == 0:
		return nil
	case r.Outcome == schemas.Success || r.Outcome == schemas.Partial:
		out.Completion = &schemas.Completion{}
		return v.Saying(r.ID, r.Result, out.Completion)
	}
	out.Failure = &schemas.Failure{}
	return v.Saying(r.ID, r.Result, out.Failure)
}

// encode makes what is kept of a draft: its content, the words by which it is found, and the digest by which the same
// content is known again. The digest leaves out times, which differ between repeats where the sender gave a duration,
// and the session of the sender.
func (s *Service) encode(d *draft) error {
	content, err := s.said(d.handoff)
	if err != nil {
		return err
	}
	h := d.handoff
	d.content, d.words, d.promises = content, wordsOf(&h), promises(h.Expectations)
	if h.Metadata.Deadline == nil && h.Metadata.NotBefore == nil && h.Source.AgentID == "" {
		d.digest = shortDigest(content.Bytes)
		return nil
	}
	h.Metadata.Deadline, h.Metadata.NotBefore = nil, nil // relative times differ between repeats
	h.Source.AgentID = ""
	d.digest, err = digestOf(h)
	return err
}

// wordsOf are the words by which a handoff is found.
func wordsOf(h *schemas.Handoff) store.WordList {
	return store.ListWords(h.Title, h.Task, h.Summary, strings.Join(h.Tags, " "))
}

func digestOf(v any) (string, error) {
	b, err := json.Marshal(v)
	return shortDigest(b), err
}

// shortDigest tells equal from different; it does not prove anything.
func shortDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// orZero is what p points to, or the zero value for nil.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// unlessZero points to a time, nil for none.
func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
