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

// Op is one operation inside one transaction, with its caller and its time. [Engine.Update] makes it anew each time the
// store runs the transaction, so a second run keeps nothing of the first. Its methods may be called only while the
// transaction lasts, by one goroutine.
//
// An operation finds its record with [Op.Find], makes a changed copy with [Op.ApplyAction], which checks whether the action is
// allowed, and stores the copy with [Op.Commit]. [Op.RunConsequences] carries out the consequences of all stored
// changes. The type hides the transaction, so the compiler ensures that
//   - only Commit changes a record, and writes its event in the same transaction. So the registry has every change, and
//     the number of a record's newest event is its version.
//   - wakeups are collected, see [Op.WakeAfterCommit], and sent after the commit.
//   - code that has only an Op never reads past its transaction, where it would not see its own writes.
//
// The compiler cannot check two rules, so users of the type have to follow them. A function that is passed to the
// engine must not call an engine itself. And a record must not be changed through the same pointer after its commit;
// Step returns a copy for this reason.
type Op struct {
	*store.View // reads of the transaction
	RowWriter   // writes that need no event of a handoff

	By     schemas.Caller
	Now    time.Time
	Leases LeasesAt // judges claims at Now
	Timed  bool     // the clock is acting now
	Rules  Rules    // the mailbox's part in it

	tx  *store.Tx
	env *Engine

	self       *store.Agent    // the row of the caller, once it was read
	changes    []*RecordChange // their consequences are still to be carried out
	spreadLeft int             // how many other handoffs consequences may still visit
	moreDue    bool            // more is due than one operation applies
	moreToCut  bool            // [Op.cutFutureTimes] has more to cut
	commitEffects

	skipReceipt bool  // store no receipt
	refusal     error // the error that the caller gets although the transaction is committed
}

// RowWriter has the methods that write the rows which an operation may write directly, see [store.Tx] for each method. It
// has no method that writes records or events, because only [Op.Commit] and [Op.RecordEvent] write records and events.
type RowWriter interface {
	PutAgent(store.Agent) error
	DeleteAgent(schemas.Agent) error
	PutWorkflow(schemas.Workflow, store.Workflow) error
	PutWords(schemas.ID, store.WordList) error
	AddWords(schemas.ID, store.WordList) error
	PutTouchedFiles(schemas.ID, store.TouchedFiles) error
	DeleteTouchedFiles(schemas.ID) error

	AddNotice(schemas.Notice) (schemas.NoticeID, error)
	MarkNoticesRead(schemas.Agent, ...schemas.NoticeID) error
	RecallNotice(schemas.Agent, schemas.NoticeID) (bool, error)
	PutDeliveredItems(schemas.Agent, string, store.DeliveredItems) error
	DeleteOldDeliveries(before time.Time, a schemas.Agent, session string, limit int) error

	PutDeclarationDigest(digest string) error
	PutDeclaredRules(file string, said store.DeclaredRules) (changed bool, err error)
	PutTimedSendCount(store.TimedSendCount) error
	PutToken(store.Token) error
	DeleteReceipt(store.ReceiptKey) error

	PutReference(content []byte) error
	DeleteReference(digest string) error
	RedactContent(e schemas.Event, content []byte) (digest string, err error)
	RewriteNotices(change func(*schemas.Notice) bool) error
	DeleteReceiptsWhere(gone func(result []byte) bool) error
}

// useTransaction makes the operation use a transaction.
func (o *Op) useTransaction(tx *store.Tx) { o.tx, o.View, o.RowWriter = tx, &tx.View, tx }

// NewHandoffID returns the id of the next handoff of the workspace. Ids count up.
func (o *Op) NewHandoffID() (schemas.ID, error) { return o.tx.NewID() }

// Here returns the agents and connections that are present now.
func (o *Op) Here() sessions.Presence { return o.env.Here }

// Offers returns the rules about who may claim what, over the transaction's view.
func (o *Op) Offers() offer.Offers { return offer.Offers{View: o.View, Here: o.env.Here} }

// CommitWithError lets the operation commit its changes although the caller gets err as the result. Late outcomes use it: the
// server stores an outcome that came too late, and tells the agent that reported it that its claim is lost. Any other
// error undoes the whole transaction.
func (o *Op) CommitWithError(err error) { o.refusal = err }

