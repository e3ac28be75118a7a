package tools

import (
	"bytes"
	"encoding/json"
	"strconv"

	"handoff/schemas"
)

const nextMail = `claim_handoff {} takes the next one.`

func nothing[Out any](Out) string { return "" }

func afterSend(o schemas.SendOut) string {
	switch {
	case o.HandoffID != 0:
		return call("get_handoff", "handoff_id", o.HandoffID, "view", "outcome", "wait_seconds", 50) +
			" waits for the outcome; a notice tells you anyway."
	case o.NoticeID != 0:
		return ""
	}
	return "Leave dry_run out to send it."
}

func afterClaim(o schemas.ClaimOut) string {
	if o.HandoffID == 0 {
		return call("claim_handoff", "wait_seconds", 50) + " waits for mail."
	}
	return "Do it, then " + call("complete_handoff", "handoff_id", o.HandoffID, "claim_token", o.Token, "summary", "…") +
		". If something is missing: " + call("update_handoff", "handoff_id", o.HandoffID, "action", schemas.ActAsk, "questions", []string{"…"}) +
		". If you cannot: fail_handoff."
}

func afterComplete(o schemas.CompleteOut) string {
	if len(o.Unmet) > 0 {
		return "The sender sees what is unmet and may return it. " + nextMail
	}
	return nextMail
}

func afterFail(schemas.FailOut) string { return nextMail }

func afterUpdate(o schemas.UpdateOut) string {
	id := o.HandoffID
	if o.Created != 0 {
		id = o.Created
	}
	watch := call("get_handoff", "handoff_id", id, "wait_seconds", 50)
	switch o.Action {
	case schemas.ActProgress:
		return "When done: " + call("complete_handoff", "handoff_id", o.HandoffID, "summary", "…") + "."
	case schemas.ActAsk:
		return watch + " waits for the answer; then " + call("claim_handoff", "handoff_id", o.HandoffID) + " goes on."
	case schemas.ActRelease:
		return nextMail
	case schemas.ActCancel:
		if len(o.Children) > 0 {
			return call("update_handoff", "handoff_id", o.Children[0], "action", schemas.ActCancel) + " for each child that should end too."
		}
		return ""
	case schemas.ActAnswer, schemas.ActRetry, schemas.ActReturn, schemas.ActApprove, schemas.ActAmend:
		return watch + " waits for a change."
	case schemas.ActRefuse:
	}
	return ""
}

func afterList(o schemas.ListOut) string {
	if o.Cursor == "" {
		return ""
	}
	return call("list_handoffs", "cursor", o.Cursor) + ", with the same filters, gives more."
}

func afterGet(o schemas.GetOut) string {
	switch {
	case o.NextOffset > 0:
		return call("get_handoff", "handoff_id", o.HandoffID, "offset", o.NextOffset) + ", with the same view, gives the rest."
	case len(o.Omitted) > 0:
		return call("get_handoff", "handoff_id", o.HandoffID, "view", "full") + " has what was left out."
	}
	return ""
}

func afterHistory(o schemas.HistoryOut) string {
	if o.More == 0 {
		return ""
	}
	return call("handoff_history", "workflow", o.Workflow, "limit", min(len(o.Chain)+o.More, 500)) + " shows more."
}

func afterRegister(schemas.RegisterOut) string {
	return call("claim_handoff", "wait_seconds", 50) + " waits for work."
}

func afterAgents(o schemas.AgentsOut) string {
	if o.More > 0 {
		return call("list_agents", "capability", "…") + " narrows the list; " + strconv.Itoa(o.More) + " more are here."
	}
	if len(o.Agents) > 0 {
		return ""
	}
	return call("register_agent", "name", "…", "accepts", []string{"…"}) + " makes one known."
}

// call writes the call of a tool as a client would send it; arguments alternate between name and value.
func call(tool string, arguments ...any) string {
	b := bytes.NewBufferString(tool + " {")
	for i, argument := range arguments {
		v, err := json.Marshal(argument)
		if err != nil {
			panic(err) // ids, words and numbers can be written
		}
		b.Write(v)
		switch {
		case i%2 == 0:
			b.WriteByte(':')
		case i < len(arguments)-1:
			b.WriteByte(',')
		}
	}
	return b.String() + "}"
}
