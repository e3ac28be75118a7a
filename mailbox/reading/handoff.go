// Package reading assembles the information about a handoff that the store holds: its message, its current state, its
// outcome, and the history of its workflow. Package mailbox answers calls with this information.
//
// Long texts such as messages and reports are stored with the event of the call that sent them. The record of a handoff
// has the numbers of these events. The functions of this package read a snapshot and write nothing. They apply no time
// rules and check no permissions, because package mailbox does both before. Their errors are about unreadable content,
// unless the comment of a function names other errors.
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

// FindHandoff returns the record of the handoff with an id as a caller wrote it: "ho_12", "12", another spelling such
// as HO-012, or an id of another system, see [findByForeignID]. The error is not_found for an unknown id. For the id of
// a notice the error says how to read the notice. The error is conflict if several senders used the same foreign id.
func FindHandoff(v *store.View, id string, by schemas.Agent) (*store.Record, error) {
	n, ok := schemas.ParseID(id)
	if !ok {
		r, err := findByForeignID(v, id, by)
		if r != nil || err != nil {
			return r, err
		}
		n = schemas.ParseLooseID(id)
	}
	r, err := v.Record(n)
	if r != nil || err != nil {
		return r, err
	}
	e := schemas.Errorf(schemas.NotFound, "there is no handoff %q", schemas.EscapeHidden(schemas.Clip(id, 80))).
		WithField("handoff_id")
	name, _ := schemas.ParseWorkflow("", id)
	wf, err := v.Workflow(name)
	switch {
	case err != nil:
		return nil, err
	case wf != nil:
		e = e.WithHint("That is a workflow: its handoffs are changed one by one.").
			WithNext(schemas.AdviseCall(schemas.HistoryIn{Workflow: string(name)}, "shows what is in it"),
				schemas.AdviseCall(schemas.ListIn{Box: "all", Workflow: string(name), Status: schemas.Open}, "lists what of it is open"))
	case strings.HasPrefix(id, "wf_"):
		e = unknownWorkflowError(v, name).WithField("handoff_id")
	case strings.HasPrefix(id, "no_"):
		e = e.WithHint("That is a notice: it is read, and a message may be answered.").
			WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: id}, "reads it"),
				schemas.AdviseCall(schemas.UpdateIn{HandoffID: id, Action: schemas.ActAnswer, Note: schemas.Blank}, "answers it, if it is a message"))
	case schemas.IsDuration(id):
		later := schemas.SendIn{To: schemas.Blank, Task: schemas.Blank, Options: &schemas.SendOptions{NotBefore: id}}
		e = e.WithHint("That is a time.").WithNext(schemas.AdviseCall(later, "sends work that begins then"))
	case isAgent(v, id):
		e = e.WithHint("That is an agent. Name the handoff first, by its id, such as ho_1.")
	default:
		if within := schemas.Unique(schemas.IDsWithin(id)); len(within) > 0 && !strings.EqualFold(within[0], id) {
			e = e.WithHint("Name one id alone: %s.", strings.Join(within, " or "))
		}
	}
	return nil, e
}

// isAgent reports whether the store knows an agent of this name. On an error it returns false.
func isAgent(v *store.View, name string) bool {
	a, _ := v.Agent(schemas.Agent(name))
	return a != nil
}

