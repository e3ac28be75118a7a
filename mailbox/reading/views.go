package reading

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"handoff/mailbox/brief"
	"handoff/mailbox/content"
	"handoff/mailbox/contract"
	"handoff/mailbox/listing"
	"handoff/schemas"
	"handoff/store"
)

// Reader reads facts that need more than the snapshot. All fields are required. It may be used concurrently.
type Reader struct {
	Secret string       // frames briefs; no sender may know it
	Depth  int          // how many earlier handoffs of its chain a brief shows
	Logger *slog.Logger // gets errors about unreadable parts that are left out

	ConnectionGone func(*store.Record) bool      // whether the connection of the holder is known to be gone
	LastHeard      func(*store.Record) time.Time // when the holder gave its last sign of life
}

// Show adds a view of a handoff to an answer; the empty view is the brief. The error is invalid for an unknown view. It
// is not_found for a checkpoint that no holder kept, and for an unknown reference.
func (rd Reader) Show(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	show, ok := views[in.View]
	if !ok {
		return schemas.Invalidf("view", "%q is not a view", schemas.Visible(string(in.View)))
	}
	return show(rd, v, r, in, out)
}

// views maps each view to the function that adds it to the answer.
var views = map[schemas.View]func(Reader, *store.View, *store.Record, schemas.GetIn, *schemas.GetOut) error{
	"":           Reader.showBrief,
	"brief":      Reader.showBrief,
	"full":       Reader.showFull,
	"outcome":    Reader.showOutcome,
	"events":     Reader.showEvents,
	"audit":      Reader.showAudit,
	"checkpoint": Reader.showCheckpoint,
	"reference":  Reader.showReference,
}

// showBrief shows the brief of the holder, also to other callers. With an offset the brief comes uncut, in parts.
// Without an offset it is packed, and its last lines say how to read the omitted parts.
func (rd Reader) showBrief(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	if in.Offset > 0 {
		b, _, err := rd.Brief(v, r, wholeBrief)
		if err == nil {
			out.Content, out.NextOffset, err = content.Page(b.Text, in.Offset, in.MaxTokens)
		}
		return err
	}
	b, _, err := rd.Brief(v, r, in.MaxTokens)
	out.Brief, out.Omitted = b.Text, b.Omitted
	return err
}

// wholeBrief is more tokens than a brief has.
const wholeBrief = 1 << 20

// Brief renders a handoff for the model that takes it, in at most tokens tokens, 0 for the default. It also returns the
// criteria and the output that the completion must have. Equal snapshots give equal briefs.
func (rd Reader) Brief(v *store.View, r *store.Record, tokens int) (brief.Brief, schemas.ToDo, error) {
	return rd.render(v, r, tokens, brief.Render)
}

// Answer renders only the last answer, for the model that asked and has read the brief, see [Reader.Brief].
func (rd Reader) Answer(v *store.View, r *store.Record, tokens int) (brief.Brief, schemas.ToDo, error) {
	return rd.render(v, r, tokens, brief.RenderAnswer)
}

func (rd Reader) render(
	v *store.View, r *store.Record, tokens int, render func(brief.Input) brief.Brief,
) (b brief.Brief, todo schemas.ToDo, err error) {
	in, err := rd.briefInput(v, r, tokens)
	if err != nil {
		return b, todo, err
	}
	todo.Criteria = len(contract.Manual(in.Criteria))
	if e := in.Handoff.Expectations; e != nil && len(e.OutputSchema) > 0 {
		todo.Output = contract.Template(e.OutputSchema)
	}
	return render(in), todo, nil
}

// briefInput collects the parts of a brief.
func (rd Reader) briefInput(v *store.View, r *store.Record, tokens int) (in brief.Input, err error) {
	h, err := Handoff(v, r)
	if err != nil {
		return in, err
	}
	h.Metadata.Deadline = r.Deadline.Ptr()
	if err := addCheckpoint(v, r, &h); err != nil {
		return in, err
	}
	in = brief.Input{
		Handoff: h, Criteria: contract.Criteria(h.Expectations), TakesBack: RollbackTarget(r), MaxTokens: tokens, Nonce: rd.Secret,
	}
	if in.Standing, err = Standing(v, r); err != nil {
		return in, err
	}
	if in.Standing.Reason, err = rd.Reason(v, r); err != nil { // the brief does without it
		rd.Logger.Error("a reason was left out", slog.String("handoff", r.ID.String()), slog.Any("error", err))
	}
	if in.Answers, err = Answerer(v, r, r.Holder); err != nil {
		return in, err
	}
	if in.LastClaim, in.Reports, err = earlierWork(v, r); err != nil {
		return in, err
	}
	in.Results, in.Ancestors = results(v, h, r), rd.ancestors(v, r)
	in.Recalled, err = recalledDecisions(v, &h, r)
	return in, err
}

