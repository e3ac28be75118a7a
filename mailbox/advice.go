package mailbox

import (
	"errors"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// tellAgent advises to send an agent a message.
func tellAgent(a schemas.Agent) schemas.Advice {
	return schemas.Call(schemas.SendIn{To: string(a), Task: schemas.Blank, Type: schemas.TypeMessage}, "tells "+string(a))
}

// holderDoes advises an action of a holder, with a token or, where none is needed, without. What only the caller knows
// is left to it.
func holderDoes(a life.Action, h schemas.ID, token string) schemas.Advice {
	in := schemas.UpdateIn{HandoffID: h.String(), Token: token, Action: schemas.ActProgress}
	switch a { //nolint:exhaustive // the others report
	case life.Complete:
		done := schemas.CompleteIn{HandoffID: in.HandoffID, Token: token, Result: schemas.Result{Summary: schemas.Blank}}
		return schemas.Call(done, "completes it; say all that you said now")
	case life.Fail:
		given := schemas.FailIn{
			HandoffID: in.HandoffID, Token: token, FailureDetail: schemas.FailureDetail{Description: schemas.Blank},
		}
		return schemas.Call(given, "gives it up")
	case life.Ask:
		in.Action, in.Questions = schemas.ActAsk, []string{schemas.Blank}
		return schemas.Call(in, "asks the sender")
	case life.Release:
		in.Action = schemas.ActRelease
		return schemas.Call(in, "gives it back")
	}
	in.Note = schemas.Blank
	return schemas.Call(in, "reports on it")
}

// waitForChange advises to wait until a handoff changes, for as long as one call may wait.
func waitForChange(r *store.Record) schemas.Advice {
	return schemas.Call(schemas.GetIn{HandoffID: r.ID.String(), WaitSeconds: schemas.MaxWait}, "tells when that changes")
}

// forcible advises on a send that its recipient would not take. No call is advised: what is forced upon a name that
// somebody mistyped is lost.
func forcible(err error) error {
	e, coded := errors.AsType[*schemas.Error](err)
	if !coded || e.Code != schemas.NotFound && e.Code != schemas.Conflict {
		return err
	}
	return e.WithNext(schemas.Advice{Say: "To send it all the same, force it."})
}

// enumerate lists agents in a sentence, twenty at most, and counts the others.
func enumerate(names []schemas.Agent) string {
	return schemas.Some(schemas.Texts(names), schemas.MostNamed)
}
