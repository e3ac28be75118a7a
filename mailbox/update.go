package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Update takes one of the smaller actions on a handoff. Its holder calls progress, ask and release. Its sender, the
// owner of its workflow or a person calls answer, amend, cancel, accept, return and retry. A person calls approve and
// refuse. The action of the same name in package life documents the states, consequences, errors and repetition of each
// action.
//
// Cancel with the id of a message takes the message back, see [life.Recall]. Answer with the id of a message replies to
// it, see [op.replyToNotice].
//
// Every action takes a note of 4 KiB at most, which is kept with its event. A holder proves its claim as in
// [Service.Complete]. The result has the state and the end of the lease after the action. For retry and return it has
// the created handoff, for cancel the children, which go on, and for amend the changed fields.
//
// Errors:
//   - invalid: an unknown action; a missing argument; an argument that the action does not use; a missing claim token.
//   - not_found: no handoff has the id; for amend and release, no agent has the name of the new recipient.
//   - conflict: the state does not allow the action. The error names the successor of the handoff.
//   - denied: the caller has none of the roles that may take the action.
//   - stale: the claim was lost.
//   - limit: a text or the chain of parents is too long; the caller's token has its largest number of pending handoffs.
//
// A repeated call with the same request id gets the first result. If the process dies during the call, the store has
// the action and all consequences, or nothing.
func (s *Service) Update(ctx context.Context, by schemas.Caller, in schemas.UpdateIn) (schemas.UpdateOut, error) {
	action, err := s.updateActionFor(in)
	if err != nil {
		return schemas.UpdateOut{}, err
	}
	return mutate(ctx, s, by, func(o *op) (out schemas.UpdateOut, err error) {
		id := in.HandoffID
		switch notice := strings.HasPrefix(id, "no_"); {
		case notice && in.Action == schemas.ActCancel:
			return o.recallMessage(in)
		case notice && in.Action == schemas.ActAnswer:
			if out, id, err = o.replyToNotice(in); id == "" || err != nil {
				return out, err
			}
		}
		r, err := o.FindHandoff(id)
		if err != nil {
			return out, err
		}
		now, err := action.do(o, r, in, &out)
		if err != nil {
			return out, err
		}
		if r.ReviewOf != 0 && now.Status.HasEnded() {
			if err := o.reportNextReviewer(r, &out); err != nil {
				return out, err
			}
		}
		out.HandoffID, out.Status, out.Action = now.ID, now.Status, in.Action
		out.LeaseEnds = now.Lease.Ptr()
		if action.judges { // the caller acted on the notices
			err = o.markNoticesRead(r.ID, o.By.Agent)
		}
		return out, err
	})
}

// updateActionFor returns the action of a call. It refuses an unknown action, and arguments that the action does not
// use.
func (s *Service) updateActionFor(in schemas.UpdateIn) (action updateAction, err error) {
	if err := schemas.CheckBytes("note", len(in.Note), s.Limits.Task); err != nil {
		return action, err
	}
	action, ok := updateActions[in.Action]
	if !ok {
		return action, schemas.Invalidf("action", "%q is not an action", schemas.EscapeHidden(string(in.Action)))
	}
	return action, refuseUnusedArguments(in, action.uses)
}

// updateAction is an action of [Service.Update]. The function `do` commits the action, returns the new record, and sets
// the fields of the result that only this action has. It may run twice with the same input, so it does not change the
// input.
//
// The action uses the arguments in `uses`. The note and the claim token are not listed, because they are never refused.
// The entry "changes" stands for all changes except the checkpoint. An action that judges decides about a handoff, so
// that the caller's notices about the handoff count as read.
type updateAction struct {
	do     func(*op, *store.Record, schemas.UpdateIn, *schemas.UpdateOut) (*store.Record, error)
	uses   []string
	judges bool
}

var updateActions = map[schemas.Action]updateAction{
	schemas.ActProgress: {do: (*op).reportProgress, uses: []string{"percent", "changes.checkpoint"}},
	schemas.ActAsk:      {do: (*op).ask, uses: []string{"questions", "conditions", "changes.checkpoint"}},
	schemas.ActAnswer:   {do: (*op).answer, uses: []string{"changes"}},
	schemas.ActRelease:  {do: (*op).releaseTo, uses: []string{"to", "changes.checkpoint"}},
	schemas.ActAmend:    {do: (*op).amend, uses: []string{"to", "changes"}},
	schemas.ActCancel:   {do: (*op).cancel, judges: true},
	schemas.ActRetry:    {do: (*op).retry, uses: []string{"to", "changes"}, judges: true},
	schemas.ActAccept:   {do: (*op).accept, judges: true},
	schemas.ActReturn:   {do: (*op).returnWork, uses: []string{"to", "changes"}, judges: true},
	schemas.ActApprove:  {do: (*op).approveOrRefuse, judges: true},
	schemas.ActRefuse:   {do: (*op).approveOrRefuse, judges: true},
}

