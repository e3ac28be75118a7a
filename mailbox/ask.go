package mailbox

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/listing"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// reservationTime is how long an answered handoff of a pool is kept for the agent that asked. Other agents cannot claim
// the handoff in this time, because they would begin the work from scratch. The time counts from the answer and leaves
// out time that the machine slept, see [op.endReservation].
const reservationTime = 15 * time.Minute

// ask stores the questions of the holder and makes the handoff wait, see [life.Ask]. While the handoff waits, its lease
// does not run and its claim token stays good. The question goes to the sender or to the agent that answers for the
// sender, see [reading.Answerer]. A request for permission also goes to a person.
//
// The error is limit if the questions take more than a quarter of the bytes that a handoff may have, because the
// handoff keeps the questions together with the answer.
func (o *op) ask(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if err := o.checkHolderAction(life.Ask, r, in.Token); err != nil {
		return nil, err
	}
	questions := questionsOf(in)
	if len(questions) == 0 {
		return nil, schemas.Invalidf("questions", "is needed to ask").WithNext(holderAdvice(life.Ask, r.ID, ""))
	}
	r, err := o.saveGivenCheckpoint(r, in, out)
	if err != nil {
		return nil, err
	}
	now, err := o.ApplyAction(life.Ask, r)
	if err != nil {
		return nil, err
	}
	said := schemas.UpdateIn{Action: in.Action, Note: in.Note, Questions: questions, Conditions: in.Conditions, Origin: in.Origin}
	content, err := store.EncodeContent(said, o.NewID)
	if err = cmp.Or(err, schemas.CheckBytes("questions", len(content.Bytes), o.Limits.Handoff/4)); err != nil {
		return nil, err // the handoff keeps them with the answer
	}
	now.Ask, now.Asker = o.NextEventNumber(), o.By.Agent
	now.Permission = in.Conditions != nil && len(in.Conditions.NeedsPermission) > 0
	o.Leases.RestartLease(&now)
	asked, err := reading.AwaitedAnswerer(o.View, &now)
	if err != nil {
		return nil, err
	}
	out.To = schemas.Address(asked)
	text := strings.Join(append([]string{schemas.JoinNumbered(questions, "\n")}, reading.QuestionNotes(in)...), "\n")
	if err := o.AddWords(r.ID, store.ListWords(questions...)); err != nil {
		return nil, err
	}
	return &now, o.Commit(&operation.RecordChange{Action: life.Ask, Was: r, Now: &now, Text: text, Content: content})
}

// tellAnswerer leaves a notice with the agent that should answer. Human gets no second notice about a request for
// permission, because the consequence TellHuman has left a notice already.
func (o *op) tellAnswerer(h *operation.RecordChange) error {
	to, err := reading.Answerer(o.View, h.Now, h.Now.Asker)
	if err != nil || to == schemas.Human && h.Now.Permission {
		return err
	}
	return o.NotifyAgent(to, noticeOf(h))
}

// questionsOf returns the questions and conditions of a call, or its note if the call has neither. Each request for
// permission begins with "permission:", because only a person may answer it.
func questionsOf(in schemas.UpdateIn) []string {
	c := schemas.ValueOrZero(in.Conditions)
	permissions := schemas.Map(c.NeedsPermission, func(p string) string { return "permission: " + p })
	questions := slices.Concat(in.Questions, c.NeedsContext, permissions)
	if len(questions) == 0 && in.Note != "" {
		questions = []string{in.Note}
	}
	return questions
}

// checkMayGrantPermission refuses an answer to a request for permission, unless a proven person answers.
func (o *op) checkMayGrantPermission(r *store.Record) error {
	switch {
	case !r.Permission:
		return nil
	case o.By.Agent != schemas.Human:
		return schemas.Errorf(schemas.Denied, "%s asks for a permission, which only human grants", r.ID).
			WithHandoff(r.ID, r.Status, 0).WithHint("A person answers it on the command line, with handoff answer %s.", r.ID)
	case !o.By.IsProvenPerson():
		return operation.PersonNeededError(r, "given a permission")
	}
	return nil
}

