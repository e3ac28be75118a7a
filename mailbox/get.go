package mailbox

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/mailbox/brief"
	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// Get shows one handoff, as deep as the view says: brief, as its holder reads it (the default); full, all that was
// sent, where it stands and what came of it; outcome; events, the last 20, and earlier ones with an offset;
// checkpoint, where work stood last; reference, what was sent as JSON, 6,000 bytes a result. An id as no_7 shows a
// notice of the caller in full, and marks it read. Any caller calls it; nothing else changes. While the connection of
// the holder is open, its calls put off the end of the lease.
//
// With wait_seconds, at most 50, it first waits until the handoff changes; with view outcome, until it ended. A
// handoff that ended is shown at once.
//
// The error is not_found for a handoff, a notice, a checkpoint or a reference that does not exist; invalid for another
// view, and for a notice without an agent. It can be repeated freely.
func (s *Service) Get(ctx context.Context, by schemas.Caller, in schemas.GetIn) (out schemas.GetOut, err error) {
	if strings.HasPrefix(in.HandoffID, "no_") {
		return s.readNotice(ctx, by, in.HandoffID)
	}
	if in.WaitSeconds > 0 {
		if err := s.await(ctx, by, in); err != nil {
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
		if r.Status.Held() && r.Holder == by.Agent && r.Conn == by.Conn && by.Scope != schemas.ScopeRead {
			s.here.Hear(r.ID, s.Now())
		}
		show, ok := views[in.View]
		if !ok {
			return schemas.Invalidf("view", "%q is not a view", schemas.Visible(string(in.View)))
		}
		return show(s, v, r, in, &out)
	})
	return out, err
}

// views is what each view adds to the result.
var views = map[schemas.View]func(*Service, *store.View, *store.Record, schemas.GetIn, *schemas.GetOut) error{
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
	criteria := contract.Criteria(h.Expectations)
	return brief.Render(brief.Input{
		Handoff: h, Standing: &standing, Criteria: criteria,
		Ancestors: s.ancestors(v, r), MaxTokens: tokens, Nonce: s.secret,
	}), len(criteria), nil
}

func (s *Service) showFull(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	h, err := body(v, r)
	if err != nil {
		return err
	}
	out.Handoff = &h
	for id, err := range v.Oldest(store.ChildrenOf(r.ID), 0) {
		if err != nil {
			return err
		}
		out.Children = append(out.Children, id)
	}
	return s.showOutcome(v, r, in, out)
}

func (s *Service) showOutcome(v *store.View, r *store.Record, _ schemas.GetIn, out *schemas.GetOut) error {
	st, err := standingOf(v, r)
	if err != nil {
		return err
	}
	out.Standing = &st
	return resultOf(v, r, out)
}

// eventsShown is how many events one result holds; offset counts events from the newest.
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
	return schemas.Errorf(schemas.NotFound, "%s has no checkpoint", r.ID).
		About(r.ID, r.Status, r.Successor).WithField("view").
		WithHint("Its holder kept none.").
		WithNext(schemas.Call(schemas.GetIn{HandoffID: r.ID.String(), View: "full"}, "shows all that is known"))
}

// contentShown is how many bytes of a reference one result holds.
const contentShown = 6000

// showReference reads what was sent in full, as JSON, a part at a time.
func (s *Service) showReference(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	if in.Reference != "" && in.Reference != contextURL(r) {
		name := schemas.Visible(schemas.Clip(in.Reference, 80))
		return schemas.Errorf(schemas.NotFound, "%s has no reference %q", r.ID, name).
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
