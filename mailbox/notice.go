package mailbox

import (
	"cmp"
	"context"
	"slices"

	"handoff/mailbox/delivery"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/overview"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// noticeOf makes the notice about a change. All agents that are told of the change get the same notice.
func noticeOf(h *operation.RecordChange) schemas.Notice {
	return operation.NoticeOf(cmp.Or(noticeKinds[h.Action], h.Action), h.Now, h.Text)
}

// noticeKinds has the kind of the notice for an action, if the kind has another name than the action.
var noticeKinds = map[life.Action]life.Action{life.Ask: noticeQuestion, life.Answer: noticeAnswer}

// The kinds of notices that are no actions.
const (
	noticeApproval         life.Action = overview.NoticeApproval // it waits for a person to approve it
	noticeQuestion         life.Action = "question"              // its holder asks
	noticeAnswer           life.Action = delivery.NoticeAnswer   // its question was answered
	noticeBlocked          life.Action = "blocked"               // a dependency will not be completed
	noticeTooDeep          life.Action = "escalated"             // its chain is too long to go on by itself
	noticeBudget           life.Action = "budget"                // its workflow is past a limit
	noticeNoTakers         life.Action = "no_takers"             // no agent takes it now
	noticePermissionNeeded life.Action = "leave"                 // its next steps wait for a person's permission
)

// tellSender tells the sender of a changed handoff. If the handoff is a part that was open when its sender ended the
// whole, or goes on with the whole that its sender escalated, the agent that gets the notices about the whole is told,
// too, because the work of the sender is over.
func (o *op) tellSender(h *operation.RecordChange) error {
	if err := o.NotifySender(h.Now, noticeOf(h)); err != nil {
		return err
	}
	whole := reading.RecordOrNil(o.View, h.Now.Parent)
	if whole == nil || !whole.Status.HasEnded() || whole.Holder != h.Now.From || whole.From == h.Now.From || h.Now.Holder == whole.From ||
		h.Now.Created > whole.Ended || slices.Contains([]schemas.ID{whole.Forwarded, whole.Review}, h.Now.ID) {
		return nil
	}
	return o.NotifySender(whole, noticeOf(h))
}

// readNotice shows one notice of the caller in full, and marks the notice read in the same transaction. It also shows a
// message that the caller sent. A notice that was read can be shown again. The error is invalid for a malformed id and
// for a caller without a name. It is not_found for a notice that the caller neither got nor sent.
func (s *Service) readNotice(ctx context.Context, by schemas.Caller, id string) (out schemas.GetOut, err error) {
	var wanted schemas.NoticeID
	if err := wanted.UnmarshalText([]byte(id)); err != nil {
		return out, schemas.Invalidf("handoff_id", "%q is not the id of a notice", schemas.EscapeHidden(schemas.Clip(id, 80))).
			WithNext(schemas.AdviseCall(schemas.ListIn{Box: "notices"}, "lists yours"))
	}
	if by.Agent == "" {
		return out, schemas.Invalidf("agent", "is needed to know whose notice").WithHint("Say who you are.")
	}
	err = s.showNotices(ctx, by, &out, func(v *store.View) ([]schemas.NoticeID, error) {
		out = schemas.GetOut{}
		n, missing := findNotice(v, by.Agent, id)
		if missing == nil {
			out.Notice = n
			return []schemas.NoticeID{wanted}, nil
		}
		if found, err := showSentMessage(v, by.Agent, wanted, &out); found || err != nil {
			return nil, err
		}
		return nil, missing
	})
	return out, err
}

// showSentMessage shows a message to its sender, and says whether the recipient has read the message. The result
// `found` is false if the caller sent no message with the id. The message stays unread.
func showSentMessage(v *store.View, by schemas.Agent, id schemas.NoticeID, out *schemas.GetOut) (found bool, err error) {
	n, err := v.SentNotice(by, id)
	if n == nil || n.Kind != schemas.TypeMessage || err != nil {
		return false, err
	}
	unread, err := v.IsNoticeUnread(n.To, id)
	out.Notice, out.Read = n, new(!unread)
	return true, err
}

// MarksRead reports whether the notices that a call shows count as read: the caller may do more than read, and does not
// borrow the name of an agent that is here over another connection.
func (e *env) MarksRead(by schemas.Caller) bool {
	return by.Scope != schemas.ScopeRead && !e.here.IsBorrowed(by)
}

// showNotices runs fn, which shows notices and returns their ids. If [env.MarksRead] says so, it marks these notices
// read. Showing and marking happen in one transaction, so if the call fails, the notices stay unread. The function
// fn may run twice, so it must set all its results anew in each run. For a caller that polls, the same transaction
// stores the result, to which out points, so that a later look shows the notices again.
func (s *Service) showNotices(
	ctx context.Context, by schemas.Caller, out any, fn func(*store.View) ([]schemas.NoticeID, error),
) error {
	if !s.MarksRead(by) {
		_, err := operation.Read(ctx, s.engine, fn)
		return err
	}
	return s.update(ctx, by, func(o *op) error {
		shown, err := fn(o.View)
		if err != nil {
			return err
		}
		if err := o.markRead(by.Agent, shown...); err != nil || by.Poll == 0 {
			return err
		}
		return o.StoreResult(store.RequestReceiptKey(by.Request), store.TimeOf(o.Now), "", out)
	})
}

// markRead marks notices of an agent as read. Notices of the caller's own name stay unread if [env.MarksRead] is false.
func (o *op) markRead(a schemas.Agent, ids ...schemas.NoticeID) error {
	if len(ids) == 0 || a == o.By.Agent && !o.MarksRead(o.By) {
		return nil
	}
	return o.MarkNoticesRead(a, ids...)
}

// recallMessage takes back an unread message of the caller, see [life.Recall]. The error is not_found for a message
// that the caller did not send, and conflict for a message that was read.
func (o *op) recallMessage(in schemas.UpdateIn) (out schemas.UpdateOut, err error) {
	var id schemas.NoticeID
	n := (*schemas.Notice)(nil)
	if id.UnmarshalText([]byte(in.HandoffID)) == nil {
		if n, err = o.SentNotice(o.By.Agent, id); err != nil {
			return out, err
		}
	}
	if n == nil || n.Kind != schemas.TypeMessage {
		return out, schemas.Errorf(schemas.NotFound, "%s sent no message %s", o.By.Agent, schemas.EscapeHidden(schemas.Clip(in.HandoffID, 80))).
			WithField("handoff_id").WithHint("Only its sender takes a message back. Nothing was changed.")
	}
	recalled, err := o.RecallNotice(n.To, id)
	if err != nil {
		return out, err
	}
	if !recalled {
		return out, schemas.Errorf(schemas.Conflict, "%s has read %s", n.To, id).WithField("handoff_id").
			WithHint("Send another message that says what holds now.")
	}
	out = schemas.UpdateOut{NoticeID: id, Status: schemas.Cancelled, Action: in.Action}
	return out, o.RecordEvent(life.Recall, schemas.Notice{ID: id, To: n.To, From: n.From, Kind: n.Kind, At: n.At, Text: in.Note})
}