// showFull shows the whole message, the children, the standing and the outcome. It does not cut long texts: callers of
// this view want them. With max_tokens or an offset it comes in parts.
func (rd Reader) showFull(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	h, err := Handoff(v, r)
	if err != nil {
		return err
	}
	out.Handoff, out.Readable = &h, keptNames(h.Context)
	if out.Children, err = Collect(v.Oldest(store.ChildrenOf(r.ID), 0)); err != nil {
		return err
	}
	st, err := Standing(v, r)
	if err != nil {
		return err
	}
	out.Standing = &st
	st.Base, st.LastSign = Base(v, r), rd.LastSign(r)
	st.Reason, err = rd.Reason(v, r)
	return cmp.Or(err, AddOutcome(v, r, out), splitIntoPages(in, out))
}

// splitIntoPages replaces the fields of a view by one page of its text if the view is longer than max_tokens. Without
// max_tokens and offset it changes nothing.
func splitIntoPages(in schemas.GetIn, out *schemas.GetOut) error {
	if in.MaxTokens == 0 && in.Offset == 0 {
		return nil
	}
	b, err := schemas.Encode(out)
	if err != nil || in.Offset == 0 && content.Tokens(string(b)) <= cmp.Or(in.MaxTokens, content.PageTokens) {
		return err
	}
	*out = schemas.GetOut{HandoffID: out.HandoffID, Status: out.Status, Readable: out.Readable, MayJudge: out.MayJudge, AwaitsReview: out.AwaitsReview}
	out.Content, out.NextOffset, err = content.Page(string(b), in.Offset, in.MaxTokens)
	return err
}

// showOutcome shows the outcome if the handoff has one, and the standing if it says more. Each criterion comes once,
// with its evidence. Details for programs, as connections and numbers of events, are left to the view full. With
// max_tokens or an offset it comes in parts.
func (rd Reader) showOutcome(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	return cmp.Or(rd.addOutcome(v, r, out), splitIntoPages(in, out))
}

// addOutcome adds the fields of [Reader.showOutcome]. It empties values in place, because they were decoded for this
// answer alone.
func (rd Reader) addOutcome(v *store.View, r *store.Record, out *schemas.GetOut) error {
	st, err := Standing(v, r)
	if err = cmp.Or(err, AddOutcome(v, r, out)); err != nil {
		return err
	}
	st.HolderID, st.ClaimedAt = "", nil
	if st.ClaimedIn != nil {
		st.ClaimedIn = &schemas.Tree{Commit: st.ClaimedIn.Commit}
	}
	if st.LastSign = rd.LastSign(r); out.Failure == nil && len(st.Questions) == 0 {
		if st.Reason, err = rd.Reason(v, r); err != nil {
			return err
		}
	}
	if r.Result == 0 || r.Successor != 0 || len(r.Late) > 0 || r.Reviewer != "" || r.Accepted != 0 || st.NotKept {
		out.Standing = &st
	}
	if f := out.Failure; f != nil {
		f.Source.AgentID, f.Timestamp = "", f.Timestamp.Truncate(time.Second)
	}
	if out.Completion != nil {
		trim(out.Completion)
	}
	return nil
}

// trim removes details for programs from a completion, and duplicates of the criteria.
func trim(c *schemas.Completion) {
	c.HandoffID, c.CompletionID, c.Source.AgentID, c.Version = 0, "", "", 0
	c.Timestamp = c.Timestamp.Truncate(time.Second)
	c.Tree = trimTree(c.Tree)
	trimEvidence(c)
	if c.Verification == nil || len(c.Criteria) == 0 {
		return
	}
	if c.Verification.Criteria = nil; reflect.ValueOf(*c.Verification).IsZero() {
		c.Verification = nil
	}
}