// SkipReceipt makes sure that the result of the operation is not stored under the request id of the call. An operation
// that did nothing calls it, so that a repeat of the call tries again.
func (o *Op) SkipReceipt() { o.skipReceipt = true }

// commitEffects collects what the operation has to report after its commit: to the waiting calls in package longpoll, and to
// the tracker of present agents. The values exist only during one run of the transaction. When a part of the operation
// is undone, see [Op.TryPart], its effects are undone, too. If the process dies after the commit and before the report,
// the waiting calls of this process have ended with it, and calls that wait in other processes look again when they
// reach the next owner of the store.
type commitEffects struct {
	last      uint64            // the newest event
	wrote     bool              // waiters have something new to see
	voided    []string          // tokens of claims that ended
	boxes     []schemas.Address // where work may now be claimed, or was noticed; once for each
	freed     []schemas.Agent   // agents with a limit that now hold less
	regrouped bool              // agents may claim from other mailboxes than before
	deferred  []schemas.ID      // handoffs with deferred duties
	due       store.Time        // when the clock next changes a record that this operation changed, zero for never
}

// wakeups returns the effects in the words of package longpoll.
func (e commitEffects) wakeups() longpoll.OperationEffects {
	return longpoll.OperationEffects{Boxes: e.boxes, Freed: e.freed, Regrouped: e.regrouped, Due: e.due.Time()}
}

// WakeAfterCommit makes sure that, after the commit, the server wakes all calls that wait for any change, and the calls that
// wait for mail to these addresses.
func (o *Op) WakeAfterCommit(boxes ...schemas.Address) {
	o.wrote, o.boxes = true, append(o.boxes, boxes...)
}

// ResumeDutiesLater carries out the deferred duties of a handoff in later transactions of the current call.
func (o *Op) ResumeDutiesLater(id schemas.ID) { o.deferred = append(o.deferred, id) }

// ClockCaller is the caller of all work that the server does by itself: changes that are due by time, deferred
// consequences, and consequences for other handoffs. In the rules about which caller may do an action, it counts as
// [life.Clock] and as nothing else.
var ClockCaller = schemas.Caller{Agent: schemas.System, Via: schemas.ViaClock}

// RunAs runs fn in the name of another caller. Events and notices that fn makes name that caller, and permission
// checks in fn are about that caller. RunAs restores the original caller when it returns, also after an error or a
// panic.
func (o *Op) RunAs(by schemas.Caller, fn func() error) error {
	was := o.By
	defer func() { o.By = was }()
	o.By = by
	return fn()
}

// Find returns the record of the handoff with an id as a caller wrote it, see [reading.Find]. It first applies all
// changes that are due by time to this handoff. So no caller acts on a claim or a reservation that is over, or on a
// handoff whose deadline has passed, even if the start of the operation could not apply all due changes.
func (o *Op) Find(id string) (*store.Record, error) {
	r, err := reading.Find(o.View, id, o.By.Agent)
	if err != nil {
		return nil, err
	}
	return o.bringUpToDate(r)
}

// Commit stores a changed record together with its event, and remembers h, because the consequences of the change run
// later in the same transaction, see [Op.RunConsequences]. No other function changes stored records. Commit computes
// when the record next has to change because of time, and collects the waiting calls to wake. The caller must not
// change the record after Commit.
//
// h has the record as it was read (Was), and the changed record (Now). The store compares the two and writes only index
// rows that differ. So Was must be the stored record, and not a copy that a caller changed.
//
// The store keeps the content with the event, under the number that [Op.NextEventNumber] returned before. If the caller
// stores that number in the record, its next write of an event must be this Commit, because another event would take
// the number.
func (o *Op) Commit(h *RecordChange) error {
	content, err := store.EncodeContent(h.Content, o.env.NewID)
	if err != nil {
		return err
	}
	if h.ContentName != "" {
		if err := schemas.TooBig(h.ContentName, len(content.Bytes), o.env.Limits.Handoff); err != nil {
			return err
		}
	}
	h.By = o.By
	if err := o.Rules.BeforeWrite(h); err != nil {
		return err
	}
	h.Now.Counted = h.Now.Counted || reading.IsDoneWell(h.Now) || h.Was != nil && reading.IsDoneWell(h.Was)
	if !h.Now.Status.Held() {
		h.Now.SilentAt = 0
	}
	h.Now.Wakes = NextChangeTime(h.Now)
	if o.last, err = o.tx.WriteChange(h.Was, h.Now, o.newEvent(h), content); err != nil {
		return err
	}
	h.Stored = content
	o.collectEffects(h.Was, h.Now)
	if err := o.Rules.AfterWrite(h); err != nil {
		return err
	}
	o.changes = append(o.changes, h)
	return nil
}

