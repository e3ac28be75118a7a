package tools

import (
	"fmt"
	"slices"

	"handoff/schemas"
)

// nextOne is how the next handoff is taken.
func nextOne() schemas.Advice { return schemas.Call(schemas.ClaimIn{}, "takes the next one") }

// nothing gives no advice. The functions below are called after the commit with the arguments in canonical form and the
// result. They read neither store nor clock. Each piece of advice is a call that is complete and valid, or a sentence;
// none takes work away from anybody. Package toolstest holds them to that. A text that only the caller can write is
// [schemas.Blank], which no tool accepts.
func nothing[In, Out any](In, Out) []schemas.Advice { return nil }

// afterSend advises to wait for the outcome of a handoff. A message needs nothing more, and a dry run has sent nothing.
func afterSend(_ schemas.SendIn, o schemas.SendOut) []schemas.Advice {
	switch {
	case o.HandoffID != 0:
		wait := schemas.GetIn{HandoffID: o.HandoffID.String(), View: "outcome", WaitSeconds: schemas.MaxWait}
		next := advise(schemas.Call(wait, "waits for the outcome; a notice tells you anyway"))
		if slices.Contains(o.BlockedBy, "approval") {
			say := fmt.Sprintf("Human approves it before anybody may claim it, on the command line: handoff approve %s.", o.HandoffID)
			return append(advise(schemas.Advice{Say: say}), next...)
		}
		return next
	case o.NoticeID != 0:
		return nil
	}
	return advise(schemas.Advice{Say: "Nothing was sent: send it again, and not as a dry run."})
}

// afterClaim advises the three ways to go on with a claim, with the token of the claim where its tool takes one. An
// empty mailbox is a success: the advice is to wait, for as long as a call may.
func afterClaim(_ schemas.ClaimIn, o schemas.ClaimOut) []schemas.Advice {
	if o.HandoffID == 0 {
		return advise(schemas.Call(schemas.ClaimIn{WaitSeconds: schemas.MaxWait}, "waits for mail"))
	}
	id := o.HandoffID.String()
	done := schemas.CompleteIn{HandoffID: id, Token: o.Token, Result: schemas.Result{Summary: schemas.Blank}}
	ask := schemas.UpdateIn{HandoffID: id, Action: schemas.ActAsk, Questions: []string{schemas.Blank}}
	failed := schemas.FailIn{HandoffID: id, FailureDetail: schemas.FailureDetail{Description: schemas.Blank}}
	return advise(
		schemas.Call(done, "ends it when you have done it"+answering(o.Criteria)),
		schemas.Call(ask, "asks if something is missing"),
		schemas.Call(failed, "gives it up if you cannot"),
	)
}

// answering says how criteria are answered. No call can say it: only the holder knows which are met.
func answering(criteria int) string {
	switch criteria {
	case 0:
		return ""
	case 1:
		return "; answer its criterion by the number 1, met or not, with evidence"
	}
	return fmt.Sprintf("; answer each of its %d criteria by number, met or not, with evidence", criteria)
}

// afterComplete advises the next claim. It warns of criteria that were not met, because the sender may send the work
// back.
func afterComplete(_ schemas.CompleteIn, o schemas.CompleteOut) []schemas.Advice {
	if len(o.Unmet) == 0 && o.Outcome == schemas.Partial {
		return advise(schemas.Advice{Say: "The sender sees that it is done in part, and may return it."}, nextOne())
	}
	if len(o.Unmet) > 0 {
		return advise(schemas.Advice{Say: "The sender sees what is unmet and may return it."}, nextOne())
	}
	return advise(nextOne())
}

func afterFail(schemas.FailIn, schemas.FailOut) []schemas.Advice { return advise(nextOne()) }

// afterUpdate advises by the action that was taken. An action that made a new handoff, such as a retry, is followed at
// the new one. Every action is named in the switch, so that a new one is not forgotten.
func afterUpdate(_ schemas.UpdateIn, o schemas.UpdateOut) []schemas.Advice {
	id := o.HandoffID.String()
	switch o.Action {
	case schemas.ActProgress:
		done := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: schemas.Blank}}
		return advise(schemas.Call(done, "ends it when you have done it"))
	case schemas.ActAsk:
		return advise(
			schemas.Call(schemas.GetIn{HandoffID: id, WaitSeconds: schemas.MaxWait}, "waits for the answer"),
			schemas.Call(schemas.ClaimIn{HandoffID: id}, "goes on then"),
		)
	case schemas.ActRelease:
		return advise(nextOne())
	case schemas.ActCancel:
		if len(o.Children) > 0 {
			child := schemas.GetIn{HandoffID: o.Children[0].String()}
			return advise(schemas.Call(child, "shows the first child, which goes on all the same"))
		}
	case schemas.ActAnswer, schemas.ActRetry, schemas.ActReturn, schemas.ActApprove, schemas.ActAmend:
		if o.Created != 0 {
			id = o.Created.String()
		}
		return advise(schemas.Call(schemas.GetIn{HandoffID: id, WaitSeconds: schemas.MaxWait}, "waits for a change"))
	case schemas.ActRefuse:
	}
	return nil
}

// afterList advises the next page: the same call with the cursor. The last page advises nothing.
func afterList(in schemas.ListIn, o schemas.ListOut) []schemas.Advice {
	if o.Cursor == "" {
		return nil
	}
	in.Cursor = o.Cursor
	return advise(schemas.Call(in, "gives more"))
}

// afterGet advises the rest of a long text, or the view that has what was left out. The call does not wait, even if
// this one did.
func afterGet(in schemas.GetIn, o schemas.GetOut) []schemas.Advice {
	in.HandoffID, in.WaitSeconds = o.HandoffID.String(), 0
	switch {
	case o.HandoffID == 0: // a notice comes in full
		return nil
	case o.NextOffset > 0:
		in.Offset = o.NextOffset
		return advise(schemas.Call(in, "gives the rest"))
	case len(o.Omitted) > 0:
		return advise(schemas.Call(schemas.GetIn{HandoffID: in.HandoffID, View: "full"}, "has what was left out"))
	}
	return nil
}

// afterHistory advises a longer list, of 500 handoffs at most, of the whole workflow.
func afterHistory(in schemas.HistoryIn, o schemas.HistoryOut) []schemas.Advice {
	if o.More == 0 {
		return nil
	}
	in.HandoffID, in.Workflow, in.Limit = "", string(o.Workflow), min(o.Shown+o.More, 500)
	return advise(schemas.Call(in, "shows more"))
}

func afterRegister(schemas.RegisterIn, schemas.RegisterOut) []schemas.Advice {
	return advise(schemas.Call(schemas.ClaimIn{WaitSeconds: schemas.MaxWait}, "waits for work"))
}

// afterAgents advises to narrow a list that was cut off, and to register somebody when nobody is known.
func afterAgents(_ schemas.AgentsIn, o schemas.AgentsOut) []schemas.Advice {
	switch {
	case o.More > 0:
		say := fmt.Sprintf("narrows the list; %d more are here", o.More)
		return advise(schemas.Call(schemas.AgentsIn{Capability: schemas.Blank}, say))
	case len(o.Agents) > 0:
		return nil
	}
	one := schemas.RegisterIn{Name: schemas.Blank, Accepts: []string{schemas.Blank}}
	return advise(schemas.Call(one, "makes one known"))
}

// advise is a list of what it is given.
func advise(next ...schemas.Advice) []schemas.Advice { return next }
