package overview

import (
	"cmp"

	"handoff/schemas"
)

// mostSaid is how many bytes of what was said a row has.
const mostSaid = 300

// tell adds to a row why the handoff stands so, and the last report of its holder.
func (l *look) tell(r *row) error {
	reason, err := l.Reader.Reason(l.View, r.of)
	if err != nil {
		return err
	}
	if r.Reason != "" && reason != "" && r.Kind == schemas.ConcernUnanswered {
		reason = r.Reason + ". " + reason
	}
	r.Reason = schemas.Visible(schemas.Shorten(cmp.Or(reason, r.Reason), mostSaid))
	if r.of.Note == 0 || r.of.Holder == "" || r.of.Status.Ended() {
		return nil
	}
	var u schemas.UpdateIn
	if err := l.Saying(r.HandoffID, r.of.Note, &u); err != nil {
		return err
	}
	r.Report = schemas.Visible(schemas.Shorten(u.Note, mostSaid))
	return nil
}

// next are the calls by which a person goes on with a concern, the likeliest first.
func next(c schemas.Concern) []schemas.Advice {
	id := c.HandoffID.String()
	show := schemas.Call(schemas.GetIn{HandoffID: id}, "shows it")
	do := func(a schemas.Action, say string) schemas.Advice {
		return schemas.Call(schemas.UpdateIn{HandoffID: id, Action: a}, say)
	}
	switch c.Kind {
	case schemas.ConcernQuestion, schemas.ConcernUnanswered:
		answer := schemas.UpdateIn{HandoffID: id, Action: schemas.ActAnswer, Note: schemas.Blank}
		return []schemas.Advice{schemas.Call(answer, "answers it"), show}
	case schemas.ConcernApproval:
		return []schemas.Advice{do(schemas.ActApprove, "lets it go on"), show}
	case schemas.ConcernFailure:
		return []schemas.Advice{do(schemas.ActRetry, "has it done again"), show}
	case schemas.ConcernEscalation:
		return []schemas.Advice{show, schemas.Call(schemas.ClaimIn{HandoffID: id}, "takes it")}
	case schemas.ConcernWork:
		return []schemas.Advice{schemas.Call(schemas.ClaimIn{HandoffID: id}, "takes it"), show}
	case schemas.ConcernYours:
		done := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: schemas.Blank}}
		return []schemas.Advice{schemas.Call(done, "ends it when it is done"), show}
	case schemas.ConcernDead, schemas.ConcernSilent:
		return []schemas.Advice{do(schemas.ActRelease, "lets another take it"), show}
	case schemas.ConcernBlocked:
		again := schemas.UpdateIn{HandoffID: c.BlockedBy.String(), Action: schemas.ActRetry}
		return []schemas.Advice{schemas.Call(again, "has that done again for which it waits"), show}
	case schemas.ConcernLapsed, schemas.ConcernNoTakers:
		other := schemas.UpdateIn{HandoffID: id, Action: schemas.ActAmend, To: schemas.Blank}
		return []schemas.Advice{schemas.Call(other, "gives it to another"), show}
	case schemas.ConcernRunning:
	}
	return []schemas.Advice{show}
}
