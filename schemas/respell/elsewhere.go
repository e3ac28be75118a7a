package respell

import (
	"cmp"
	"strings"

	"handoff/schemas"
)

// finishUpdate refuses an action that another tool does, and gives the call that does it.
func finishUpdate(n *normalisation) error {
	action, _ := n.args["action"].(string)
	word := strings.ToLower(strings.TrimSpace(action))
	next, ok := elsewhere(word, n.id())
	if !ok {
		return n.refuseLetterhead(word)
	}
	e := schemas.Invalidf(n.at+"action", "%q is not an action here: another tool does it", word).WithNext(next)
	if strings.HasPrefix(word, "reject") {
		back := schemas.UpdateIn{HandoffID: n.id(), Action: schemas.ActReturn, Note: schemas.Blank}
		e = schemas.Invalidf(n.at+"action", "%q is not an action here", word).WithNext(next,
			schemas.Call(back, "returns a result that is not good enough, as its sender"))
	}
	return e
}

// id is that of the handoff that a call is about, and a blank for a message that names none.
func (n *normalisation) id() string { return cmp.Or(words(n.args["handoff_id"]), schemas.Blank) }

// refuseLetterhead refuses what an acknowledgement says of itself with any action but the one that keeps it.
func (n *normalisation) refuseLetterhead(action string) error {
	for to, from := range n.filled {
		if rootOf(to) == "origin" && action != string(schemas.ActAsk) {
			return schemas.Invalidf(n.at+from, "there is no such field").WithHint("Leave it out.")
		}
	}
	return nil
}

// elsewhere gives the call that does what a word means which is no action of update_handoff.
func elsewhere(word, id string) (schemas.Advice, bool) {
	switch word {
	case "complete", "completed", "done", "finish", "finished", "success", "close", "closed", "resolve", "resolved":
		done := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: schemas.Blank}}
		return schemas.Call(done, "ends it"), true
	case "fail", "failed", "reject", "rejected", "decline", "rollback", "escalate":
		failed := schemas.FailIn{HandoffID: id, FailureDetail: schemas.FailureDetail{Description: schemas.Blank}}
		if word == "reject" || word == "rejected" || word == "decline" {
			failed.Outcome = schemas.OutcomeRejected
		}
		return schemas.Call(failed, "gives it up"), true
	case "claim", "start", "take":
		return schemas.Call(schemas.ClaimIn{HandoffID: id}, "takes it"), true
	case "get", "read", "show", "wait":
		return schemas.Call(schemas.GetIn{HandoffID: id}, "shows it"), true
	case "send", "delegate":
		return schemas.Call(schemas.SendIn{To: schemas.Blank, Task: schemas.Blank}, "sends work"), true
	}
	return schemas.Advice{}, false
}