// trimEvidence marks checks that an old completion only claims to be met, and leaves digests of observations to the
// view full.
func trimEvidence(c *schemas.Completion) {
	for i, a := range c.Criteria {
		switch o := a.Observed; {
		case o != nil:
			o.List, o.Output, o.At = "", "", o.At.Truncate(time.Second)
		case a.Check != "" && a.Unobserved == "":
			c.Criteria[i].Evidence = c.EvidenceText(a)
		}
	}
}

// trimTree reduces git's observation to the facts for a reader of an outcome: nil if git was not asked or nothing
// changed.
func trimTree(t *schemas.Tree) *schemas.Tree {
	if t == nil || t.Since == "" || len(t.Changed)+len(t.Uncommitted)+len(t.Unknown) == 0 {
		return nil
	}
	seen := t.Truncated(maxTreeFiles)
	seen.Path, seen.Since, seen.Commit = "", "", schemas.ShortCommit(t.Commit)
	return &seen
}

// maxTreeFiles is how many files of each kind an outcome names; the view full names more.
const maxTreeFiles = 20

// ShowChanges shows the events of a handoff after a given one, and its standing: the outcome if it ended. Of more than
// [eventsShown] events it shows the newest.
func (rd Reader) ShowChanges(v *store.View, r *store.Record, after uint64, out *schemas.GetOut) error {
	if err := rd.addOutcome(v, r, out); err != nil || r.Status.Ended() {
		return err
	}
	events, err := v.EventsOf(r, eventsShown)
	if err != nil {
		return err
	}
	events = slices.DeleteFunc(events, func(e schemas.Event) bool { return e.N <= after })
	slices.Reverse(events)
	out.Events, err = moments(v, events)
	shortenTexts(out.Events, 1000)
	return err
}

// eventsShown is how many events one answer holds; offset counts events from the newest.
const eventsShown = 20

// showEvents shows a page of the handoff's events in words, the oldest of the page first. It cuts long texts until the
// page has [listing.MaxBytes] bytes: other views have them in full.
func (Reader) showEvents(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	events, err := eventPage(v, r, in, out)
	if err == nil {
		out.Events, err = moments(v, events)
	}
	for limit := 1000; limit > 60 && err == nil; limit /= 2 {
		var b []byte
		if b, err = json.Marshal(out.Events); len(b) <= listing.MaxBytes {
			break
		}
		shortenTexts(out.Events, limit)
	}
	return err
}

// showAudit shows the same page as the registry has it, with the digests that verify it.
func (Reader) showAudit(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) (err error) {
	out.Audit, err = eventPage(v, r, in, out)
	return err
}

// eventPage returns a page of the handoff's events, the oldest of the page first. The next offset leads further back,
// and is zero at the end. Events are linked from the last one backwards, so a page costs the reads of all newer events.
func eventPage(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) ([]schemas.Event, error) {
	events, err := v.EventsOf(r, in.Offset+eventsShown+1)
	if err != nil {
		return nil, err
	}
	events = events[min(in.Offset, len(events)):]
	if len(events) > eventsShown {
		events = events[:eventsShown]
		out.NextOffset = in.Offset + eventsShown
	}
	slices.Reverse(events)
	return events, nil
}

// showCheckpoint shows the last checkpoint of a holder, or the state in the sender's message if there is none.
func (Reader) showCheckpoint(v *store.View, r *store.Record, _ schemas.GetIn, out *schemas.GetOut) (err error) {
	if out.Checkpoint, err = Checkpoint(v, r); out.Checkpoint != nil || err != nil {
		return err
	}
	h, err := Handoff(v, r)
	switch {
	case err != nil:
		return err
	case h.Context != nil && len(h.Context.State) > 0:
		out.Checkpoint = &schemas.Checkpoint{State: h.Context.State, Note: "the state that was sent along"}
		return nil
	}
	return schemas.Errorf(schemas.NotFound, "%s has no checkpoint", r.ID).
		About(r.ID, r.Status, r.Successor).WithField("view").
		WithHint("Its holder kept none.").
		WithNext(schemas.Call(schemas.GetIn{HandoffID: r.ID.String(), View: "full"}, "shows all that is known"))
}
