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

// Op is one operation inside one transaction: who does it and when. [Engine.Update] makes it anew each time the store
// runs the transaction, so nothing of a first run is left in a second. Its methods may be called only while the
// transaction lasts, by one goroutine.
//
// An operation finds its record with [Op.Find], checks and changes it with [Op.Step], and keeps it with [Op.Commit],
// which notes what happened. [Op.RunConsequences] carries out what follows. The type hides the transaction, so the compiler sees to
// it that
//   - a record is changed only by Commit, which writes its event in the same transaction. So the registry tells of every
//     change, and the number of the newest event of a record is that record's version.
//   - what others are to hear of is gathered, see [Op.Announce], and told after the commit.
//   - nothing that has an Op alone reads past its transaction, which would not show what it wrote.
//
// Two rules are left to its users. A function that is given to the engine uses no engine that it captured. And a record
// that was committed is not changed any more through the same pointer: Step gives a copy.
type Op struct {
	*store.View // what the transaction holds
	Rows        // what it may write by itself

	By     schemas.Caller
	Now    time.Time
	Leases LeasesAt // judges claims at Now
	Timed  bool     // the clock does what is done now
	Rules  Rules    // what takes part in it

	tx  *store.Tx
	env *Engine

	self       *store.Agent // the caller, once read
	happened   []*Happening // from which is yet to follow what the table says
	spreadLeft int          // how many other handoffs may still be gone through
	moreDue    bool         // the clock has more to change than one operation does
	moreToCut  bool         // [Op.cutFutureTimes] has more to cut
	effects

	skipReceipt bool  // there is no result to remember
	refusal     error // what the caller is told although something was kept
}

// Rows are what an operation may write besides records and events, which only [Op.Commit] and [Op.RecordEvent] write. See
// [store.Tx] for each.
type Rows interface {
	PutAgent(store.Agent) error
	DeleteAgent(schemas.Agent) error
	PutWorkflow(schemas.Workflow, store.Workflow) error
	PutWords(schemas.ID, store.WordList) error
	AddWords(schemas.ID, store.WordList) error
	PutTouch(schemas.ID, store.Touch) error
	DeleteTouch(schemas.ID) error

	Notify(schemas.Notice) (schemas.NoticeID, error)
	MarkRead(schemas.Agent, ...schemas.NoticeID) error
	Recall(schemas.Agent, schemas.NoticeID) (bool, error)
	PutDelivered(schemas.Agent, string, store.Delivered) error
	ForgetDelivered(before time.Time, a schemas.Agent, session string, limit int) error

	PutDeclared(digest string) error
	PutRules(file string, said store.DeclaredRules) (changed bool, err error)
	PutRuleCount(store.RuleCount) error
	PutToken(store.Token) error
	DeleteReceipt(store.ReceiptKey) error

	PutReference(content []byte) error
	DeleteReference(digest string) error
	Redact(e schemas.Event, content []byte) (digest string, err error)
	RewriteNotices(change func(*schemas.Notice) bool) error
	DeleteReceiptsWhere(gone func(result []byte) bool) error
}

// useTransaction lets the operation go on in a transaction.
func (o *Op) useTransaction(tx *store.Tx) { o.tx, o.View, o.Rows = tx, &tx.View, tx }

// NewHandoffID is the id of the next handoff of the workspace. Ids count up.
func (o *Op) NewHandoffID() (schemas.ID, error) { return o.tx.NewID() }

// Here is who is here now.
func (o *Op) Here() sessions.Here { return o.env.Here }

// Offers are what agents are offered, as the transaction holds it.
func (o *Op) Offers() offer.Offers { return offer.Offers{View: o.View, Here: o.env.Here} }

// Refuse commits what was done and tells the caller err all the same. It is for outcomes that come late: they are kept,
// and their sender is told that its claim is lost. Any other error undoes the whole transaction.
func (o *Op) Refuse(err error) { o.refusal = err }

// SkipReceipt keeps no result under the request id, because nothing was done: a repeat looks again.
func (o *Op) SkipReceipt() { o.skipReceipt = true }