// answer adds the answer to the context and makes the handoff pending again, see [life.Answer]. The context keeps the
// questions with the answer. The token of the agent that asked stays good until the next claim. The next claim is no
// new attempt, because the holder only waited.
//
// Work for one agent goes back to the mailbox of that agent. Work of a pool is reserved for the agent that asked, for
// as long as [reservationTime]. After that time [op.endReservation] offers the work to the whole pool.
//
// Only a caller that has proved to be a person may grant a permission. Otherwise an agent could grant itself the right
// to act. The error is limit if the content becomes too large; the handoff then still waits.
func (o *op) answer(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if strings.TrimSpace(in.Note) == "" {
		return nil, schemas.Invalidf("note", "is needed to answer").WithHint("Say what the answer is.")
	}
	if in.Changes != nil { // the answer also amends the work
		amended, err := o.amend(r, schemas.UpdateIn{HandoffID: in.HandoffID, Action: in.Action, Changes: in.Changes}, out)
		if err != nil {
			return nil, err
		}
		r = amended
	}
	if o.isWorkOfCallingPerson(r) {
		return o.completeWithAnswer(r, in, out)
	}
	var asked schemas.UpdateIn
	now, err := o.ApplyAction(life.Answer, r)
	if err = cmp.Or(err, o.checkMayGrantPermission(r), o.DecodeContent(r.ID, r.Ask, &asked)); err != nil {
		return nil, err
	}
	reply := schemas.Answer{Questions: asked.Questions, Answer: in.Note, From: o.By.Agent, At: o.Now}
	answered := &operation.RecordChange{Action: life.Answer, Was: r, Now: &now, Text: in.Note}
	err = o.rewriteContent(answered, "", func(h *schemas.Handoff) {
		c := schemas.ValueOrZero(h.Context)
		c.Answers = append(slices.Clone(c.Answers), reply)
		h.Context = &c
	})
	if err != nil {
		return nil, err
	}
	now.Box, now.Uncharged, now.Ask, now.Permission = r.To, true, 0, false
	if _, directed := r.To.SingleAgent(); !directed {
		now.Box, now.Reserved = schemas.Address(r.Asker), store.TimeOf(o.Now.Add(reservationTime))
	}
	if out.To = now.Box; len(asked.Questions) > 1 {
		out.Warnings = append(out.Warnings, "this one text answers all questions: "+schemas.EscapeHidden(schemas.JoinNumbered(asked.Questions, " ")))
	}
	whom, err := reading.Answerer(o.View, r, r.Asker)
	for _, a := range []schemas.Agent{o.By.Agent, whom} { // both have seen the question
		err = cmp.Or(err, o.markNoticesRead(r.ID, a))
	}
	if err = cmp.Or(err, o.AddWords(r.ID, store.ListWords(in.Note))); err != nil {
		return nil, err
	}
	return &now, o.Commit(answered)
}

// reclaimAnswered claims an answered handoff again for the session that asked and waited for the answer. [Service.Get]
// calls it after a wait, so that the session needs no second call. The result has the questions, the answer and a
// token. It has no brief, because the session has read the brief.
//
// The claim is a second transaction, and does not count as an attempt. The result `taken` is false if no question was
// answered, if the caller may only read, or if the claim is refused with conflict or denied. It is true again at a later
// look of the same wait.
func (s *Service) reclaimAnswered(
	ctx context.Context, by schemas.Caller, in schemas.GetIn,
) (out schemas.GetOut, taken bool, err error) {
	taken, err = operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (bool, error) {
		r, err := reading.FindHandoff(v, in.HandoffID, by.Agent)
		if err != nil || by.Scope == schemas.ScopeRead {
			return false, err
		}
		if isQuestionAnswered(r, by) && s.isClaimingSession(r, by) {
			return true, nil
		}
		earlier, _, err := claimOfLook(v, by)
		return r.Status.IsHeld() && earlier.ID == r.ID && earlier.Token == r.Token, err
	})
	if !taken || err != nil {
		return out, false, err
	}
	got, err := s.Claim(ctx, by, schemas.ClaimIn{HandoffID: in.HandoffID, MaxTokens: in.MaxTokens})
	if e := schemas.AsError(err); e != nil && (e.Code == schemas.Conflict || e.Code == schemas.Denied) {
		return out, false, nil
	}
	return schemas.GetOut{
		HandoffID: got.HandoffID, Status: schemas.Accepted, Brief: got.Brief, Token: got.Token, LeaseEnds: got.LeaseEnds,
	}, err == nil, err
}