// newEvent returns the event that the registry keeps about a change: the action, the state before and after, the attempt,
// the other handoff that is involved, the agent for which the handoff is reserved at first, and the approval or
// permission if only a person can give it. If the clock made the change, the event also has the due time, and the
// seconds that the machine slept since the last event.
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

// collectEffects notes the facts about a changed record that waiting calls have to hear after the commit: the mailbox
// in which work may be claimed now, the time at which the record next changes because of time, and the agent that holds
// one handoff less.
func (o *Op) collectEffects(was, now *store.Record) {
	o.wrote = true
	if now.IsClaimable() {
		o.boxes = append(o.boxes, now.Box)
	}
	if now.Wakes != 0 && (o.due == 0 || now.Wakes < o.due) {
		o.due = now.Wakes
	}
	if was == nil || !was.Status.Held() {
		return
	}
	if now.Token != was.Token || !now.Status.Held() {
		o.voided = append(o.voided, was.Token)
	}
	if !now.Status.Held() {
		o.recordFreedHolder(was.Holder)
	}
}

// recordFreedHolder notes that an agent holds one handoff less, if the agent's card limits how many it may hold, because the
// agent may now claim from pools again. recordFreedHolder also notes an agent whose card cannot be read, because a useless
// wakeup does no harm.
func (o *Op) recordFreedHolder(holder schemas.Agent) {
	if a, err := o.Agent(holder); err != nil || schemas.OrZero(a).Card.MaxOpen > 0 {
		o.freed = append(o.freed, holder)
	}
}

// RecordEvent stores an event that concerns no handoff, for example about a registration or a bearer token, with its
// content. The content must hold no secret. RecordEvent changes no record and has no consequence, but after the commit
// the server wakes the calls that wait for new events.
func (o *Op) RecordEvent(a life.Action, said any) error {
	content, err := store.EncodeContent(said, o.env.NewID)
	if err != nil {
		return err
	}
	var e schemas.Event
	o.fillEventHeader(&e, a)
	o.last, err = o.tx.WriteChange(nil, nil, e, content)
	o.wrote = true
	o.regrouped = o.regrouped || a == life.Register
	return err
}

// fillEventHeader fills in the action, the time, the caller, and how the caller proved to be a person, if it did. Inside
// [Op.RunAs] the caller is the other caller.
func (o *Op) fillEventHeader(e *schemas.Event, a life.Action) {
	e.Action, e.At = string(a), o.Now
	e.Agent, e.AgentID, e.Via, e.Token, e.Trace = o.By.Agent, o.By.AgentID, o.By.Via, o.By.Token, o.By.Trace
	e.Proof = o.By.Proof
}

// CallerSource returns the source of a message by the caller.
func (o *Op) CallerSource() schemas.Source {
	return schemas.Source{Agent: o.By.Agent, AgentID: o.By.AgentID}
}

// ChangeRecord applies an action to a record and commits it. alter changes all fields but the state. The errors are those of
// [Op.ApplyAction].
func (o *Op) ChangeRecord(h *RecordChange, r *store.Record, alter func(now *store.Record)) error {
	_, err := o.ChangeRecordWithNote(h, r, schemas.UpdateIn{}, alter)
	return err
}

// ChangeRecordWithNote is [Op.ChangeRecord] for an action that may have a note. If the message has a note, the record points to
// this note from then on. If it has none, the record keeps its last note, and the event holds only the recipient and
// the working tree of the message, if any. Earlier notes stay with their events. ChangeRecordWithNote returns the changed
// record.
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

// NextEventNumber returns the number that the next event of this operation will get. Callers store it in a record that points
// to the content of that event. Event numbers have no gaps.
func (o *Op) NextEventNumber() uint64 { return o.last + 1 }