// effects are what others are told of after the commit: those who wait in package longpoll, and the tracker of who is
// here. They are memory of one run of the transaction. A part of the operation that is undone, see [Op.TryPart], takes
// its effects back. If the process dies between the commit and the telling, nobody in this process waits any more, and
// those who wait elsewhere look again when they reach the next owner.
type effects struct {
	last      uint64            // the newest event
	wrote     bool              // there is something new to see
	voided    []string          // tokens of claims that ended
	boxes     []schemas.Address // where something may now be claimed, or was noticed; once for each
	freed     []schemas.Agent   // who take only so many, and hold less
	regrouped bool              // agents may claim from other boxes than before
	deferred  []schemas.ID      // from which more follows than one transaction carries out
	due       store.Time        // the next time at which the clock changes what was changed, zero for never
}

// wakeups is what those are told who wait, in the words of package longpoll.
func (e effects) wakeups() longpoll.Effects {
	return longpoll.Effects{Boxes: e.boxes, Freed: e.freed, Regrouped: e.regrouped, Due: e.due.Time()}
}

// Announce wakes after the commit those who wait for a change, and those who wait for mail of these addresses.
func (o *Op) Announce(boxes ...schemas.Address) { o.wrote, o.boxes = true, append(o.boxes, boxes...) }

// ContinueLater carries out what follows from a handoff in transactions of their own, in the call that is under way.
func (o *Op) ContinueLater(id schemas.ID) { o.deferred = append(o.deferred, id) }

// ClockCaller is in whose name the server does what nobody asked for: what is due by time, what goes on in another
// transaction, and what follows for handoffs of others. It plays the part [life.Clock] and no other.
var ClockCaller = schemas.Caller{Agent: schemas.System, Via: schemas.ViaClock}

// ActingAs does a part of the operation in the name of another: events, notices and permissions are those of that
// caller. The caller from before is back when it returns, also after an error or a panic.
func (o *Op) ActingAs(by schemas.Caller, fn func() error) error {
	was := o.By
	defer func() { o.By = was }()
	o.By = by
	return fn()
}

// Find resolves an id as a caller wrote it, see [reading.Find], and applies what the clock has changed about the
// handoff. So nobody acts on a claim, a deadline or a reservation that is over, even where more was due than one
// operation applies.
func (o *Op) Find(id string) (*store.Record, error) {
	r, err := reading.Find(o.View, id, o.By.Agent)
	if err != nil {
		return nil, err
	}
	return o.upToDate(r)
}

// Commit keeps a changed record together with its event, and notes what happened; what follows from that is carried out
// later in the same transaction, see [Op.RunConsequences]. Every change of a record is made by commit. It sets when the clock
// next changes the record, and gathers whom to wake after the transaction. The record is changed no more after it.
//
// The happening has the record as it was read, and as it is now. The store writes the index rows in which the two
// differ, so was has to be what the transaction holds, and not a copy that somebody changed.
//
// What was said is kept with the event, under the number of [Op.NextEvent]. Whoever lets the record point to that number
// commits right after, since every other event in between would move it.
func (o *Op) Commit(h *Happening) error {
	content, err := store.ContentOf(h.Content, o.env.NewID)
	if err != nil {
		return err
	}
	if h.ContentName != "" {
		if err := schemas.TooBig(h.ContentName, len(content.Bytes), o.env.Limits.Handoff); err != nil {
			return err
		}
	}
	h.By = o.By
	if err := o.Rules.Before(h); err != nil {
		return err
	}
	h.Now.Counted = h.Now.Counted || reading.DoneWell(h.Now) || h.Was != nil && reading.DoneWell(h.Was)
	if !h.Now.Status.Held() {
		h.Now.SilentAt = 0
	}
	h.Now.Wakes = Wakes(h.Now)
	if o.last, err = o.tx.Change(h.Was, h.Now, o.event(h), content); err != nil {
		return err
	}
	h.Stored = content
	o.collectEffects(h.Was, h.Now)
	if err := o.Rules.After(h); err != nil {
		return err
	}
	o.happened = append(o.happened, h)
	return nil
}

