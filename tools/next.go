package tools

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"handoff/schemas"
)

// nextText has the advice whose calls need no more than an id. It explains itself.
//
//go:embed next.txt
var nextText string

var nextRows = sync.OnceValue(func() schemas.AdviceTable { return schemas.ReadAdviceTable(nextText) })

// advise returns the advice of next.txt for a situation. The pairs are names in braces and what they stand for.
func advise(situation string, id fmt.Stringer, pairs ...string) []schemas.Advice {
	return nextRows().For(situation, append(pairs, "{id}", id.String())...)
}

// adviseClaim advises to claim the next handoff.
func adviseClaim() schemas.Advice { return schemas.AdviseCall(schemas.ClaimIn{}, "takes the next one") }

// The functions below are called after the commit with the arguments in canonical form and the result. They read
// neither store nor clock. Each piece of advice is a complete and valid call, or a sentence; none takes work away
// from an agent. Package toolstest checks this. [schemas.Blank] stands for a text that only the caller can write; no
// tool accepts it.

// adviseAfterSend advises to wait for the outcome of a handoff. It advises nothing after a message, because a message
// has no outcome. It also advises nothing after a dry run, because nothing was sent.
func adviseAfterSend(in schemas.SendIn, o schemas.SendOut) (next []schemas.Advice) {
	if o.Answers != 0 {
		answer := schemas.UpdateIn{HandoffID: o.Answers.String(), Action: schemas.ActAnswer, Note: in.Task}
		next = append(next, schemas.AdviseCall(answer, fmt.Sprintf("answers what %s asks, if this is the answer", o.To)))
	}
	if o.AsksOn != 0 {
		ask := schemas.UpdateIn{HandoffID: o.AsksOn.String(), Action: schemas.ActAsk, Questions: []string{in.Task}}
		next = append(next, schemas.AdviseCall(ask, "asks it there, if it is a question: the work then waits for the answer"))
	}
	switch {
	case o.HandoffID != 0:
		next = append(next, schemas.AdviseWait(cmp.Or(o.Joined, o.HandoffID), "waits for outcome or question"))
		if slices.Contains(o.BlockedBy, "approval") {
			ids := cmp.Or(strings.Join(schemas.FormatAll(o.Parts), " "), o.HandoffID.String())
			return append(advise("approval", o.HandoffID, "{ids}", ids), next...)
		}
		if o.Joined != 0 || len(o.BlockedBy) > 0 {
			return append(next, schemas.Advice{Say: "Waiting handoffs go on when their dependencies are completed with success, or accepted."})
		}
		return next
	case o.NoticeID != 0:
		return append(next, advise("receipt", o.NoticeID)...)
	}
	return listAdvice(schemas.Advice{Say: "Nothing was sent: send it again, and not as a dry run."})
}

// adviseAfterClaim advises how to continue with a claim: complete the handoff, ask, or fail it. The advised calls have
// the claim token if the tool takes one. If there was nothing to claim, it advises to wait. Handoffs that the caller
// held before come first.
func adviseAfterClaim(in schemas.ClaimIn, o schemas.ClaimOut) []schemas.Advice {
	next := o.Resume
	if o.WaitingMail != "" {
		next = append(next, schemas.Advice{Say: o.WaitingMail})
	}
	switch {
	case o.HandoffID == 0 && o.MoreNotices:
		return append(next, schemas.AdviseCall(schemas.ListIn{Box: "notices"}, "shows what else is unread"))
	case o.HandoffID == 0:
		next = append(next, adviseAfterNotices(o.Notices)...)
		say := "waits for mail"
		if len(in.Tags) > 0 {
			say += " of any tag"
		}
		return append(next, schemas.AdviseCall(schemas.ClaimIn{WaitSeconds: schemas.MaxWait}, say))
	case o.OnlyUnread:
		return append(next, advise("brief", o.HandoffID)...)
	}
	next = append(next, adviseComplete(o.HandoffID.String(), o.Token, o.ToDo))
	next = append(next, advise("holder", o.HandoffID)...)
	if in.View == "full" && o.Handoff == nil {
		next = append(next, schemas.AdviseCall(schemas.GetIn{HandoffID: o.HandoffID.String(), View: "full"}, "gives all of it, in pages"))
	}
	return next
}

