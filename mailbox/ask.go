package mailbox

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// reservation is how long an answered handoff waits for the agent that asked. It asked because it was at work on it,
// and another would begin anew. It counts from the answer. Time that the machine slept does not count, see
// [op.unreserve].
const reservation = 15 * time.Minute

// ask notes what the holder needs before it goes on, see [life.Ask]. The lease stops while it waits, and the claim
// token stays good. Who is asked is the sender, or who answers in its place, see [reading.Answers]; a permission is
// asked of a person besides. The questions have a quarter of the limit of a handoff at most, because the handoff keeps
// them with the answer. The questions are content of the event, and the record points to it until they are answered or
// withdrawn. The words of the questions are found by a search from then on. What the sender needs to know besides, such
// as the note, goes with the notice.
func (o *op) ask(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if err := o.heldNow(life.Ask, r, in.Token); err != nil {
		return nil, err
	}
	questions := questionsOf(in)
	if len(questions) == 0 {
		needs := &schemas.Conditions{NeedsPermission: []string{schemas.Blank}}
		permission := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAsk, Conditions: needs}
		return nil, schemas.Invalidf("questions", "is needed to ask").
			WithNext(holderDoes(life.Ask, r.ID, ""), schemas.Call(permission, "asks for what only a person may grant"))
	}
	r, err := o.marked(r, in, out)
	if err != nil {
		return nil, err
	}
	now, err := o.Step(life.Ask, r)
	if err != nil {
		return nil, err
	}
	said := schemas.UpdateIn{Action: in.Action, Note: in.Note, Questions: questions, Conditions: in.Conditions, Origin: in.Origin}
	content, err := store.ContentOf(said, o.NewID)
	if err != nil {
		return nil, err
	}
	if err := schemas.TooBig("questions", len(content.Bytes), o.Limits.Handoff/4); err != nil {
		return nil, err // the handoff keeps them with the answer
	}
	now.Ask, now.Asker = o.NextEvent(), o.By.Agent
	now.Permission = in.Conditions != nil && len(in.Conditions.NeedsPermission) > 0
	o.Leases.Touch(&now)
	asked, err := reading.Asked(o.View, &now)
	if err != nil {
		return nil, err
	}
	out.To = schemas.Address(asked)
	text := strings.Join(append([]string{schemas.Numbered(questions, "\n")}, reading.Beside(in)...), "\n")
	if err := o.AddWords(r.ID, store.ListWords(questions...)); err != nil {
		return nil, err
	}
	return &now, o.Commit(&operation.Happening{Action: life.Ask, Was: r, Now: &now, Text: text, Said: content})
}

// tellAnswerer leaves a notice with the agent that is to answer. Human hears of a permission once. The other notice is
// that of TellHuman, which comes first.
func (o *op) tellAnswerer(h *operation.Happening) error {
	to, err := reading.Answers(o.View, h.Now, h.Now.Asker)
	if err != nil || to == schemas.Human && h.Now.Permission {
		return err
	}
	return o.Tell(to, noticeOfAll(h))
}

// questionsOf are what the holder asks: its questions and conditions, or else its note. Permissions are told apart by
// their first word, since a person answers those.
func questionsOf(in schemas.UpdateIn) []string {
	c := schemas.OrZero(in.Conditions)
	permissions := schemas.Map(c.NeedsPermission, func(p string) string { return "permission: " + p })
	questions := slices.Concat(in.Questions, c.NeedsContext, permissions)
	if len(questions) == 0 && in.Note != "" {
		questions = []string{in.Note}
	}
	return questions
}

// checkGrant refuses an answer to a question for permission, unless a person gives it.
func (o *op) checkGrant(r *store.Record) error {
	switch {
	case !r.Permission:
		return nil
	case o.By.Agent != schemas.Human:
		return schemas.Errorf(schemas.Denied, "%s asks for a permission, which only human grants", r.ID).
			About(r.ID, r.Status, 0).WithHint("A person answers it on the command line, with handoff answer %s.", r.ID)
	case !o.By.InPerson():
		return operation.PersonNeeded(r, "given a permission")
	}
	return nil
}

// answer adds the answer to the context and makes the handoff pending again, see [life.Answer]: for a time it is
// reserved for the agent that asked. The questions are kept with the answer, so that another agent understands it. The
// token of the agent that asked stays good until somebody claims, and that claim is no new attempt, because the wait
// was not the holder's fault.
//
// Work for one agent goes back to the mailbox of that agent and is not reserved. Work of a pool goes to the mailbox of
// the asker, for [reservation]; then [op.unreserve] offers it to the pool. A permission is denied to all but a person
// who proves to be one, because an agent could grant itself the right to act. The whole handoff is written again with
// the answer, so the error is limit where it becomes too large; then it still waits.
func (o *op) answer(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if strings.TrimSpace(in.Note) == "" {
		return nil, schemas.Invalidf("note", "is needed to answer").WithHint("Say what the answer is.")
	}
	if in.Changes != nil { // what is asked for changes with the answer
		amended, err := o.amend(r, schemas.UpdateIn{HandoffID: in.HandoffID, Action: in.Action, Changes: in.Changes}, out)
		if err != nil {
			return nil, err
		}
		r = amended
	}
	if o.forPerson(r) {
		return o.answerWork(r, in, out)
	}
	now, err := o.Step(life.Answer, r)
	if err != nil {
		return nil, err
	}
	if err := o.checkGrant(r); err != nil {
		return nil, err
	}
	var asked schemas.UpdateIn
	if err := o.Saying(r.ID, r.Ask, &asked); err != nil {
		return nil, err
	}
	reply := schemas.Answer{Questions: asked.Questions, Answer: in.Note, From: o.By.Agent, At: o.Now}
	answered := &operation.Happening{Action: life.Answer, Was: r, Now: &now, Text: in.Note}
	err = o.rebody(answered, "", func(h *schemas.Handoff) {
		c := schemas.OrZero(h.Context)
		c.Answers = append(slices.Clone(c.Answers), reply)
		h.Context = &c
	})
	if err != nil {
		return nil, err
	}
	now.Box, now.Uncharged, now.Ask, now.Permission = r.To, true, 0, false
	if _, directed := r.To.Directed(); !directed {
		now.Box, now.Reserved = schemas.Address(r.Asker), store.At(o.Now.Add(reservation))
	}
	if err := o.AddWords(r.ID, store.ListWords(in.Note)); err != nil {
		return nil, err
	}
	out.To = now.Box
	whom, err := reading.Answers(o.View, r, r.Asker)
	for _, a := range []schemas.Agent{o.By.Agent, whom} { // who was asked reads it no more
		err = cmp.Or(err, o.settle(r.ID, a))
	}
	if err != nil {
		return nil, err
	}
	return &now, o.Commit(answered)
}
