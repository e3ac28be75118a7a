// Package reading assembles the store's knowledge about a handoff: its content, its standing, its outcome, and the
// history of its workflow. Package mailbox answers calls with it.
//
// The store keeps content with the event that brought it, and the record of a handoff points to those events by number.
// The functions here follow the numbers. They take a snapshot, write nothing, apply no time rules, and check no
// permission: package mailbox does that before. Their errors are the store's errors about unreadable content, unless a
// function names others.
package reading

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/content"
	"handoff/mailbox/contract"
	"handoff/mailbox/listing"
	"handoff/schemas"
	"handoff/store"
)

// Find resolves an id as a caller wrote it: "ho_12", "12", the id of a foreign message, see [findForeign], or our id in
// another spelling such as HO-012. The error is not_found for an unknown id, and for the id of a notice it says how to
// read the notice. It is conflict for a foreign id of several senders.
func Find(v *store.View, id string, by schemas.Agent) (*store.Record, error) {
	n, ok := schemas.ParseID(id)
	if !ok {
		r, err := findForeign(v, id, by)
		if r != nil || err != nil {
			return r, err
		}
		n = schemas.ParseLooseID(id)
	}
	r, err := v.Record(n)
	if r != nil || err != nil {
		return r, err
	}
	e := schemas.Errorf(schemas.NotFound, "there is no handoff %q", schemas.Visible(schemas.Clip(id, 80))).
		WithField("handoff_id")
	name, _ := schemas.ParseWorkflow("", id)
	wf, err := v.Workflow(name)
	switch {
	case err != nil:
		return nil, err
	case wf != nil:
		e = e.WithHint("That is a workflow: its handoffs are changed one by one.").
			WithNext(schemas.Call(schemas.HistoryIn{Workflow: string(name)}, "shows what is in it"),
				schemas.Call(schemas.ListIn{Box: "all", Workflow: string(name), Status: schemas.Open}, "lists what of it is open"))
	case strings.HasPrefix(id, "wf_"):
		e = unknownWorkflow(v, name).WithField("handoff_id")
	case strings.HasPrefix(id, "no_"):
		e = e.WithHint("That is a notice: it is read, and a message may be answered.").
			WithNext(schemas.Call(schemas.GetIn{HandoffID: id}, "reads it"))
	}
	return nil, e
}

// findForeign resolves the id of a foreign message, nil for none. Such an id is unique only for its sender. Of several
// matches it prefers handoffs that the caller holds, then handoffs that it sent, then handoffs that were sent to it,
// and the newest of each sender. The error is conflict if several are left. It reads the record of every handoff with
// that id.
func findForeign(v *store.View, id string, by schemas.Agent) (*store.Record, error) {
	var all []*store.Record
	for n, err := range v.WithOrigin(id) {
		r, unread := v.Record(n)
		if err = cmp.Or(err, unread); err != nil {
			return nil, err
		}
		if r != nil && !slices.ContainsFunc(all, func(other *store.Record) bool { return other.From == r.From }) {
			all = append(all, r)
		}
	}
	for _, mine := range []func(*store.Record) bool{
		func(r *store.Record) bool { return r.Holder == by && r.Status.Held() },
		func(r *store.Record) bool { return r.From == by },
		func(r *store.Record) bool { return r.To == schemas.Address(by) },
	} {
		if others := slices.DeleteFunc(slices.Clone(all), func(r *store.Record) bool { return !mine(r) }); len(others) > 0 {
			all = others
		}
	}
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return all[0], nil
	}
	ours := schemas.Map(all, func(r *store.Record) string { return fmt.Sprintf("%s from %s", r.ID, r.From) })
	return nil, schemas.Errorf(schemas.Conflict, "%q was sent by several: %s", schemas.Visible(id), strings.Join(ours, ", ")).
		WithField("handoff_id").WithHint("Name it by our id.")
}

// RecordOrNil returns the record of a handoff, or nil if the handoff is missing or damaged. It serves callers that
// visit many handoffs and must not stop at one. Callers that need this one handoff use [store.View.Record], which
// returns the error.
func RecordOrNil(v *store.View, id schemas.ID) *store.Record {
	r, _ := v.Record(id) // nil with an error
	return r
}

// Records yields the records of handoffs. It passes over missing and damaged ones.
func Records(v *store.View, ids iter.Seq2[schemas.ID, error]) iter.Seq2[*store.Record, error] {
	return func(yield func(*store.Record, error) bool) {
		for id, err := range ids {
			r := (*store.Record)(nil)
			if err == nil {
				r = RecordOrNil(v, id)
			}
			if (r != nil || err != nil) && !yield(r, err) {
				return
			}
		}
	}
}