// noteOnly returns the content of the event for a call that has only a note.
func noteOnly(in schemas.UpdateIn) schemas.UpdateIn {
	return schemas.UpdateIn{Action: in.Action, Note: in.Note}
}

// approveOrRefuse carries out [life.Approve] or [life.Refuse]. The event keeps the note, and the sender gets it. The
// error is conflict for a handoff that does not wait for approval, so a person cannot decide twice.
func (o *op) approveOrRefuse(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	decided := &operation.RecordChange{Action: life.Approve, Text: in.Note}
	if in.Action == schemas.ActRefuse {
		decided = requestNextReviewer(&operation.RecordChange{Action: life.Refuse, Text: "Not approved. " + in.Note}, r)
	}
	if !r.NeedsApproval && r.Status == schemas.Pending {
		return nil, operation.ConflictError(r, "%s does not wait for approval", r.ID).
			WithHint("Only a handoff that waits for approval can be %s.", decided.Action)
	}
	return o.ChangeRecordWithNote(decided, r, noteOnly(in), func(now *store.Record) {
		if in.Action == schemas.ActApprove {
			now.NeedsApproval, out.To = false, now.To
			return
		}
		o.EndRecord(now)
		now.Outcome = schemas.OutcomeRejected
	})
}

// cancel ends a handoff that is no longer wanted, see [life.Cancel]. A handoff that ended badly is dismissed instead,
// see [life.Dismiss]. The result lists open descendants. They go on until the caller cancels each of them. For a
// handoff that cannot be cancelled any more, the error lists its open descendants.
func (o *op) cancel(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (_ *store.Record, err error) {
	if out.Children, err = o.openDescendants(r); err != nil {
		return nil, err
	}
	if hasEndedBadly(r) && r.Successor == 0 && r.Dismissed == 0 || r.Status == schemas.Completed && r.FileAwaitingPermission() != "" {
		out.Warnings = append(out.Warnings, fmt.Sprintf("it stays %s, and no agent will continue it", r.Status))
		text := fmt.Sprintf("%s decided that nobody goes on with it. %s", o.By.Agent, in.Note)
		return o.ChangeRecordWithNote(&operation.RecordChange{Action: life.Dismiss, Text: text}, r, noteOnly(in), func(now *store.Record) {
			now.Dismissed = store.TimeOf(o.Now)
			now.Owes = slices.DeleteFunc(now.Owes, func(debt store.OpenConsequence) bool { return debt.Leave != "" })
		})
	}
	if _, err := o.ApplyAction(life.Cancel, r); err != nil && r.Status.HasEnded() && len(out.Children) > 0 {
		return nil, schemas.AsError(err).WithHint("%d below it are open: cancel each that nobody needs.", len(out.Children)).
			WithChoices(schemas.FormatAll(out.Children)...)
	}
	text := fmt.Sprintf("Cancelled by %s. %s", o.By.Agent, in.Note)
	return o.ChangeRecordWithNote(requestNextReviewer(&operation.RecordChange{Action: life.Cancel, Text: text}, r), r, noteOnly(in), o.EndRecord)
}

// hasEndedBadly reports whether a handoff ended without success, so that its sender may want the work to go on.
func hasEndedBadly(r *store.Record) bool {
	return r.Status == schemas.Failed || r.Status == schemas.Rejected || r.Status == schemas.TimedOut
}

// openDescendants returns the open handoffs among the first [reading.MaxScanned] descendants of a handoff, parents
// before their children. It leaves out handoffs that cannot be read.
func (o *op) openDescendants(r *store.Record) (open []schemas.ID, err error) {
	below := []schemas.ID{r.ID}
	for i := 0; i < min(len(below), reading.MaxScanned); i++ {
		for id, err := range o.OldestFirst(store.IndexByParent(below[i]), 0) {
			if err != nil {
				return nil, err
			}
			below = append(below, id)
			if child := reading.RecordOrNil(o.View, id); child != nil && !child.Status.HasEnded() {
				open = append(open, id)
			}
		}
	}
	return open, nil
}

// isOpenQuestionToHuman reports whether a handoff waits for human. The next holder of the work needs the answer, too.
func isOpenQuestionToHuman(r *store.Record) bool {
	return r.Status == schemas.Pending && r.To == schemas.Address(schemas.Human)
}

// openPartsText names the open parts that the holder of a handoff sent, with their states. It returns "" if there are
// none. If onlyClaimed is set, it leaves out the parts that [op.cancelUnclaimedPart] cancels.
func (o *op) openPartsText(r *store.Record, onlyClaimed bool) (string, error) {
	open, err := o.openDescendants(r)
	parts := slices.DeleteFunc(schemas.Map(open, func(id schemas.ID) string {
		part := reading.RecordOrNil(o.View, id)
		if part.Parent != r.ID || part.From != r.Holder || onlyClaimed && part.Claims == 0 && !isOpenQuestionToHuman(part) {
			return ""
		}
		return fmt.Sprintf("%s %s", id, part.Status)
	}), func(text string) bool { return text == "" })
	if len(parts) == 0 {
		return "", err
	}
	return fmt.Sprintf("%s still open: %s", schemas.CountNoun(len(parts), "part"), strings.Join(parts, ", ")), err
}

// cancelUnclaimedPart cancels a handoff that the holder of a failed handoff sent, if no agent ever claimed it. A
// claimed part goes on, because its work may still be useful. So does a question to human, see
// [op.describeHeldParts].
func (o *op) cancelUnclaimedPart(part, failed *store.Record) error {
	if part.Status != schemas.Pending || part.Claims > 0 || part.From != failed.Holder || isOpenQuestionToHuman(part) {
		return nil
	}
	text := failed.ID.String() + ", of which it was a part, failed."
	return o.ChangeRecord(&operation.RecordChange{Action: life.Cancel, Other: failed.ID, Text: text}, part, o.EndRecord)
}

// reportProgress records the progress of the holder, and renews the lease, see [life.Progress]. It withdraws open
// questions. A checkpoint in the call becomes a separate event of the same transaction. A percentage of zero keeps the
// last percentage.
func (o *op) reportProgress(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if err := o.checkHolderAction(life.Progress, r, in.Token); err != nil {
		return nil, err
	}
	r, err := o.saveGivenCheckpoint(r, in, out)
	if err != nil {
		return nil, err
	}
	said := schemas.UpdateIn{Action: in.Action, Note: in.Note, Percent: in.Percent, Tree: o.By.Tree.Summary()}
	now, err := o.ChangeRecordWithNote(&operation.RecordChange{Action: life.Progress}, r, said, func(now *store.Record) {
		now.Percent = cmp.Or(in.Percent, now.Percent)
		now.Ask, now.Asker, now.Permission = 0, "", false
		o.Leases.RestartLease(now)
	})
	if err == nil {
		out.Warnings, err = o.overlaps.RecordFiles(o.Op, now)
	}
	if r.Status == schemas.Waiting && !r.Permission {
		out.Warnings = append(out.Warnings, "your open question is withdrawn: ask again if you still need the answer")
	}
	reader, unread := reading.AgentToNotify(o.View, r)
	out.Reader = reader
	return now, cmp.Or(err, unread)
}

// saveGivenCheckpoint stores the checkpoint that came with an action, and returns the record as it is then.
func (o *op) saveGivenCheckpoint(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	c := schemas.ValueOrZero(in.Changes).Checkpoint
	if c == nil {
		return r, nil
	}
	kept, err := o.saveCheckpoint(r, c)
	if err != nil {
		return nil, prefixChangesField(err)
	}
	out.Checkpoint = reading.CheckpointID(kept.Checkpoint)
	return kept, nil
}

// saveCheckpoint merges a checkpoint into the last checkpoint of the work, see [compose.MergeCheckpoints], and stores
// the result. It returns the record that names the new checkpoint. For nil it stores nothing and returns the record
// unchanged. The error is limit if the checkpoint is larger than a handoff may be. Earlier checkpoints stay with their
// events.
func (o *op) saveCheckpoint(r *store.Record, c *schemas.Checkpoint) (*store.Record, error) {
	if c == nil {
		return r, nil
	}
	last, err := reading.LastCheckpoint(o.View, r)
	if err != nil {
		return nil, err
	}
	kept := compose.MergeCheckpoints(schemas.ValueOrZero(last), *c)
	kept.ID = cmp.Or(c.ID, reading.CheckpointID(o.NextEventNumber()))
	marked := &operation.RecordChange{Action: life.Mark, Content: kept, ContentName: "checkpoint"}
	return o.ChangeRecordWithNote(marked, r, schemas.UpdateIn{}, func(now *store.Record) { now.Checkpoint = o.NextEventNumber() })
}

// refuseUnusedArguments refuses an argument that the action of a call does not use, because the caller would believe
// that the argument has an effect.
func refuseUnusedArguments(in schemas.UpdateIn, used []string) error {
	changes := schemas.ValueOrZero(in.Changes)
	checkpoint := changes.Checkpoint
	changes.Checkpoint = nil
	for _, given := range []struct {
		field   string
		is      bool
		instead string
	}{
		{"percent", in.Percent != 0, "Report it with progress."},
		{"questions", len(in.Questions) > 0, "Ask with the action ask."},
		{"conditions", in.Conditions != nil, "Ask with the action ask."},
		{"to", in.To != "", "release, amend, return and retry have a new recipient. A question goes to the agent that answers for " +
			"the work; ask others with a message."},
		{"changes.checkpoint", checkpoint != nil, "progress, ask and release keep a checkpoint."},
		{"changes", !reflect.ValueOf(changes).IsZero(), "amend changes a handoff, return and retry the new one, and answer " +
			"what is asked for: its sender may, the owner of the workflow, and a person."},
	} {
		if given.is && !slices.Contains(used, given.field) {
			return schemas.Invalidf(given.field, "%s has no use for it", in.Action).
				WithHint("%s Nothing was changed.", given.instead)
		}
	}
	return nil
}
