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

// Reader reads what needs more than the snapshot. All fields are required. It may be used concurrently.
type Reader struct {
	Secret string       // that no sender knows: briefs are framed with it
	Depth  int          // how many earlier handoffs of its chain a brief tells of
	Logger *slog.Logger // hears of what could not be read and was left out

	ConnectionGone func(*store.Record) bool      // whether the connection of the holder is known to be gone
	LastHeard      func(*store.Record) time.Time // when the holder gave its last sign of life
}

// Show adds to an answer what a view shows of a handoff; the zero view is the brief. The error is invalid for a view
// that does not exist; not_found for a checkpoint where nobody kept one, and for a reference that the handoff does not
// have.
func (rd Reader) Show(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	show, ok := views[in.View]
	if !ok {
		return schemas.Invalidf("view", "%q is not a view", schemas.Visible(string(in.View)))
	}
	return show(rd, v, r, in, out)
}

// views is what each view adds to the answer.
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

// showBrief shows what the holder of the handoff reads, also to others. With an offset the brief comes uncut, in parts.
// Without an offset it is packed, and its last lines say how to read what it leaves out.
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

// Brief renders a handoff for the model that takes it, in so many tokens at most, 0 for the usual number, and tells
// what its completion has to say. Equal snapshots give equal briefs.
func (rd Reader) Brief(v *store.View, r *store.Record, tokens int) (brief.Brief, schemas.ToDo, error) {
	return rd.render(v, r, tokens, brief.Render)
}

// Answer is [Reader.Brief] for the model that asked and has read the brief: the last answer alone.
func (rd Reader) Answer(v *store.View, r *store.Record, tokens int) (brief.Brief, schemas.ToDo, error) {
	return rd.render(v, r, tokens, brief.Answer)
}

func (rd Reader) render(
	v *store.View, r *store.Record, tokens int, render func(brief.Input) brief.Brief,
) (b brief.Brief, todo schemas.ToDo, err error) {
	in, err := rd.briefInput(v, r, tokens)
	if err != nil {
		return b, todo, err
	}
	todo.Criteria = len(contract.ByHand(in.Criteria))
	if e := in.Handoff.Expectations; e != nil && len(e.OutputSchema) > 0 {
		todo.Output = contract.Template(e.OutputSchema)
	}
	return render(in), todo, nil
}

// briefInput is all that a brief is made of.
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
	if in.Standing.Reason, err = rd.Reason(v, r); err != nil { // it may lie in another handoff: the brief does without
		rd.Logger.Error("a reason was left out", slog.String("handoff", r.ID.String()), slog.Any("error", err))
	}
	if in.Answers, err = Answerer(v, r, r.Holder); err != nil {
		return in, err
	}
	if in.Before, in.Reports, err = earlierWork(v, r); err != nil {
		return in, err
	}
	in.Results, in.Ancestors = results(v, h, r), rd.ancestors(v, r)
	in.Recalled, err = recalledDecisions(v, &h, r)
	return in, err
}

// showFull shows all that was sent, the children, where it stands and what came of it. Long texts are not cut: whoever
// asks for this view wants them. With max_tokens or an offset it comes in parts.
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

// splitIntoPages puts a view that is longer than was asked for as text in place of its fields, a part at a time. Where nothing
// was asked for it stays as it is.
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

// showOutcome shows the outcome where the handoff has one, and where it stands as far as that says more. Each criterion
// comes once, with its evidence. What only programs want, as connections and numbers of events, is left to the view
// full. With max_tokens or an offset it comes in parts.
func (rd Reader) showOutcome(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	return cmp.Or(rd.addOutcome(v, r, out), splitIntoPages(in, out))
}

// addOutcome is what [Reader.showOutcome] shows, in its fields. Values are emptied in place: they were decoded for this
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

// trim leaves out of a completion what only programs want, and the answers that its criteria have, too.
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

// trimEvidence marks the checks of which an old completion only claims that they are met, and leaves digests of what was observed to the view
// full.
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

// trimTree is what git saw, as far as it says something to whoever reads an outcome: nothing where nobody looked or
// nothing changed.
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

// ShowChanges shows what happened to a handoff after an event, and where it stands now: the outcome where it ended. Of
// more than [eventsShown] events it shows the newest.
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

// showEvents shows a page of the handoff's events in words, the oldest of the page first. Long texts are cut until the
// page has [listing.Room] bytes: other views have them in full.
func (Reader) showEvents(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	events, err := eventPage(v, r, in, out)
	if err == nil {
		out.Events, err = moments(v, events)
	}
	for limit := 1000; limit > 60 && err == nil; limit /= 2 {
		var b []byte
		if b, err = json.Marshal(out.Events); len(b) <= listing.Room {
			break
		}
		shortenTexts(out.Events, limit)
	}
	return err
}

// showAudit shows the same page as the registry has it, with the digests by which it is verified.
func (Reader) showAudit(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) (err error) {
	out.Audit, err = eventPage(v, r, in, out)
	return err
}

// eventPage is a page of a handoff's events, the oldest of the page first. The offset of the next page leads further back,
// zero at the end. Events are linked from the last one backwards, so a page costs the reads of all that are newer.
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

// showCheckpoint shows where work stood last: what a holder kept, else the state that came with it.
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