// MaxScanned is how many records or rows one transaction reads if it may pass over most of them.
const MaxScanned = 1_000

// Collect returns all values of an iterator. After an error it returns the values before it.
func Collect[T any](read iter.Seq2[T, error]) (all []T, err error) {
	for one, err := range read {
		if err != nil {
			return all, err
		}
		all = append(all, one)
	}
	return all, nil
}

// AtMost yields the first n values of an iterator, so that a scan takes a bounded time.
func AtMost[T any](n int, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		left := n
		for one, err := range all {
			if left--; left < 0 || !yield(one, err) {
				return
			}
		}
	}
}

// Handoff returns the message of a handoff with its amendments, and with facts that only the record has: its id, its
// place in the workflow, its attempts and its times. A deadline that the sender stated stays; otherwise it is the end
// of the timeout. The caller may change h, because each call decodes it anew. An erased message is a decoding error.
// The token estimate is for the message as it was sent, before anything is filled in.
func Handoff(v *store.View, r *store.Record) (h schemas.Handoff, err error) {
	b, err := v.RawContent(r.ID, r.Body)
	if err != nil {
		return h, err
	}
	if err := schemas.Decode(b, &h); err != nil {
		return h, fmt.Errorf("what was sent with %s: %w", r.ID, err)
	}
	h.ID = r.ID
	if a, err := v.Agent(h.Source.Agent); err == nil && a != nil { // else the server does not know the agent
		h.Source.Resembles = a.Resembles
	}
	h.Metadata.EstimatedTokens = content.Tokens(string(b))
	for i, ref := range schemas.OrZero(h.Context).References {
		if ref.IsKept() {
			h.Context.References[i].URL = content.URL(r.ID, ref.Name)
		}
	}
	h.Target = compose.Target(r.To, h.Target.Reason)
	m := &h.Metadata
	m.Workflow, m.Parent, m.Depth, m.RetryOf = r.Workflow, r.Parent, r.Depth, r.RetryOf
	m.Attempt, m.MaxAttempts, m.CreatedAt = r.Attempt, r.MaxAttempts, r.Created.Time()
	m.NotBefore = r.NotBefore.Ptr()
	if m.Deadline == nil { // else the sender's, which may be later than the timeout
		m.Deadline = r.Deadline.Ptr()
	}
	if h.Kind == "" && r.Parent == 0 && !workBefore(h.Context) {
		h.Kind = "assignment"
	}
	return h, nil
}

// workBefore tells whether the context mentions earlier work.
func workBefore(c *schemas.Context) bool {
	return c != nil && len(c.CompletedSteps)+len(c.Results)+len(c.PreviousFailures)+len(c.Artifacts) > 0
}

// Standing returns the standing of a handoff, with the last note of its holders and its open questions. Reason and
// LastSign stay empty: they need a [Reader]. It reads at most four contents and one event.
func Standing(v *store.View, r *store.Record) (st schemas.Standing, err error) {
	st = schemas.Standing{
		Status: r.Status, Box: r.Box, Holder: r.Holder, HolderID: r.HolderID, Attempt: r.Attempt,
		LeaseEnds: r.Lease.Ptr(), ClaimedAt: r.Claimed.Ptr(), EndedAt: r.Ended.Ptr(), Percent: r.Percent,
		AcceptedAt: r.Accepted.Ptr(), BlockedBy: listing.BlockedBy(r), Excluded: r.Excluded, Outcome: r.Outcome,
		Successor: r.Successor, Late: len(r.Late), Checkpoint: CheckpointID(r.Checkpoint),
	}
	if r.Status == schemas.Completed && r.Accepted == 0 {
		st.Reviewer = r.Reviewer
	}
	var claim schemas.Standing
	var note, asked schemas.UpdateIn
	st.Refused, err = CompletionRefusal(v, r)
	err = cmp.Or(v.DecodeContent(r.ID, r.Tree, &claim), err, v.DecodeContent(r.ID, r.Note, &note), v.DecodeContent(r.ID, r.Ask, &asked))
	if err != nil {
		return st, err
	}
	st.ClaimedIn, st.Note, st.Questions = claim.ClaimedIn, note.Note, asked.Questions
	if beside := QuestionNotes(asked); r.Status == schemas.Waiting && len(beside) > 0 {
		st.Note = strings.Join(beside, " ")
	}
	if !r.Status.Ended() {
		return st, nil
	}
	if r.Status == schemas.Completed {
		st.Percent = 0
	}
	if st.NotKept, err = LostContent(v, r); err != nil {
		return st, err
	}
	e, err := v.Event(r.Note)
	if e != nil && isNote(*e) { // after the end a report is history, but the reason of the end is not
		st.Note = ""
	}
	return st, err
}

