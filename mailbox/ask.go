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

// reservation is how long an answered handoff waits for the agent that asked. It asked because it was at work on it,
// and another would begin anew. It counts from the answer. Time that the machine slept does not count, see
// [op.unreserve].
const reservation = 15 * time.Minute

// ask notes what the holder needs before it goes on, see [life.Ask]. The lease stops while it waits, and the claim
// token stays good. Who is asked is the sender, or who answers in its place, see [reading.Answerer]; a permission is
// asked of a person besides. The questions have a quarter of the limit of a handoff at most, because the handoff keeps
// them with the answer. The questions are content of the event, and the record points to it until they are answered or
// withdrawn. The words of the questions are found by a search from then on. What the sender needs to know besides, such
// as the note, goes with the notice.
func (o *op) ask(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if err := o.checkHeld(life.Ask, r, in.Token); err != nil {
		return nil, err
	}
	questions := questionsOf(in)
	if len(questions) == 0 {
		needs := &schemas.Conditions{NeedsPermission: []string{schemas.Blank}}
		permission := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAsk, Conditions: needs}
		return nil, schemas.Invalidf("questions", "is needed to ask").
			WithNext(holderAdvice(life.Ask, r.ID, ""), schemas.Call(permission, "asks for what only a person may grant"))
	}
	r, err := o.saveGivenCheckpoint(r, in, out)
	if err != nil {
		return nil, err
	}
	now, err := o.Step(life.Ask, r)
	if err != nil {
		return nil, err
	}
	said := schemas.UpdateIn{Action: in.Action, Note: in.Note, Questions: questions, Conditions: in.Conditions, Origin: in.Origin}
	content, err := store.ContentOf(said, o.NewID)
	if err = cmp.Or(err, schemas.TooBig("questions", len(content.Bytes), o.Limits.Handoff/4)); err != nil {
		return nil, err // the handoff keeps them with the answer
	}
	now.Ask, now.Asker = o.NextEvent(), o.By.Agent
	now.Permission = in.Conditions != nil && len(in.Conditions.NeedsPermission) > 0
	o.Leases.Touch(&now)
	asked, err := reading.AwaitedAnswerer(o.View, &now)
	if err != nil {
		return nil, err
	}
	out.To = schemas.Address(asked)
	text := strings.Join(append([]string{schemas.Numbered(questions, "\n")}, reading.QuestionNotes(in)...), "\n")
	if err := o.AddWords(r.ID, store.ListWords(questions...)); err != nil {
		return nil, err
	}
	return &now, o.Commit(&operation.Happening{Action: life.Ask, Was: r, Now: &now, Text: text, Content: content})
}

