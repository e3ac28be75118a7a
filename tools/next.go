package tools

import (
	"bytes"
	"encoding/json"
	"strconv"

	"handoff/schemas"
)

func nothing[In, Out any](as, In, Out) string { return "" }

func afterSend(as as, _ schemas.SendIn, o schemas.SendOut) string {
	switch {
	case o.HandoffID != 0:
		return as.call("get_handoff", "handoff_id", o.HandoffID, "view", "outcome", "wait_seconds", 50) +
			" waits for the outcome; a notice tells you anyway."
	case o.NoticeID != 0:
		return ""
	}
	return "Leave dry_run out to send it."
}

func afterClaim(as as, _ schemas.ClaimIn, o schemas.ClaimOut) string {
	if o.HandoffID == 0 {
		return as.call("claim_handoff", "wait_seconds", 50) + " waits for mail."
	}
	done := []any{"handoff_id", o.HandoffID, "claim_token", o.Token, "summary", "…"}
	if o.Criteria > 0 {
		done = append(done, "verification", json.RawMessage(`{"criteria":[{"criterion":1,"met":…,"evidence":"…"}, …]}`))
	}
	return "Do it, then " + as.call("complete_handoff", done...) +
		". If something is missing: " + as.call("update_handoff", "handoff_id", o.HandoffID, "action", schemas.ActAsk, "questions", []string{"…"}) +
		". If you cannot: fail_handoff."
}

func afterComplete(as as, _ schemas.CompleteIn, o schemas.CompleteOut) string {
	if len(o.Unmet) > 0 {
		return "The sender sees what is unmet and may return it. " + as.more()
	}
	return as.more()
}

func afterFail(as as, _ schemas.FailIn, _ schemas.FailOut) string { return as.more() }

func afterUpdate(as as, _ schemas.UpdateIn, o schemas.UpdateOut) string {
	id := o.HandoffID
	if o.Created != 0 {
		id = o.Created
	}
	watch := as.call("get_handoff", "handoff_id", id, "wait_seconds", 50)
	switch o.Action {
	case schemas.ActProgress:
		return "When done: " + as.call("complete_handoff", "handoff_id", o.HandoffID, "summary", "…") + "."
	case schemas.ActAsk:
		return watch + " waits for the answer; then " + as.call("claim_handoff", "handoff_id", o.HandoffID) + " goes on."
	case schemas.ActRelease:
		return as.more()
	case schemas.ActCancel:
		if len(o.Children) > 0 {
			return as.call("update_handoff", "handoff_id", o.Children[0], "action", schemas.ActCancel) + " for each child that should end too."
		}
		return ""
	case schemas.ActAnswer, schemas.ActRetry, schemas.ActReturn, schemas.ActApprove, schemas.ActAmend:
		return watch + " waits for a change."
	case schemas.ActRefuse:
	}
	return ""
}

func afterList(as as, _ schemas.ListIn, o schemas.ListOut) string {
	if o.Cursor == "" {
		return ""
	}
	return as.call("list_handoffs", "cursor", o.Cursor) + ", with the same filters, gives more."
}

func afterGet(as as, in schemas.GetIn, o schemas.GetOut) string {
	switch {
	case o.HandoffID == 0: // a notice comes in full
		return ""
	case o.NextOffset > 0:
		more := []any{"handoff_id", o.HandoffID, "view", in.View}
		if in.Reference != "" {
			more = append(more, "reference", in.Reference)
		}
		return as.call("get_handoff", append(more, "offset", o.NextOffset)...) + " gives the rest."
	case len(o.Omitted) > 0:
		return as.call("get_handoff", "handoff_id", o.HandoffID, "view", "full") + " has what was left out."
	}
	return ""
}

func afterHistory(as as, _ schemas.HistoryIn, o schemas.HistoryOut) string {
	if o.More == 0 {
		return ""
	}
	return as.call("handoff_history", "workflow", o.Workflow, "limit", min(len(o.Chain)+o.More, 500)) + " shows more."
}

func afterRegister(as as, _ schemas.RegisterIn, _ schemas.RegisterOut) string {
	return as.call("claim_handoff", "wait_seconds", 50) + " waits for work."
}

func afterAgents(as as, _ schemas.AgentsIn, o schemas.AgentsOut) string {
	if o.More > 0 {
		return as.call("list_agents", "capability", "…") + " narrows the list; " + strconv.Itoa(o.More) + " more are here."
	}
	if len(o.Agents) > 0 {
		return ""
	}
	return as.call("register_agent", "name", "…", "accepts", []string{"…"}) + " makes one known."
}

// as is the name under which the call was made, when it said so: subagents of one client share a server,
// and the calls they are advised to make must say it again.
type as schemas.Agent

// more is how the next one is taken.
func (as as) more() string { return as.call("claim_handoff") + " takes the next one." }

// call writes the call of a tool as a client would send it; arguments alternate between name and value.
func (as as) call(tool string, arguments ...any) string {
	if as != "" {
		arguments = append(arguments, "agent", string(as))
	}
	b := bytes.NewBufferString(tool + " {")
	for i, argument := range arguments {
		b.Write(written(argument))
		switch {
		case i%2 == 0:
			b.WriteByte(':')
		case i < len(arguments)-1:
			b.WriteByte(',')
		}
	}
	return b.String() + "}"
}

// written is an argument as JSON; raw ones are shown as they are, with what is to be filled in.
func written(argument any) []byte {
	if raw, ok := argument.(json.RawMessage); ok {
		return raw
	}
	b, err := json.Marshal(argument)
	if err != nil {
		panic(err) // ids, words and numbers can be written
	}
	return b
}