// maxCriteria is the largest number of criteria that an advised call names. A longer call would only cost tokens.
const maxCriteria = 12

// adviseComplete advises the call that completes a handoff, with all required parts. It marks each criterion as not
// met, because only the holder knows which criteria are met. So a holder that only fills in the texts claims no
// criterion.
func adviseComplete(id, token string, todo schemas.CompletionNeeds) schemas.Advice {
	done := schemas.CompleteIn{
		HandoffID: id, Token: token, Result: schemas.Result{Summary: schemas.Blank, Output: todo.Output},
	}
	if todo.Criteria == 0 {
		return schemas.AdviseCall(done, "completes it")
	}
	done.Verification = &schemas.Verification{}
	for n := range min(todo.Criteria, maxCriteria) {
		done.Verification.Criteria = append(done.Verification.Criteria,
			schemas.Criterion{Criterion: strconv.Itoa(n + 1), Evidence: schemas.Blank})
	}
	say := "completes it, each criterion with evidence"
	if todo.Criteria > maxCriteria {
		say += fmt.Sprintf("; there are %d", todo.Criteria)
	}
	return schemas.AdviseCall(done, say)
}

// adviseAfterNotices advises actions on unread notices: to answer the newest open question, to read the newest failed
// and the newest completed outcome, and to claim the handoff of the newest answer.
func adviseAfterNotices(items []schemas.ListItem) (next []schemas.Advice) {
	for _, row := range nextRows() {
		if i := slices.IndexFunc(items, func(i schemas.ListItem) bool {
			return i.Unread && !i.Settled && i.HandoffID != 0 && slices.Contains(row.Situations, "notice:"+i.Kind)
		}); i >= 0 {
			next = append(next, advise("notice:"+items[i].Kind, items[i].HandoffID)...)
		}
	}
	return next
}

// adviseAfterComplete advises the next claim, and a send that names the completed handoff as its parent. Without the
// parent, the send would not continue this work. The sends to the agents that accept what was delivered come in place of
// a send to any agent. If criteria are not met, it warns that the sender may return the work.
func adviseAfterComplete(in schemas.CompleteIn, o schemas.CompleteOut) []schemas.Advice {
	switch {
	case len(o.Unmet) > 0:
		return advise("unmet", o.HandoffID)
	case o.Outcome == schemas.Partial:
		return advise("partial", o.HandoffID)
	case o.Forwarded != nil, in.Continuation != nil && in.Continuation.To != "": // and it was refused
		return listAdvice(adviseClaim())
	}
	if len(o.Suggested) == 0 {
		return advise("completed", o.HandoffID)
	}
	return append(listAdvice(adviseClaim()), schemas.Map(o.Suggested, func(c schemas.RoutingCandidate) schemas.Advice {
		send := schemas.SendIn{To: string(c.Agent), Task: schemas.Blank, Parent: o.HandoffID.String()}
		return schemas.AdviseCall(send, fmt.Sprintf("passes it on: %s %s", c.Agent, c.Why))
	})...)
}

func adviseAfterFail(schemas.FailIn, schemas.FailOut) []schemas.Advice {
	return listAdvice(adviseClaim())
}

// adviseAfterUpdate returns advice for the action of the call. If the action made a new handoff, such as a retry, the
// advice is about the new handoff.
func adviseAfterUpdate(_ schemas.UpdateIn, o schemas.UpdateOut) []schemas.Advice {
	switch {
	case o.Reply != 0:
		return advise("receipt", o.Reply)
	case o.Action == schemas.ActProgress && o.Reader == "": // the claim said how to complete it
		return nil
	case o.Action == schemas.ActCancel && len(o.Children) == 0:
		return nil
	}
	return advise("action:"+string(o.Action), cmp.Or(o.Created, o.HandoffID), "{reader}", string(o.Reader))
}