// tellAnswerer leaves a notice with the agent that is to answer. Human hears of a permission once. The other notice is
// that of TellHuman, which comes first.
func (o *op) tellAnswerer(h *operation.Happening) error {
	to, err := reading.Answerer(o.View, h.Now, h.Now.Asker)
	if err != nil || to == schemas.Human && h.Now.Permission {
		return err
	}
	return o.NotifyAgent(to, noticeOf(h))
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
	if o.isForPerson(r) {
		return o.answerWork(r, in, out)
	}
	now, err := o.Step(life.Answer, r)
	if err != nil {
		return nil, err
	}
	var asked schemas.UpdateIn
	if err := cmp.Or(o.checkGrant(r), o.DecodeContent(r.ID, r.Ask, &asked)); err != nil {
		return nil, err
	}
	reply := schemas.Answer{Questions: asked.Questions, Answer: in.Note, From: o.By.Agent, At: o.Now}
	answered := &operation.Happening{Action: life.Answer, Was: r, Now: &now, Text: in.Note}
	err = o.rewriteContent(answered, "", func(h *schemas.Handoff) {
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
	out.To = now.Box
	whom, err := reading.Answerer(o.View, r, r.Asker)
	for _, a := range []schemas.Agent{o.By.Agent, whom} { // who was asked reads it no more
		err = cmp.Or(err, o.markRead(r.ID, a))
	}
	if err = cmp.Or(err, o.AddWords(r.ID, store.ListWords(in.Note))); err != nil {
		return nil, err
	}
	return &now, o.Commit(answered)
}

// reclaimAnswered gives the agent that asked its claim back, where it waited for the answer in the session that asked: with
// the questions, the answer and a token, but not with the brief that it has read. Taken is false where nothing was
// answered, where the session only reads, and where another was faster.
//
// [Service.Get] calls it after a wait, so that the session that asked needs no second call. The claim is a transaction
// of its own, with the rules and errors of [Service.Claim]; that it is no new attempt comes from the answer. operation.Conflict
// and denied are no errors here: the caller is shown how the handoff stands instead.
func (s *Service) reclaimAnswered(
	ctx context.Context, by schemas.Caller, in schemas.GetIn,
) (out schemas.GetOut, taken bool, err error) {
	taken, err = operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (bool, error) {
		r, err := reading.Find(v, in.HandoffID, by.Agent)
		return err == nil && isAnswered(r, by) && sameSession(r, by) && by.Scope != schemas.ScopeRead, err
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

// markRead marks as read what tells an agent of a handoff, when the agent is shown or does what it tells of. Messages
// stay: what they say stands nowhere else.
func (o *op) markRead(id schemas.ID, a schemas.Agent) error {
	told, err := o.UnreadAbout(a, id, reading.MaxScanned)
	if err != nil || len(told) == 0 {
		return err
	}
	return o.MarkRead(a, told...)
}

// markShownRead is [op.markRead] for what a call has shown. Where nothing is to be marked nothing is written. It looks on a
// snapshot first, so that a view that is repeated costs no write. A caller that may only read marks nothing.
func (s *Service) markShownRead(ctx context.Context, by schemas.Caller, id schemas.ID) error {
	if by.Agent == "" || by.Scope == schemas.ScopeRead {
		return nil
	}
	told, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) ([]schemas.NoticeID, error) {
		return v.UnreadAbout(by.Agent, id, reading.MaxScanned)
	})
	if err != nil || len(told) == 0 {
		return err
	}
	return s.update(ctx, by, func(o *op) error { return o.markRead(id, by.Agent) })
}

// emptyClaim is the answer to a claim for which nothing waits. It shows what the caller has not read: a model that waits
// for mail would else wait for ever on a message that tells it to stop. What it holds, and what waits and may not be taken
// yet, is named as well. Where that cannot be read, the log says so and the result is without it: a caller that polls is not stopped by
// it.
func (s *Service) emptyClaim(ctx context.Context, by schemas.Caller) (out schemas.ClaimOut, err error) {
	out.Empty = true
	out.WaitingMail, err = operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (string, error) {
		kept, err := s.offers(v).Withheld(by.Agent)
		return kept, cmp.Or(err, s.addHeld(v, by, &out))
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "what waits was not told", slog.Any("error", err))
	}
	if some, err := s.hasUnread(ctx, by.Agent); !some || err != nil || by.Scope == schemas.ScopeRead {
		return out, err
	}
	if by.Agent == schemas.Human { // what a person has not read needs the person: only looking at it by name reads it
		by.Scope = schemas.ScopeRead
	}
	f, err := listing.Parse(schemas.ListIn{}, s.Now())
	if err != nil {
		return out, err
	}
	err = s.showNotices(ctx, by, func(v *store.View) ([]schemas.NoticeID, error) {
		page, shown, err := f.Unread(v, by.Agent)
		out.Notices, out.MoreNotices = page.Items, page.Cursor != ""
		return shown, err
	})
	return out, err
}

// amendedSince tells whether what is asked was changed since the question that was answered last.
//
// Then the session that asked is shown the whole brief again, and not the answer alone. It looks at the newest
// [amendmentLookback] events; where no question is among them, it says that something may have changed.
func amendedSince(v *store.View, r *store.Record) (bool, error) {
	events, err := v.EventsOf(r, amendmentLookback)
	asked := slices.IndexFunc(events, func(e schemas.Event) bool { return e.Action == "asked" })
	return asked < 0 || slices.ContainsFunc(events[:max(asked, 0)], func(e schemas.Event) bool {
		return e.Action == "amended"
	}), err
}

// amendmentLookback is how far an amendment is looked for.
const amendmentLookback = 50
