package mailbox

import (
	"errors"

	"handoff/schemas"
	"handoff/store"
)

// What several operations advise about a handoff.

func claimFirst(r *store.Record) schemas.Advice {
	return schemas.Call(schemas.ClaimIn{HandoffID: r.ID.String()}, "claims it, which comes first")
}

func askSender(r *store.Record) schemas.Advice {
	ask := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAsk, Questions: []string{schemas.Blank}}
	return schemas.Call(ask, "asks the sender")
}

func askPermission(r *store.Record) schemas.Advice {
	needs := &schemas.Conditions{NeedsPermission: []string{schemas.Blank}}
	ask := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAsk, Conditions: needs}
	return schemas.Call(ask, "asks for what only a person may grant")
}

func giveUp(r *store.Record) schemas.Advice {
	failed := schemas.FailIn{HandoffID: r.ID.String(), FailureDetail: schemas.FailureDetail{Description: schemas.Blank}}
	return schemas.Call(failed, "gives it up")
}

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