// findByForeignID returns the record of the handoff whose message has this id of another system, or the id of this task
// in a tracker, or nil if no handoff has the id. Several handoffs may have the same foreign id. So it prefers handoffs
// that the caller holds, then handoffs that the caller sent, then handoffs that were sent to the caller, and then open
// ones. If one sender sent all that are left, and all have ended, it takes the newest. Otherwise the error is conflict
// if several are left.
func findByForeignID(v *store.View, id string, by schemas.Agent) (*store.Record, error) {
	var all []*store.Record
	for n, err := range v.HandoffsWithOrigin(id) {
		r, unread := v.Record(n)
		if err = cmp.Or(err, unread); err != nil {
			return nil, err
		}
		if r != nil {
			all = append(all, r)
		}
	}
	for _, mine := range []func(*store.Record) bool{
		func(r *store.Record) bool { return r.Holder == by && r.Status.IsHeld() },
		func(r *store.Record) bool { return r.From == by },
		func(r *store.Record) bool { return r.To == schemas.Address(by) },
		func(r *store.Record) bool { return !r.Status.HasEnded() },
	} {
		if others := slices.DeleteFunc(slices.Clone(all), func(r *store.Record) bool { return !mine(r) }); len(others) > 0 {
			all = others
		}
	}
	newest := append(all, nil)[0] // nil if there is none
	if !slices.ContainsFunc(all, func(r *store.Record) bool { return r != newest && (r.From != newest.From || !r.Status.HasEnded()) }) {
		return newest, nil
	}
	ours := schemas.Map(all, func(r *store.Record) string { return fmt.Sprintf("%s from %s", r.ID, r.From) })
	return nil, schemas.Errorf(schemas.Conflict, "%q stands for several: %s", schemas.EscapeHidden(id), strings.Join(ours, ", ")).
		WithField("handoff_id").WithHint("Name it by our id.")
}

// RecordOrNil returns the record of a handoff, or nil if the handoff is missing or damaged. Callers that visit many
// handoffs use it, because one damaged record must not stop them. Callers that need the error use [store.View.Record].
func RecordOrNil(v *store.View, id schemas.ID) *store.Record {
	r, _ := v.Record(id) // nil with an error
	return r
}

// ReadableRecords yields the records of the handoffs with the given ids. It skips missing and damaged records.
func ReadableRecords(v *store.View, ids iter.Seq2[schemas.ID, error]) iter.Seq2[*store.Record, error] {
	return Records(ids, func(id schemas.ID) *store.Record { return RecordOrNil(v, id) })
}

// Records yields the records that `read` returns for the given ids. It skips an id for which `read` returns nil.
func Records(ids iter.Seq2[schemas.ID, error], read func(schemas.ID) *store.Record) iter.Seq2[*store.Record, error] {
	return func(yield func(*store.Record, error) bool) {
		for id, err := range ids {
			r := (*store.Record)(nil)
			if err == nil {
				r = read(id)
			}
			if (r != nil || err != nil) && !yield(r, err) {
				return
			}
		}
	}
}

// MaxScanned is the maximum number of records or rows that one transaction reads in a search.
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

// ReadHandoff returns the message of a handoff with its amendments, and with facts from the record: its id, its
// position in the workflow, its attempts and its times. If the sender stated no deadline, the deadline is the end of
// the timeout. Each call decodes a new value, which the caller may change. The error for an erased message is a
// decoding error. The estimate of tokens counts only the message as it was sent.
func ReadHandoff(v *store.View, r *store.Record) (h schemas.Handoff, err error) {
	b, err := v.RawContent(r.ID, r.Body)
	if err != nil {
		return h, err
	}
	if err := schemas.Decode(b, &h); err != nil {
		return h, fmt.Errorf("read the send of %s: %w: %w", r.ID, store.ErrCorrupt, err)
	}
	h.ID = r.ID
	if a, err := v.Agent(h.Source.Agent); err == nil && a != nil { // else the server does not know the agent
		h.Source.Resembles = a.Resembles
	}
	h.Metadata.EstimatedTokens = content.CountTokens(string(b))
	for i, ref := range schemas.ValueOrZero(h.Context).References {
		if ref.IsKept() {
			h.Context.References[i].URL = content.ContextURL(r.ID, ref.Name)
		}
	}
	h.Target = compose.TargetOf(r.To, h.Target.Reason)
	m := &h.Metadata
	m.Workflow, m.Parent, m.Depth, m.RetryOf = r.Workflow, r.Parent, r.Depth, r.RetryOf
	m.Attempt, m.MaxAttempts, m.CreatedAt = r.AttemptNumber(), r.MaxAttempts, r.Created.Time()
	m.NotBefore = r.NotBefore.Ptr()
	if m.Deadline == nil { // else the sender's, which may be later than the timeout
		m.Deadline = r.Deadline.Ptr()
	}
	if h.Kind == "" && r.Parent == 0 && !hasEarlierWork(h.Context) {
		h.Kind = "assignment"
	}
	return h, nil
}