// adviseAfterList advises actions on unread notices, and the next page: the same call with the cursor. After a wait it
// advises to claim the new handoff, or to wait again.
func adviseAfterList(in schemas.ListIn, o schemas.ListOut) []schemas.Advice {
	next := adviseAfterNotices(o.Items)
	switch {
	case o.FoundElsewhere > 0:
		in.Box = "all"
		return listAdvice(schemas.AdviseCall(in, fmt.Sprintf("finds %d of other boxes", o.FoundElsewhere)))
	case o.MatchedWords != "":
		in.Query = o.MatchedWords
		return listAdvice(schemas.AdviseCall(in, fmt.Sprintf("leaves out %s, found nowhere with these filters", strings.Join(o.UnmatchedWords, ", "))))
	case in.Type == schemas.TypeMessage && len(next) == 0:
		return listAdvice(schemas.AdviseCall(schemas.ListIn{Box: "notices"}, "lists messages to you; with agent, those to another, which stay unread"))
	case in.Query != "" && in.Cursor == "" && o.Cursor == "" && len(o.Items) == 0:
		return listAdvice(schemas.Advice{Say: "No handoff has all of these words and passes the other filters: search for fewer."})
	case o.Claimable:
		next = append(next, adviseClaim())
	case in.WaitSeconds > 0 && o.Cursor == "":
		next = append(next, schemas.AdviseCall(in, "waits for more"))
	}
	if o.Cursor == "" {
		return next
	}
	if in.WaitSeconds == 0 { // else the shown notices are already read
		in.Cursor = o.Cursor
	}
	return append(next, schemas.AdviseCall(in, "gives more"))
}

// adviseAfterGet advises to read the rest of a long text, or the view with the omitted parts. For an outcome it advises
// the sender to accept or return the result. The advised call does not wait, even if this call did.
func adviseAfterGet(in schemas.GetIn, o schemas.GetOut) []schemas.Advice {
	waited, standing := in.WaitSeconds > 0, schemas.ValueOrZero(o.Standing)
	in.HandoffID, in.WaitSeconds = o.HandoffID.String(), 0
	switch {
	case o.HandoffID == 0: // a notice comes in full
		return nil
	case o.Token != "":
		return advise("brief", o.HandoffID) // it read the rest with its first claim
	case o.Asked:
		return advise("notice:question", o.HandoffID)
	case o.MayTakeOver:
		return advise("held-by-name", o.HandoffID)
	case waited && !o.Status.HasEnded():
		in.WaitSeconds = schemas.MaxWait
		return listAdvice(schemas.AdviseCall(in, "goes on waiting"))
	case o.NextOffset > 0:
		in.Offset = o.NextOffset
		return listAdvice(schemas.AdviseCall(in, "gives the rest"))
	case len(o.Readable) > 0:
		return schemas.Map(o.Readable, func(name string) schemas.Advice {
			return schemas.AdviseCall(schemas.GetIn{HandoffID: in.HandoffID, Reference: name}, "reads it")
		})
	case len(o.Omitted) > 0:
		return advise("omitted", o.HandoffID)
	case o.MayJudge:
		result := map[bool]string{true: "result:not-kept", false: "result"}[standing.NotKept] // retention removed its texts
		return advise(result, o.HandoffID)
	case o.AwaitsReview:
		return advise("in-review", o.HandoffID)
	case standing.Successor != 0 && in.View == "outcome":
		return listAdvice(schemas.AdviseWait(standing.Successor, "waits for the handoff that replaced it"))
	}
	return nil
}

// adviseAfterHistory advises a longer list of the whole workflow, of 500 handoffs at most.
func adviseAfterHistory(in schemas.HistoryIn, o schemas.HistoryOut) []schemas.Advice {
	if o.More == 0 {
		return nil
	}
	in.HandoffID, in.Workflow, in.Limit = "", string(o.Workflow), min(o.Shown+o.More, 500)
	return listAdvice(schemas.AdviseCall(in, "shows more"))
}

// adviseAfterRegister advises to wait for work. It advises nothing for an agent that is away. If the registered agent
// has no open connection, the advised call names the agent, because the session may act under another name.
func adviseAfterRegister(_ schemas.RegisterIn, o schemas.RegisterOut) []schemas.Advice {
	wait := schemas.AdviseCall(schemas.ClaimIn{WaitSeconds: schemas.MaxWait}, "waits for work")
	if o.Agent.Away {
		return nil
	}
	if !o.Agent.Live {
		wait.Say = fmt.Sprintf("waits for work of %s, if that is you", o.Agent.Name)
		wait = wait.WithAgent(o.Agent.Name)
	}
	return listAdvice(wait)
}