// event is what the registry keeps of a happening: the action, the state before and after, the attempt, the other handoff
// that took part, the agent that is told first, what only a person gives from then on, and for the clock when it was due
// and how long the machine slept meanwhile, in seconds.
func (o *Op) event(h *Happening) schemas.Event {
	e := schemas.Event{Other: h.Other, Due: h.Due.Time(), To: h.Now.Status, Attempt: h.Now.Attempt}
	o.signEvent(&e, h.Action)
	switch {
	case conditions[life.NeedsApproval](h):
		e.Needs = schemas.NeedsApproval
	case h.Action == life.Ask && h.Now.Permission:
		e.Needs = schemas.NeedsPermission
	}
	if ToldFirst(h.Now) && (h.Was == nil || h.Was.Box != h.Now.Box) {
		e.For = schemas.Agent(h.Now.Box)
	}
	if h.Was == nil {
		return e
	}
	if e.From = h.Was.Status; e.Via == schemas.ViaClock {
		e.Asleep = int(o.Leases.SleptSinceEvent(o.View, h.Was).Seconds())
	}
	return e
}

// collectEffects adds what others are told of after the commit: the mailbox in which something may be claimed now, when the
// clock changes this record next, and a holder that holds one less.
func (o *Op) collectEffects(was, now *store.Record) {
	o.wrote = true
	if now.Claimable() {
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
		o.noteFreed(was.Holder)
	}
}

// noteFreed notes that an agent holds one less: if it takes only so many, it may claim from pools again. Where its card
// cannot be read, it is told so too: a look in vain does no harm.
func (o *Op) noteFreed(holder schemas.Agent) {
	if a, err := o.Agent(holder); err != nil || schemas.OrZero(a).Card.MaxOpen > 0 {
		o.freed = append(o.freed, holder)
	}
}

// RecordEvent keeps an event that is about no handoff, such as a registration or a token, with what was said. Secrets are
// never among it. No record changes with it and nothing follows from it, but those who watch the registry are woken.
func (o *Op) RecordEvent(a life.Action, said any) error {
	content, err := store.ContentOf(said, o.env.NewID)
	if err != nil {
		return err
	}
	var e schemas.Event
	o.signEvent(&e, a)
	o.last, err = o.tx.Change(nil, nil, e, content)
	o.wrote = true
	o.regrouped = o.regrouped || a == life.Register
	return err
}

// signEvent says in an event what was done, when, by whom and how that was proved. The caller is the one in whose name this
// part of the operation runs, see [Op.ActingAs].
func (o *Op) signEvent(e *schemas.Event, a life.Action) {
	e.Action, e.At = string(a), o.Now
	e.Agent, e.AgentID, e.Via, e.Token, e.Trace = o.By.Agent, o.By.AgentID, o.By.Via, o.By.Token, o.By.Trace
	e.Proof = o.By.Proof
}

// Signature says in a message who sends it.
func (o *Op) Signature() schemas.Source {
	return schemas.Source{Agent: o.By.Agent, AgentID: o.By.AgentID}
}

// Change does an action to a record and commits it: alter makes what changes besides the state. The errors are those of
// [Op.Step].
func (o *Op) Change(h *Happening, r *store.Record, alter func(now *store.Record)) error {
	_, err := o.ChangeWithNote(h, r, schemas.UpdateIn{}, alter)
	return err
}

// ChangeWithNote is [Op.Change] with the note that came with an action, to which the record points from then on. Without a
// note the record points to the note before, and only to whom it was passed and where it was said is kept. Earlier
// notes stay with their events. It gives the record as it is then.
func (o *Op) ChangeWithNote(
	h *Happening, r *store.Record, said schemas.UpdateIn, alter func(now *store.Record),
) (*store.Record, error) {
	now, err := o.Step(h.Action, r)
	if err != nil {
		return nil, err
	}
	alter(&now)
	if said.Note != "" {
		now.Note = o.NextEvent()
	}
	if said.Note != "" || said.To != "" || said.Tree != nil {
		h.Content = said
	}
	h.Was, h.Now = r, &now
	return &now, o.Commit(h)
}

// NextEvent is the number that the next event will have, for records that point to its content. It holds until the next
// commit of this operation, and numbers have no gaps.
func (o *Op) NextEvent() uint64 { return o.last + 1 }