// Base returns the commit with which checks compare the work of a handoff. In order of preference it is the commit that
// the sender or a person named, the sender's own commit, the base of earlier attempts, the commit at which the branch
// of the first claim left its target branch, and the commit of the first claim. It is empty before the first claim. It
// is [schemas.UnknownBase] if the first claim was made outside of a checkout, since a later claim may contain the work
// of the first.
func Base(v *store.View, r *store.Record) string {
	var sent schemas.Handoff
	var first schemas.Standing
	err := v.DecodeContent(r.ID, r.Body, &sent)
	base := cmp.Or(schemas.OrZero(sent.Expectations).Base, schemas.OrZero(sent.Tree).Commit, r.Base)
	switch {
	case err == nil && (base != "" || r.Claims == 0):
		return base
	case err != nil || r.Claims > 1 || v.DecodeContent(r.ID, r.Tree, &first) != nil: // from an older version
		return schemas.UnknownBase
	}
	in := schemas.OrZero(first.ClaimedIn)
	return cmp.Or(in.Base, in.Commit, schemas.UnknownBase)
}

// LostContent tells whether a retention deleted content of a handoff's message. Such work cannot be done again.
func LostContent(v *store.View, r *store.Record) (bool, error) {
	salted, err := v.HasSalt(r.Body)
	if err != nil || salted { // a sender may write the same field
		return false, err
	}
	var sent struct {
		Lessened bool `json:"not_kept"` // [schemas.NotKept]
	}
	err = v.DecodeContent(r.ID, r.Body, &sent)
	return sent.Lessened, err
}

// QuestionNotes returns the texts that a holder sent along with its questions: its note, if that is not the first
// question, and its estimate of the time after the answer.
func QuestionNotes(asked schemas.UpdateIn) (texts []string) {
	if asked.Note != "" && len(asked.Questions) > 0 && asked.Questions[0] != asked.Note {
		texts = append(texts, asked.Note)
	}
	if c := asked.Conditions; c != nil && c.EstimatedCompletion != "" {
		texts = append(texts, "Estimated completion: "+c.EstimatedCompletion+" after the answer.")
	}
	return texts
}

// AddOutcome adds the outcome of a handoff to an answer: the completion or the failure, and outcomes that came too
// late. It adds nothing for an open handoff, or one that the clock or a cancel ended. It reads one content for each
// late outcome, and one for the outcome that counts.
func AddOutcome(v *store.View, r *store.Record, out *schemas.GetOut) error {
	for _, n := range r.Late {
		var l schemas.Late
		if err := v.DecodeContent(r.ID, n, &l); err != nil {
			return err
		}
		out.Late = append(out.Late, l)
	}
	switch {
	case r.Result == 0:
		return nil
	case r.Outcome == schemas.Success || r.Outcome == schemas.Partial:
		out.Completion = &schemas.Completion{}
		if err := v.DecodeContent(r.ID, r.Result, out.Completion); err != nil {
			return err
		}
		seen, err := LaterSight(v, r)
		contract.AddObservations(out.Completion, seen)
		return err
	}
	out.Failure = &schemas.Failure{}
	return v.DecodeContent(r.ID, r.Result, out.Failure)
}

// LaterSight returns observations of the checks of completed work that were made after its completion.
func LaterSight(v *store.View, r *store.Record) (seen schemas.CheckReport, err error) {
	err = v.DecodeContent(r.ID, r.Observation, &seen)
	return seen, err
}

// CheckpointID returns the id of the checkpoint in an event: chk_ and the number of the event. So ids count up in the
// workspace, and a later checkpoint has a higher id. It is empty for event 0.
func CheckpointID(event uint64) string {
	if event == 0 {
		return ""
	}
	return fmt.Sprintf("chk_%d", event)
}

// Checkpoint returns the last checkpoint by a holder of the handoff, or of a handoff that it replaced; nil for none.
// The state in the sender's message is no checkpoint: a view shows it if there is none. After an error the value is
// undefined.
func Checkpoint(v *store.View, r *store.Record) (*schemas.Checkpoint, error) {
	if r.Checkpoint != 0 {
		var c schemas.Checkpoint
		return &c, v.DecodeContent(r.ID, r.Checkpoint, &c)
	}
	var sent schemas.Handoff
	err := v.DecodeContent(r.ID, r.Body, &sent)
	return schemas.OrZero(sent.Context).Checkpoint, err
}

// addCheckpoint puts the last checkpoint into the context of a handoff, for its next readers.
func addCheckpoint(v *store.View, r *store.Record, h *schemas.Handoff) error {
	last, err := Checkpoint(v, r)
	if last == nil || err != nil {
		return err
	}
	h.Context = cmp.Or(h.Context, &schemas.Context{})
	h.Context.Checkpoint = last
	return nil
}
