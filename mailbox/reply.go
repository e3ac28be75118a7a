package mailbox

import (
	"strings"

	"handoff/mailbox/draft"
	"handoff/schemas"
	"handoff/store"
)

// replyToNotice answers a notice of the caller. The answer to a message is a message to its sender, about the same
// handoff, and the answered message is marked read. A question is not answered here: replyToNotice only returns the id
// of the handoff whose holder asks, in the result `about`. The error is not_found for a notice that the caller does not
// have, and invalid for a notice of another kind.
func (o *op) replyToNotice(in schemas.UpdateIn) (out schemas.UpdateOut, about string, err error) {
	n, err := findNotice(o.View, o.By.Agent, in.HandoffID)
	switch {
	case err != nil:
		return out, "", err
	case n.Kind == string(noticeQuestion):
		return out, n.About.String(), nil
	case n.Kind != schemas.TypeMessage:
		return out, "", schemas.Invalidf("handoff_id", "%s is no message: nobody waits for an answer to it", n.ID).
			WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: n.ID.String()}, "reads it"))
	case strings.TrimSpace(in.Note) == "" || in.Changes != nil:
		return out, "", schemas.Invalidf("note", "is needed to answer, and alone").WithHint("Say what the answer is.")
	}
	d, err := o.drafts.MakeOne(o.By, replyMessage(*n, in.Note), o.Now)
	if err != nil {
		return out, "", err
	}
	sent, err := o.sendDraft(&d)
	if err != nil {
		return out, "", err
	}
	return schemas.UpdateOut{
		NoticeID: n.ID, Reply: sent.NoticeID, Status: schemas.Completed, Action: in.Action, To: sent.To, Warnings: sent.Warnings,
	}, "", o.markRead(o.By.Agent, n.ID)
}

// replyMessage makes the message that answers another message.
func replyMessage(n schemas.Notice, text string) schemas.SendIn {
	title := strings.TrimPrefix(strings.TrimPrefix(n.Title, "Handoff: "), "Re: ")
	in := schemas.SendIn{
		To: string(n.From), Type: schemas.TypeMessage, Task: text, Title: schemas.Shorten("Re: "+title, 200), Parent: "none",
		Data: map[string]string{"in_reply_to": n.ID.String()}, Options: &schemas.SendOptions{Force: true},
	}
	if n.About != 0 {
		in.Parent = n.About.String()
	}
	return in
}

// findNotice returns the notice of an agent by its id. If the agent has no notice with that id, the error is not_found.
func findNotice(v *store.View, a schemas.Agent, id string) (*schemas.Notice, error) {
	var wanted schemas.NoticeID
	if wanted.UnmarshalText([]byte(id)) == nil {
		for n, err := range v.Notices(a, wanted+1) {
			if err != nil || n.ID == wanted {
				return &n, err
			}
			break
		}
	}
	return nil, schemas.Errorf(schemas.NotFound, "%s has no notice %s", a, schemas.EscapeHidden(schemas.Clip(id, 80))).
		WithField("handoff_id").WithNext(schemas.AdviseCall(schemas.ListIn{Box: "notices"}, "lists yours"))
}

// isWorkOfCallingPerson reports whether the caller is human, and the handoff r waits for human or is held by human.
func (o *op) isWorkOfCallingPerson(r *store.Record) bool {
	waits := r.Status == schemas.Pending && r.Box == schemas.Address(schemas.Human)
	works := (r.Status == schemas.Accepted || r.Status == schemas.Working) && r.Holder == schemas.Human
	return o.By.Agent == schemas.Human && (waits || works)
}

// completeWithAnswer claims work that waits for a person and completes it, with the answer as its summary. The errors
// are the errors of [Service.Complete]. For example, work with criteria needs an answer to each criterion.
func (o *op) completeWithAnswer(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	done := schemas.CompleteIn{Result: schemas.Result{Summary: in.Note}}
	held := r
	if r.Status == schemas.Pending {
		got, err := o.claimByID(r.ID.String())
		if err != nil {
			return nil, err
		}
		held = got.record
	}
	kept, err := newComparison(o.View, o.By, held, done)
	if err != nil {
		return nil, err
	}
	kept.undo = true
	ended, err := o.complete(held, done, draft.Fingerprint(done), kept, nil)
	if err != nil {
		return nil, err
	}
	out.Warnings = append(out.Warnings, ended.Warnings...)
	return o.Record(r.ID)
}