// markNoticesRead marks an agent's notices about a handoff as read, because the agent has seen the handoff or acted on
// it. Messages stay unread, because the text of a message is only in the notice.
func (o *op) markNoticesRead(id schemas.ID, a schemas.Agent) error {
	told, err := o.UnreadNoticesAbout(a, id, reading.MaxScanned)
	return cmp.Or(err, o.markRead(a, told...))
}

// markShownNoticesRead does [op.markNoticesRead] for a handoff that a call has shown. It writes only if a snapshot has
// unread notices, so showing the handoff again costs no write. It writes nothing if [env.MarksRead] is false.
func (s *Service) markShownNoticesRead(ctx context.Context, by schemas.Caller, id schemas.ID) error {
	if by.Agent == "" || !s.MarksRead(by) {
		return nil
	}
	told, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) ([]schemas.NoticeID, error) {
		return v.UnreadNoticesAbout(by.Agent, id, reading.MaxScanned)
	})
	if err != nil || len(told) == 0 {
		return err
	}
	return s.update(ctx, by, func(o *op) error { return o.markNoticesRead(id, by.Agent) })
}

// emptyClaimResult returns the result of a claim that found nothing. It shows the caller's unread notices, because a
// model that only polls for work would otherwise miss a message that tells it to stop. It also names the handoffs that
// the caller holds, and handoffs of its queue that cannot be claimed yet. If these handoffs cannot be read, the error
// is logged and the result leaves them out.
func (s *Service) emptyClaimResult(ctx context.Context, by schemas.Caller) (out schemas.ClaimOut, err error) {
	out.Empty = true
	out.WaitingMail, err = operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (string, error) {
		kept, err := s.offers(v).WithheldText(by.Agent)
		return kept, cmp.Or(err, s.addHeldHandoffs(v, by, &out))
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "waiting work was left out of a response", slog.Any("error", err))
	}
	if some, err := s.hasUnreadNotice(ctx, by.Agent); !some || err != nil || by.Scope == schemas.ScopeRead {
		return out, err
	}
	if by.Agent == schemas.Human { // a person has to open each notice by name to mark it read
		by.Scope = schemas.ScopeRead
	}
	f, err := listing.ParseFilter(schemas.ListIn{}, s.Now())
	if err != nil {
		return out, err
	}
	err = s.showNotices(ctx, by, &out, func(v *store.View) ([]schemas.NoticeID, error) {
		page, shown, err := f.NoticePage(v, by.Agent, true)
		out.Notices, out.MoreNotices = page.Items, page.Cursor != ""
		return shown, err
	})
	return out, err
}

// wasAmendedSinceQuestion reports whether the work was amended after the newest question. If so, the session that asked
// gets the whole brief again. The function reads the newest [amendmentLookback] events. If no question is among these
// events, it returns true, because it may have missed an amendment.
func wasAmendedSinceQuestion(v *store.View, r *store.Record) (bool, error) {
	events, err := v.EventsOf(r, amendmentLookback)
	asked := slices.IndexFunc(events, func(e schemas.Event) bool { return e.Action == "asked" })
	return asked < 0 || slices.ContainsFunc(events[:max(asked, 0)], func(e schemas.Event) bool {
		return e.Action == "amended"
	}), err
}

// amendmentLookback is the number of the newest events in which [wasAmendedSinceQuestion] looks for an amendment.
const amendmentLookback = 50