// adviseAfterAgents advises to narrow a list that was cut off, and to register an agent if none is known. It also
// advises sends to the workflows, pools and checks of the project.
func adviseAfterAgents(in schemas.AgentsIn, o schemas.AgentsOut) []schemas.Advice {
	switch {
	case o.More > 0:
		say := fmt.Sprintf("narrows the list; %d more are here", o.More)
		return append(listAdvice(schemas.AdviseCall(schemas.AgentsIn{Capability: schemas.Blank}, say)), o.Sends...)
	case len(o.Agents) > 0:
		return o.Sends
	case o.Skilled != nil:
		c := o.Skilled
		able := schemas.RegisterIn{Name: string(c.Name), Accepts: c.AcceptedKindsPlus(in.Capability)}
		return listAdvice(schemas.AdviseCall(able, fmt.Sprintf("lets %s take it: it has that as a skill only", c.Name)))
	}
	one := schemas.RegisterIn{Name: schemas.Blank, Accepts: []string{cmp.Or(in.Capability, schemas.Blank)}, Role: in.Role}
	return listAdvice(schemas.AdviseCall(one, "makes one known"))
}

// adviseReadBeforeWait advises to read before advice to wait, if the caller has unread notices. One of the notices may
// be the event for which the caller would wait. After a list, a claim or an update it advises to read the unread
// notices even if there is no advice to wait. The exception is a call that itself listed notices: its advice stays
// unchanged. If the caller holds handoffs, a list of the inbox first advises to list the held handoffs.
func adviseReadBeforeWait(tool string, args json.RawMessage, next []schemas.Advice, inbox *schemas.InboxCounts) []schemas.Advice {
	if inbox != nil && inbox.Held > 0 && tool == (schemas.ListIn{}).Tool() && !bytes.Contains(args, []byte(`"box":`)) {
		next = append(listAdvice(schemas.AdviseCall(schemas.ListIn{Box: "claimed"}, "lists what you hold")), next...)
	}
	if inbox == nil || inbox.Notices == 0 || bytes.Contains(args, []byte(`"box":"notices"`)) {
		return next
	}
	read := schemas.AdviseCall(schemas.ListIn{Box: "notices"}, "shows what is unread")
	wait := slices.IndexFunc(next, func(a schemas.Advice) bool { return bytes.Contains(a.Args, []byte(`"wait_seconds":`)) })
	reads := []string{schemas.ListIn{}.Tool(), schemas.ClaimIn{}.Tool(), schemas.UpdateIn{}.Tool()}
	switch {
	case slices.ContainsFunc(next, func(a schemas.Advice) bool { return bytes.Equal(a.Args, read.Args) }):
		return next
	case wait >= 0:
		return slices.Insert(slices.Clone(next), wait, read)
	case slices.Contains(reads, tool):
		return append(next, read)
	}
	return next
}

// adviseWaitIfEmpty turns advice to claim the next handoff into advice to wait for a handoff. It does so only if the
// caller has nothing to claim and nothing to read.
func adviseWaitIfEmpty(next []schemas.Advice, inbox *schemas.InboxCounts) []schemas.Advice {
	if inbox == nil || inbox.Pending+inbox.Notices > 0 {
		return next
	}
	for i, a := range next {
		if a.Say == adviseClaim().Say && bytes.Equal(a.Args, adviseClaim().Args) {
			next[i] = schemas.AdviseCall(schemas.ClaimIn{WaitSeconds: schemas.MaxWait}, "waits for the next one")
		}
	}
	return next
}

// warnBorrowedName warns a caller that acts under the name of an agent with another open connection. The warning says
// that the agent was told, and that the agent's notices stay unread, if this is so.
func warnBorrowedName(agent, own schemas.Agent, told, unread bool) schemas.Advice {
	say := fmt.Sprintf("Agent %s is here over another connection", agent)
	if told {
		say += ", and was told that you act as it"
	}
	if unread {
		say += ". Its notices stay unread"
	}
	return schemas.Advice{Say: fmt.Sprintf("%s. If you are not %s, act as %s.", say, agent, cmp.Or(own, "yourself"))}
}

// listAdvice returns its arguments as a list.
func listAdvice(next ...schemas.Advice) []schemas.Advice { return next }