// hasEarlierWork reports whether the context mentions earlier work.
func hasEarlierWork(c *schemas.Context) bool {
	return c != nil && len(c.CompletedSteps)+len(c.Results)+len(c.PreviousFailures)+len(c.Artifacts) > 0
}

// CurrentState returns the current state of a handoff with further facts, such as its holder, the end of the lease, the
// last note of a holder, and open questions. It leaves the fields Reason and LastSign empty, because only a [Reader]
// can fill these fields.
func CurrentState(v *store.View, r *store.Record) (st schemas.HandoffState, err error) {
	st = schemas.HandoffState{
		Status: r.Status, Box: r.Box, Holder: r.Holder, HolderID: r.HolderID, Attempt: r.AttemptNumber(),
		LeaseEnds: r.Lease.Ptr(), ClaimedAt: r.Claimed.Ptr(), EndedAt: r.Ended.Ptr(), Percent: r.Percent,
		AcceptedAt: r.Accepted.Ptr(), BlockedBy: listing.BlockerTexts(r), Excluded: r.Excluded, Outcome: r.Outcome,
		Successor: r.Successor, Late: len(r.Late), Checkpoint: CheckpointID(r.Checkpoint),
	}
	if r.Status == schemas.Completed && r.Accepted == 0 {
		st.Reviewer = r.Reviewer
	}
	var claim schemas.HandoffState
	var note, asked schemas.UpdateIn
	st.Refused, err = CompletionRefusalReason(v, r)
	err = cmp.Or(v.DecodeContent(r.ID, r.Tree, &claim), err, v.DecodeContent(r.ID, r.Note, &note), v.DecodeContent(r.ID, r.Ask, &asked))
	if err != nil {
		return st, err
	}
	if st.ClaimedIn, err = newestTree(v, r, claim.ClaimedIn); err != nil {
		return st, err
	}
	st.Note, st.Questions = note.Note, asked.Questions
	if beside := QuestionNotes(asked); r.Status == schemas.Waiting && len(beside) > 0 {
		st.Note = strings.Join(beside, " ")
	}
	if !r.Status.HasEnded() {
		return st, nil
	}
	if r.Status == schemas.Completed {
		st.Percent = 0
	}
	if st.NotKept, err = HasExpiredContent(v, r); err != nil {
		return st, err
	}
	e, err := v.Event(r.Note)
	if e != nil && isHolderReport(*e) { // after the end a report is history, but the reason of the end is not
		st.Note = ""
	}
	return st, err
}

// newestTree returns the tree of a claim with the uncommitted files that the holder's process saw last. A claim does not
// wait for them, see [schemas.NotLookedYet].
func newestTree(v *store.View, r *store.Record, claimed *schemas.Tree) (*schemas.Tree, error) {
	t, err := v.TouchedFiles(r.ID)
	if err != nil || claimed == nil || t.SeenAt.IsZero() || t.Claims != r.Claims || t.Path != claimed.Path {
		return claimed, err
	}
	newest := *claimed
	newest.Uncommitted, newest.SeenAt, newest.Unknown, newest.More = t.Loose, &t.SeenAt, "", 0
	return newest.Summary(), nil
}

// BaseCommit returns the commit with which checks compare the work of a handoff. It is the first existing commit of
// this list:
//   - the commit that the sender or a person named as the base
//   - the commit of the sender's working tree
//   - the base of earlier attempts
//   - the commit at which the branch of the first claim left its target branch
//   - the commit of the first claim
//
// BaseCommit returns "" before the first claim, and [schemas.UnknownBase] if the first claim was made outside of a
// checkout. The commit of a later claim is no base, because it may contain the work of the first holder.
func BaseCommit(v *store.View, r *store.Record) string {
	var sent schemas.Handoff
	var first schemas.HandoffState
	err := v.DecodeContent(r.ID, r.Body, &sent)
	base := cmp.Or(schemas.ValueOrZero(sent.Expectations).Base, schemas.ValueOrZero(sent.Tree).Commit, r.Base)
	switch {
	case err == nil && (base != "" || r.Claims == 0):
		return base
	case err != nil || r.Claims > 1 || v.DecodeContent(r.ID, r.Tree, &first) != nil: // from an older version
		return schemas.UnknownBase
	}
	in := schemas.ValueOrZero(first.ClaimedIn)
	return cmp.Or(in.Base, in.Commit, schemas.UnknownBase)
}

