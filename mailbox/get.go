package mailbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/mailbox/brief"
	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// Get shows one handoff at the depth asked for. With wait_seconds it first waits for a change, unless the
// handoff has ended. While the connection of the holder is open, its calls put off the end of the lease.
// An id as no_7 shows a notice of the caller in full, with all that came with a message, and marks it read.
func (s *Service) Get(ctx context.Context, by schemas.Caller, in schemas.GetIn) (out schemas.GetOut, err error) {
	if strings.HasPrefix(in.HandoffID, "no_") {
		return s.readNotice(ctx, by, in.HandoffID)
	}
	if in.WaitSeconds > 0 {
		if err := s.await(ctx, in); err != nil {
			return out, err
		}
	}
	err = s.read(ctx, func(v *store.View) error {
		out = schemas.GetOut{}
		r, err := find(v, in.HandoffID)
		if err != nil {
			return err
		}
		out.HandoffID, out.Status = r.ID, r.Status
		if r.Status.Held() && r.Holder == by.Agent && r.Conn == by.Conn {
			s.conns.hear(r.ID, s.Now())
		}
		show, ok := views[in.View]
		if !ok {
			return schemas.Invalidf("view", "%q is not a view", schemas.Visible(in.View))
		}
		return show(s, v, r, in, &out)
	})
	return out, err
}

// views is what each view adds to the result.
var views = map[string]func(*Service, *store.View, *store.Record, schemas.GetIn, *schemas.GetOut) error{
	"":           (*Service).showBrief,
	"brief":      (*Service).showBrief,
	"full":       (*Service).showFull,
	"outcome":    (*Service).showOutcome,
	"events":     (*Service).showEvents,
	"checkpoint": (*Service).showCheckpoint,
	"reference":  (*Service).showReference,
}

func (s *Service) showBrief(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	b, _, err := s.brief(v, r, in.MaxTokens)
	out.Brief, out.Omitted = b.Text, b.Omitted
	return err
}

// brief renders a handoff for the model that takes it, and counts the criteria that it is to answer.
func (s *Service) brief(v *store.View, r *store.Record, tokens int) (b brief.Brief, asked int, err error) {
	h, err := body(v, r)
	if err != nil {
		return b, 0, err
	}
	standing, err := standingOf(v, r)
	if err != nil {
		return b, 0, err
	}
	h.Metadata.Deadline = r.Deadline.Ptr()
	ancestors, err := s.ancestors(v, r)
	if err != nil {
		return b, 0, err
	}
	criteria := contract.Criteria(h.Expectations)
	return brief.Render(brief.Input{
		Handoff: h, Standing: &standing, Criteria: criteria,
		Ancestors: ancestors, MaxTokens: tokens, Nonce: s.secret,
	}), len(criteria), nil
}

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
	h.Target = targetOf(r.To, h.Target.Reason)
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
	return c != nil && (len(c.CompletedSteps) > 0 || len(c.Results) > 0 || len(c.PreviousFailures) > 0 || len(c.Artifacts) > 0)
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

func (s *Service) showFull(v *store.View, r *store.Record, _ schemas.GetIn, out *schemas.GetOut) error {
	h, err := body(v, r)
	if err != nil {
		return err
	}
	st, err := standingOf(v, r)
	if err != nil {
		return err
	}
	out.Handoff, out.Standing = &h, &st
	for id, err := range v.Oldest(store.ChildrenOf(r.ID), 0) {
		if err != nil {
			return err
		}
		out.Children = append(out.Children, id)
	}
	return resultOf(v, r, out)
}

func (s *Service) showOutcome(v *store.View, r *store.Record, _ schemas.GetIn, out *schemas.GetOut) error {
	st, err := standingOf(v, r)
	if err != nil {
		return err
	}
	out.Standing = &st
	return resultOf(v, r, out)
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

// eventsShown is how many events one answer holds; offset counts events from the newest.
const eventsShown = 20

func (s *Service) showEvents(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	events, err := v.EventsOf(r, in.Offset+eventsShown+1)
	if err != nil {
		return err
	}
	events = events[min(in.Offset, len(events)):]
	if len(events) > eventsShown {
		events = events[:eventsShown]
		out.NextOffset = in.Offset + eventsShown
	}
	slices.Reverse(events)
	out.Events = events
	return nil
}

// showCheckpoint shows where work stood last: what a holder kept, else the state that came with it.
func (s *Service) showCheckpoint(v *store.View, r *store.Record, _ schemas.GetIn, out *schemas.GetOut) error {
	c, err := lastCheckpoint(v, r)
	if err != nil || c != nil {
		out.Checkpoint = c
		return err
	}
	h, err := body(v, r)
	if err != nil {
		return err
	}
	if h.Context != nil && h.Context.Checkpoint != nil {
		out.Checkpoint = h.Context.Checkpoint
		return nil
	}
	if h.Context != nil && len(h.Context.State) > 0 {
		out.Checkpoint = &schemas.Checkpoint{State: h.Context.State, Note: "the state that was sent along"}
		return nil
	}
	return schemas.Errorf(schemas.NotFound, "%s has no checkpoint", r.ID).About(r.ID, r.Status, r.Successor).WithField("view").
		WithHint("Its holder kept none. get_handoff with view full shows all that is known.")
}

// contentShown is how many bytes of a reference one answer holds.
const contentShown = 6000

// showReference reads what was sent in full, as JSON, a part at a time.
func (s *Service) showReference(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	if in.Reference != "" && in.Reference != contextURL(r) {
		return schemas.Errorf(schemas.NotFound, "%s has no reference %q", r.ID, schemas.Visible(schemas.Clip(in.Reference, 80))).
			WithField("reference").WithKnown(contextURL(r)).WithHint("Known: %s.", contextURL(r))
	}
	b, err := v.Said(r.ID, r.Body)
	if err != nil {
		return err
	}
	part, next := partOf(b, in.Offset)
	out.Content, out.NextOffset = part, next
	return nil
}

// partOf cuts content at character boundaries, and says where the rest begins, zero when there is none.
func partOf(b []byte, offset int) (part string, next int) {
	from := boundary(b, min(offset, len(b)))
	to := boundary(b, min(from+contentShown, len(b)))
	for quoted(b[from:to]) > room {
		to = boundary(b, from+(to-from)*3/4)
	}
	if to < len(b) {
		next = to
	}
	return string(b[from:to]), next
}

// quoted is how long a text becomes as a string of JSON, where quotes and line ends take two bytes or more.
func quoted(b []byte) int {
	q, err := json.Marshal(string(b))
	if err != nil {
		return 0 // strings can be written
	}
	return len(q)
}

// boundary is the beginning of the character at i.
func boundary(b []byte, i int) int {
	for i > 0 && i < len(b) && !utf8.RuneStart(b[i]) {
		i--
	}
	return i
}

// contextURL is where the whole of what was sent can be fetched.
func contextURL(r *store.Record) string { return "context://" + r.ID.String() }
