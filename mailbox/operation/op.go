package operation

import (
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/longpoll"
	"handoff/mailbox/offer"
	"handoff/mailbox/reading"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Op is one operation inside one transaction, with its caller and its time. [Engine.Update] makes a new Op each time
// the store runs the transaction. The methods of an Op may be called only during the transaction, by one goroutine.
//
// An operation finds its record with [Op.FindHandoff]. [Op.ApplyAction] checks whether the action is allowed and
// returns a changed copy of the record. [Op.Commit] stores the copy. [Op.RunConsequences] carries out the consequences
// of all stored changes. Op hides the transaction, so the compiler ensures three rules:
//   - Only Commit changes a record, and Commit writes the event of the change in the same transaction. So the number of
//     a record's newest event is the version of the record.
//   - The operation collects wakeups, see [Op.WakeAfterCommit]. The engine sends the wakeups after the commit.
//   - Code that has only an Op never reads outside of its transaction, where the code would not see its own writes.
//
// Users of the type have to follow two further rules. A function that is passed to the engine must not call an engine.
// A record must not be changed through the same pointer after its commit.
type Op struct {
	*store.RowTx // reads of the transaction, and writes that need no event of a handoff

	By     schemas.Caller
	Now    time.Time
	Leases LeasesAt // judges claims at Now
	Timed  bool     // the clock is acting now
	Rules  Rules    // the methods of package mailbox that the engine calls in this operation

	tx  *store.Tx
	env *Engine

	self       *store.Agent    // the row of the caller, once it was read
	changes    []*RecordChange // their consequences are still to be carried out
	visitsLeft int             // how many other handoffs consequences may still visit
	moreDue    bool            // more is due than one operation applies
	moreToCut  bool            // [Op.cutFutureTimes] has more to cut
	commitEffects

	skipReceipt      bool  // store no receipt
	skipAnnouncement bool  // wake no waiting call
	refusal          error // the error that the caller gets although the transaction is committed
}

// useTransaction makes the operation use a transaction.
func (o *Op) useTransaction(tx *store.Tx) { o.tx, o.RowTx = tx, &tx.RowTx }

// NewHandoffID returns the id of the next handoff of the workspace. Ids count up.
func (o *Op) NewHandoffID() (schemas.ID, error) { return o.tx.NewID() }

// Presence returns the agents and connections that are present now.
func (o *Op) Presence() sessions.Presence { return o.env.Here }

// Offers returns the rules about who may claim what, over the transaction's view.
func (o *Op) Offers() offer.Offers { return offer.Offers{View: o.View, Here: o.env.Here} }

// CommitWithError lets the operation commit its changes although the caller gets err as the result. For example, the
// server stores an outcome that came too late, and tells the agent that its claim is lost. Any other error undoes the
// whole transaction.
func (o *Op) CommitWithError(err error) { o.refusal = err }

// SkipReceipt makes sure that the result of the operation is not stored under the request id of the call. An operation
// that changed nothing calls it. Then a repeat of the call runs the operation again.
func (o *Op) SkipReceipt() { o.skipReceipt = true }

// SkipAnnouncement makes the engine wake no waiting call after the commit. Then the caller of the engine announces the
// operation, after it has changed what it keeps outside of the store. So a woken call sees both changes.
func (o *Op) SkipAnnouncement() { o.skipAnnouncement = true }

// commitEffects collects facts that the engine reports after the commit to waiting calls and to the tracker of present
// agents. The values exist only during one run of the transaction. If a part of the operation is undone, see
// [Op.TryPart], the effects of the part are dropped. No waiter misses a change if the process dies before the report,
// because waiters of other processes read the store again when they reach the next owner.
type commitEffects struct {
	last     uint64                    // the newest event
	wrote    bool                      // waiters have something new to see
	wakes    longpoll.OperationEffects // for which waiters it is new
	voided   []string                  // tokens of claims that ended
	deferred bool                      // a handoff has deferred consequences
}

// WakeAfterCommit makes the server wake waiting calls after the commit: all calls that wait for any change, and the
// calls that wait for mail to these addresses.
func (o *Op) WakeAfterCommit(boxes ...schemas.Address) {
	o.wrote, o.wakes.Boxes = true, append(o.wakes.Boxes, boxes...)
}

// ResumeConsequencesLater makes the engine carry out deferred consequences in later transactions of the current call.
// Their handoffs are due at once, see [NextChangeTime].
func (o *Op) ResumeConsequencesLater() { o.deferred = true }

// ClockCaller is the caller of all work that the server does by itself, for example changes that are due by time and
// deferred consequences. The rules about permitted actions treat this caller as [life.Clock] only.
var ClockCaller = schemas.Caller{Agent: schemas.System, Via: schemas.ViaClock}

// RunAs runs fn in the name of another caller. Events and notices of fn name that caller, and permission checks in fn
// are about that caller. RunAs restores the original caller when it returns, also after an error or a panic.
func (o *Op) RunAs(by schemas.Caller, fn func() error) error {
	was := o.By
	defer func() { o.By = was }()
	o.By = by
	return fn()
}

// FindHandoff returns the record of the handoff with an id as a caller wrote it, see [reading.FindHandoff]. FindHandoff
// first applies all changes of this handoff that are due by time. So no caller acts on a claim that has ended or on a
// handoff whose deadline has passed.
func (o *Op) FindHandoff(id string) (*store.Record, error) {
	r, err := reading.FindHandoff(o.View, id, o.By.Agent)
	if err != nil {
		return nil, err
	}
	return o.bringUpToDate(r)
}

// Commit stores a changed record together with its event. It keeps h for [Op.RunConsequences], which carries out the
// consequences of the change later in the same transaction. Commit computes when the record next has to change because
// of time, and collects the waiting calls to wake. The caller must not change the record after Commit.
//
// The field Was must hold the stored record, and not a copy that a caller changed, because the store writes only index
// rows that differ between Was and Now.
//
// A caller may store the number from [Op.NextEventNumber] in the record. Then this Commit must be the next write of an
// event, because another event would take the number.
func (o *Op) Commit(h *RecordChange) error {
	content, err := store.EncodeContent(h.Content, o.env.NewID)
	if err != nil {
		return err
	}
	if h.ContentName != "" {
		if err := schemas.CheckBytes(h.ContentName, len(content.Bytes), o.env.Limits.Handoff); err != nil {
			return err
		}
	}
	h.By = o.By
	if err := o.Rules.BeforeWrite(h); err != nil {
		return err
	}
	h.Now.Counted = h.Now.Counted || reading.IsDoneWell(h.Now) || h.Was != nil && reading.IsDoneWell(h.Was)
	if !h.Now.Status.IsHeld() {
		h.Now.SilentAt = 0
	}
	h.Now.Wakes = NextChangeTime(h.Now)
	if o.last, err = o.tx.WriteChange(h.Was, h.Now, o.newEvent(h), content); err != nil {
		return err
	}
	if isWithoutFiles(h) {
		if err := o.DeleteTouchedFiles(h.Now.ID); err != nil {
			return err
		}
	}
	h.Stored = content
	o.collectEffects(h.Was, h.Now)
	if err := o.Rules.AfterWrite(h); err != nil {
		return err
	}
	o.changes = append(o.changes, h)
	return nil
}

// isWithoutFiles reports whether the files that the work touched no longer count after a change: its claim ended without
// a completion. An answer ends a claim, too, but then the holder usually goes on.
func isWithoutFiles(h *RecordChange) bool {
	dropped := h.Was != nil && h.Was.Status.IsHeld() && h.Now.Status == schemas.Pending && h.Action != life.Answer
	return dropped || h.Now.Status.HasEnded() && h.Now.Status != schemas.Completed
}

// newEvent returns the event about a change for the registry: the action, the state before and after, the attempt, and
// the other handoff that is involved. For a reserved handoff the event names the agent of the reservation. If the
// handoff now needs the approval or the permission of a person, the event says which of the two. For a change by the
// clock, the event has the due time and the seconds that the machine slept since the last event.
func (o *Op) newEvent(h *RecordChange) schemas.Event {
	e := schemas.Event{Other: h.Other, Due: h.Due.Time(), To: h.Now.Status, Attempt: h.Now.Attempt}
	o.fillEventHeader(&e, h.Action)
	switch {
	case conditions[life.NeedsApproval](h):
		e.Needs = schemas.NeedsApproval
	case h.Action == life.Ask && h.Now.Permission:
		e.Needs = schemas.NeedsPermission
	}
	if IsReservedForFirstNotified(h.Now) && (h.Was == nil || h.Was.Box != h.Now.Box) {
		e.For = schemas.Agent(h.Now.Box)
	}
	if h.Was == nil {
		return e
	}
	if e.From = h.Was.Status; e.Via == schemas.ViaClock {
		e.Asleep = int(o.Leases.SleptSinceLastEvent(o.View, h.Was).Seconds())
	}
	return e
}

// collectEffects collects the effects of one changed record: the mailbox in which work may be claimed now, the time of
// the record's next change by the clock, a claim token that became void, and an agent that holds one handoff less.
func (o *Op) collectEffects(was, now *store.Record) {
	o.wrote = true
	if now.IsClaimable() {
		o.wakes.Boxes = append(o.wakes.Boxes, now.Box)
	}
	if due := now.Wakes.Time(); now.Wakes != 0 && (o.wakes.Due.IsZero() || due.Before(o.wakes.Due)) {
		o.wakes.Due = due
	}
	if was == nil || !was.Status.IsHeld() {
		return
	}
	if now.Token != was.Token || !now.Status.IsHeld() {
		o.voided = append(o.voided, was.Token)
	}
	if !now.Status.IsHeld() { // the holder may claim more now, if its card limits what it holds
		o.wakes.Freed = append(o.wakes.Freed, was.Holder)
	}
}

// RecordEvent stores an event that concerns no handoff, for example about a registration or a bearer token, with its
// content. The content must hold no secret. RecordEvent changes no record and has no consequence. After the commit the
// server wakes the calls that wait for new events.
func (o *Op) RecordEvent(a life.Action, said any) error {
	content, err := store.EncodeContent(said, o.env.NewID)
	if err != nil {
		return err
	}
	var e schemas.Event
	o.fillEventHeader(&e, a)
	o.last, err = o.tx.WriteChange(nil, nil, e, content)
	o.wrote = true
	o.wakes.Regrouped = o.wakes.Regrouped || a == life.Register
	return err
}

// fillEventHeader sets the action, the time, the caller and the proof of the caller in an event. The proof says how a
// caller proved to be a person, and is empty for other callers. Inside [Op.RunAs] the caller is the other caller.
func (o *Op) fillEventHeader(e *schemas.Event, a life.Action) {
	e.Action, e.At = string(a), o.Now
	e.Agent, e.AgentID, e.Via, e.Token, e.Trace = o.By.Agent, o.By.AgentID, o.By.Via, o.By.Token, o.By.Trace
	e.Proof = o.By.Proof
}

// CallerSource returns the source of a message by the caller.
func (o *Op) CallerSource() schemas.Source {
	return schemas.Source{Agent: o.By.Agent, AgentID: o.By.AgentID}
}

// ChangeRecord applies an action to a record and commits the changed record. The function `alter` changes all fields
// except the state. The errors are the errors of [Op.ApplyAction].
func (o *Op) ChangeRecord(h *RecordChange, r *store.Record, alter func(now *store.Record)) error {
	_, err := o.ChangeRecordWithNote(h, r, schemas.UpdateIn{}, alter)
	return err
}

// ChangeRecordWithNote is [Op.ChangeRecord] for an action that may have a note. If `said` has a note, the record points
// to this note. If `said` has no note, the record keeps its last note, and the event holds only the recipient and the
// working tree of `said`. It returns the changed record.
func (o *Op) ChangeRecordWithNote(
	h *RecordChange, r *store.Record, said schemas.UpdateIn, alter func(now *store.Record),
) (*store.Record, error) {
	now, err := o.ApplyAction(h.Action, r)
	if err != nil {
		return nil, err
	}
	alter(&now)
	if said.Note != "" {
		now.Note = o.NextEventNumber()
	}
	if said.Note != "" || said.To != "" || said.Tree != nil {
		h.Content = said
	}
	h.Was, h.Now = r, &now
	return &now, o.Commit(h)
}

// NextEventNumber returns the number that the next event of this operation will get. Callers store the number in a
// record that points to the content of that event. Event numbers have no gaps.
func (o *Op) NextEventNumber() uint64 { return o.last + 1 }
