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
	"handoff/mailbox/life"
	"handoff/mailbox/listing"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Reader reads handoffs for callers. It knows facts that the store does not have, such as the open connections. All
// fields are required. A Reader may be used concurrently.
type Reader struct {
	Secret string       // frames briefs; no sender may know it
	Depth  int          // how many earlier handoffs of its chain a brief shows
	Logger *slog.Logger // gets errors about unreadable parts that are left out

	IsConnectionGone func(*store.Record) bool      // whether the connection of the holder is known to be gone
	LastHeard        func(*store.Record) time.Time // when the holder gave its last sign of life
}

// ShowView adds the requested view of a handoff to an answer, or the brief if the request names no view. The error is
// invalid for an unknown view. It is not_found for a missing checkpoint and for an unknown reference.
func (rd Reader) ShowView(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	show, ok := views[in.View]
	if !ok {
		return schemas.Invalidf("view", "%q is not a view", schemas.EscapeHidden(string(in.View)))
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

// showBrief shows the brief that the holder gets. Any caller may read the brief. Without an offset the brief is
// shortened to the limit of tokens, and its last lines say how to read the omitted parts. With an offset the caller
// gets one page of the complete brief.
func (rd Reader) showBrief(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	if in.Offset > 0 {
		b, _, err := rd.Brief(v, r, wholeBrief, false)
		if err == nil {
			out.Content, out.NextOffset, err = content.CutPage(b.Text, in.Offset, in.MaxTokens)
		}
		return err
	}
	b, _, err := rd.Brief(v, r, in.MaxTokens, false)
	out.Brief, out.Omitted = b.Text, b.Omitted
	return err
}

// wholeBrief is a limit of tokens that no brief reaches.
const wholeBrief = 1 << 20

// Brief returns a handoff as a text for the model that claims the handoff. The text has at most the given number of
// tokens; 0 means the default number. Brief also returns the criteria and the output that the completion must have.
// For a model that has read the brief and then asked a question, the text has only the last answer. Equal snapshots
// give equal briefs.
func (rd Reader) Brief(
	v *store.View, r *store.Record, tokens int, onlyAnswer bool,
) (b brief.Brief, todo schemas.CompletionNeeds, err error) {
	in, err := rd.briefInput(v, r, tokens)
	if err != nil {
		return b, todo, err
	}
	todo.Criteria = len(contract.CriteriaWithoutCheck(in.Criteria))
	if e := in.Handoff.Expectations; e != nil && len(e.OutputSchema) > 0 {
		todo.Output = contract.OutputTemplate(e.OutputSchema)
	}
	if onlyAnswer {
		return brief.RenderAnswer(in), todo, nil
	}
	return brief.Render(in), todo, nil
}

// briefInput collects the parts of a brief.
func (rd Reader) briefInput(v *store.View, r *store.Record, tokens int) (in brief.Input, err error) {
	h, err := ReadHandoff(v, r)
	if err != nil {
		return in, err
	}
	h.Metadata.Deadline = r.Deadline.Ptr()
	if err := cmp.Or(addLastCheckpoint(v, r, &h), assumeEstimate(v, r, &h)); err != nil {
		return in, err
	}
	in = brief.Input{
		Handoff: h, Criteria: contract.NumberedCriteria(h.Expectations), TakesBack: RollbackTarget(r), MaxTokens: tokens, Nonce: rd.Secret,
	}
	if in.Standing, err = CurrentState(v, r); err != nil {
		return in, err
	}
	if in.Standing.Reason, err = rd.StateReason(v, r); err != nil { // the brief does without it
		rd.Logger.Error("a reason was left out", slog.String("handoff", r.ID.String()), slog.Any("error", err))
	}
	var unread error
	in.Answers, err = Answerer(v, r, r.Holder)
	in.LastClaim, in.Reports, unread = earlierWork(v, r)
	reader, unknown := v.Agent(cmp.Or(r.Holder, h.Target.Agent))
	if declared := schemas.ValueOrZero(reader).Card; roster.ProducesOther(declared, h.Expectations.DeliverableTypes()) {
		in.OtherProducts = declared.Produces
	}
	asked, unasked := questionsToHuman(v, r)
	if err = cmp.Or(err, unread, unknown, unasked); err != nil {
		return in, err
	}
	in.Standing.Questions = append(in.Standing.Questions, asked...)
	in.Results, in.Ancestors = earlierResults(v, h, r), rd.ancestorSteps(v, r)
	if isWorkOfRule(v, r) {
		if _, in.Root, err = FirstOfChain(v, r, h); err != nil {
			return in, err
		}
		in.Results = addEarlierProduct(v, r, in.Results)
	}
	in.Recalled, err = RecalledTexts(v, &h, r)
	return in, err
}

// showFull shows the whole message, the ids of the children, the current state and the outcome, without cutting long
// texts. If the sender chose a strategy, it also shows how many tokens of the context are in the brief. It shows the
// messages among the last [eventsShown] events, which agents sent with the handoff as parent. If the request has
// max_tokens or an offset, the caller gets one page of the view.
func (rd Reader) showFull(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	h, err := ReadHandoff(v, r)
	if err != nil {
		return err
	}
	out.Handoff, out.Readable = &h, storedReferenceNames(h.Context)
	out.Children, err = Collect(v.OldestFirst(store.IndexByParent(r.ID), 0))
	st, unread := CurrentState(v, r)
	if err = cmp.Or(err, unread); err != nil {
		return err
	}
	_ = rd.showEvents(v, r, schemas.GetIn{}, out) // the view events tells of an event that cannot be read
	out.Events = slices.DeleteFunc(out.Events, func(e schemas.HistoryEvent) bool { return life.Action(e.Action) != life.Message })
	out.Standing, out.NextOffset = &st, 0
	st.Base, st.LastSign = BaseCommit(v, r), rd.LastSignOfLife(r)
	st.Reason, err = rd.StateReason(v, r)
	if h.Metadata.Strategy != "" {
		b, _, unread := rd.Brief(v, r, 0, false)
		out.Transfer, err = &b.Transfer, cmp.Or(err, unread)
	}
	return cmp.Or(err, AddOutcome(v, r, out), splitIntoPages(in, out))
}

// splitIntoPages replaces the fields of a view by one page of the view as a text, if the view is longer than
// max_tokens. It changes nothing if the request has neither max_tokens nor an offset.
func splitIntoPages(in schemas.GetIn, out *schemas.GetOut) error {
	if in.MaxTokens == 0 && in.Offset == 0 {
		return nil
	}
	b, err := schemas.Encode(out)
	if err != nil || in.Offset == 0 && content.CountTokens(string(b)) <= cmp.Or(in.MaxTokens, content.PageTokens) {
		return err
	}
	*out = schemas.GetOut{HandoffID: out.HandoffID, Status: out.Status, Readable: out.Readable, MayJudge: out.MayJudge, AwaitsReview: out.AwaitsReview}
	out.Content, out.NextOffset, err = content.CutPage(string(b), in.Offset, in.MaxTokens)
	return err
}

// showOutcome shows the outcome of the handoff, and the current state if the state says more than the outcome. It shows
// each criterion once, with its evidence. It leaves out details for programs, such as connections, which the view full
// shows. If the request has max_tokens or an offset, the caller gets one page of the view.
func (rd Reader) showOutcome(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	return cmp.Or(rd.addTrimmedOutcome(v, r, out), splitIntoPages(in, out))
}

// addTrimmedOutcome adds to an answer the fields that [Reader.showOutcome] shows. It clears fields of the outcome that
// no reader needs.
func (rd Reader) addTrimmedOutcome(v *store.View, r *store.Record, out *schemas.GetOut) error {
	st, err := CurrentState(v, r)
	if err = cmp.Or(err, AddOutcome(v, r, out)); err != nil {
		return err
	}
	st.HolderID, st.ClaimedAt = "", nil
	if st.ClaimedIn != nil {
		st.ClaimedIn = &schemas.Tree{Commit: st.ClaimedIn.Commit}
	}
	if st.LastSign = rd.LastSignOfLife(r); out.Failure == nil && len(st.Questions) == 0 {
		if st.Reason, err = rd.StateReason(v, r); err != nil {
			return err
		}
	}
	if st.Note == st.Reason { // it ended for this reason
		st.Note = ""
	}
	if r.Result == 0 || r.Successor != 0 || len(r.Late) > 0 || r.Reviewer != "" || r.Accepted != 0 || st.NotKept {
		out.Standing = &st
	}
	if f := out.Failure; f != nil {
		f.Source.AgentID, f.Timestamp = "", f.Timestamp.Truncate(time.Second)
	}
	if out.Completion != nil {
		trimCompletion(out.Completion)
	}
	return nil
}

// trimCompletion removes details for programs from a completion, and duplicates of the criteria.
func trimCompletion(c *schemas.Completion) {
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

// trimEvidence removes digests of observations, and the output and times of checks that passed. The view full shows
// them. For a check of an older completion without an observation, it says that the holder only claims that the check
// passed.
func trimEvidence(c *schemas.Completion) {
	for i, a := range c.Criteria {
		switch o := a.Observed; {
		case o != nil && o.Passed:
			*o = schemas.Observation{Check: o.Check, Passed: true, Commit: o.Commit}
		case o != nil:
			o.List, o.Output, o.At = "", "", o.At.Truncate(time.Second)
		case a.Check != "" && a.Unobserved == "":
			c.Criteria[i].Evidence = c.EvidenceText(a)
		}
	}
}

// trimTree reduces the facts that git showed about a working tree to the facts that a reader of an outcome needs. It
// returns nil if git was not run or found no change.
func trimTree(t *schemas.Tree) *schemas.Tree {
	if t == nil || t.Since == "" || len(t.Changed)+len(t.Uncommitted)+len(t.Unknown) == 0 {
		return nil
	}
	seen := t.WithAtMostFiles(maxTreeFiles)
	seen.Path, seen.Since, seen.Commit = "", "", schemas.ShortCommit(t.Commit)
	return &seen
}

// maxTreeFiles is the maximum number of files of each kind that the view outcome names.
const maxTreeFiles = 20

// ShowChanges shows the current state of an open handoff, and its events with numbers above the argument after. It
// shows at most the newest [eventsShown] events. For an ended handoff it shows the outcome.
func (rd Reader) ShowChanges(v *store.View, r *store.Record, after uint64, out *schemas.GetOut) error {
	if err := rd.addTrimmedOutcome(v, r, out); err != nil || r.Status.HasEnded() {
		return err
	}
	events, err := v.EventsOf(r, eventsShown)
	if err != nil {
		return err
	}
	events = slices.DeleteFunc(events, func(e schemas.Event) bool { return e.N <= after })
	slices.Reverse(events)
	out.Events, err = describeEvents(v, events)
	shortenTexts(out.Events, 1000)
	return err
}

// eventsShown is the maximum number of events in one answer. The offset of a request is the number of newer events to
// skip.
const eventsShown = 20

// showEvents shows a page of the handoff's events in words, the oldest of the page first. It cuts long texts until the
// page fits into [listing.MaxBytes] bytes. Other views show these texts in full.
func (Reader) showEvents(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	events, err := eventPage(v, r, in, out)
	if err == nil {
		out.Events, err = describeEvents(v, events)
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

// showAudit shows the page of events that showEvents shows, in the form in which the registry stores the events. The
// digests in the stored form prove that the events are unchanged.
func (Reader) showAudit(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) (err error) {
	out.Audit, err = eventPage(v, r, in, out)
	return err
}

// eventPage returns a page of the handoff's events, the oldest of the page first. It sets the offset of the next page,
// which has older events, or zero if no event is older. Events link to the event before, so eventPage reads all events
// that are newer than the page, too.
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

// showCheckpoint shows the last checkpoint that a holder stored. If no holder stored one, it shows the state in the
// sender's message.
func (Reader) showCheckpoint(v *store.View, r *store.Record, _ schemas.GetIn, out *schemas.GetOut) (err error) {
	if out.Checkpoint, err = LastCheckpoint(v, r); out.Checkpoint != nil || err != nil {
		return err
	}
	h, err := ReadHandoff(v, r)
	switch {
	case err != nil:
		return err
	case h.Context != nil && len(h.Context.State) > 0:
		out.Checkpoint = &schemas.Checkpoint{State: h.Context.State, Note: "the state that was sent along"}
		return nil
	}
	return schemas.Errorf(schemas.NotFound, "%s has no checkpoint", r.ID).
		WithHandoff(r.ID, r.Status, r.Successor).WithField("view").
		WithHint("Its holder kept none.").
		WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: r.ID.String(), View: "full"}, "shows all that is known"))
}