// HasExpiredContent reports whether content of a handoff's message was deleted because the time for which the workspace
// keeps content is over. A handoff with an incomplete message cannot be sent again.
func HasExpiredContent(v *store.View, r *store.Record) (bool, error) {
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

// QuestionNotes returns the texts that a holder sent together with its questions: its note, and its estimate of how
// long the work takes after the answer. It omits a note that repeats the first question.
func QuestionNotes(asked schemas.UpdateIn) (texts []string) {
	if asked.Note != "" && len(asked.Questions) > 0 && asked.Questions[0] != asked.Note {
		texts = append(texts, asked.Note)
	}
	if c := asked.Conditions; c != nil && c.EstimatedCompletion != "" {
		texts = append(texts, "Estimated completion: "+c.EstimatedCompletion+" after the answer.")
	}
	return texts
}

// AddOutcome adds the outcome of a handoff to an answer: the completion or the failure, and all late outcomes (outcomes
// that arrived after their claim was lost). A handoff that is open, timed out or cancelled has neither a completion nor
// a failure.
func AddOutcome(v *store.View, r *store.Record, out *schemas.GetOut) error {
	for _, n := range r.Late {
		var l schemas.LateResult
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
		seen, err := LaterObservations(v, r)
		contract.AddObservations(out.Completion, seen)
		return err
	}
	out.Failure = &schemas.Failure{}
	return v.DecodeContent(r.ID, r.Result, out.Failure)
}

// LaterObservations returns the results of checks that ran after the completion of the work, or the zero value if no
// check ran.
func LaterObservations(v *store.View, r *store.Record) (seen schemas.CheckReport, err error) {
	err = v.DecodeContent(r.ID, r.Observation, &seen)
	return seen, err
}

// CheckpointID returns the id of a checkpoint: chk_ and the number of the event that stored the checkpoint ("chk_17").
// So a later checkpoint has a higher number. It returns "" for event 0.
func CheckpointID(event uint64) string {
	if event == 0 {
		return ""
	}
	return fmt.Sprintf("chk_%d", event)
}

// LastCheckpoint returns the last checkpoint that a holder of the handoff, or of a handoff that it replaced, has
// stored. It returns nil if no holder stored one. The state in the sender's message does not count as a checkpoint.
// After an error the value is undefined.
func LastCheckpoint(v *store.View, r *store.Record) (*schemas.Checkpoint, error) {
	if r.Checkpoint != 0 {
		var c schemas.Checkpoint
		return &c, v.DecodeContent(r.ID, r.Checkpoint, &c)
	}
	var sent schemas.Handoff
	err := v.DecodeContent(r.ID, r.Body, &sent)
	return schemas.ValueOrZero(sent.Context).Checkpoint, err
}

// CheckpointToRestore returns the checkpoint from which another agent does the work of r again: the last checkpoint of
// its holders, or else the checkpoint that its sender named, with the state that was sent along. It returns nil if there
// is neither.
func CheckpointToRestore(v *store.View, r *store.Record) (*schemas.Checkpoint, error) {
	last, err := LastCheckpoint(v, r)
	if last != nil || err != nil || r.Status == schemas.Returned { // a rework goes on from the result
		return last, err
	}
	var sent schemas.Handoff
	err = v.DecodeContent(r.ID, r.Body, &sent)
	if id := schemas.ValueOrZero(sent.Rollback).CheckpointID; id != "" {
		return &schemas.Checkpoint{ID: id, State: schemas.ValueOrZero(sent.Context).State}, err
	}
	return nil, err
}

// addLastCheckpoint puts the last checkpoint into the context of a handoff's message, so that the next holder gets it
// with the message.
func addLastCheckpoint(v *store.View, r *store.Record, h *schemas.Handoff) error {
	last, err := LastCheckpoint(v, r)
	if last == nil || err != nil {
		return err
	}
	h.Context = cmp.Or(h.Context, &schemas.Context{})
	h.Context.Checkpoint = last
	return nil
}
