package store

import (
	"cmp"
	"iter"

	"handoff/schemas"
)

// AddNotice adds an unread notice for n.To and returns its number. It sets n.ID itself. Numbers of notices count up
// over all agents, so the numbers of one agent have gaps. Each call adds a notice.
func (t *RowTx) AddNotice(n schemas.Notice) (schemas.NoticeID, error) {
	id, err := t.w.Next(Notices)
	if err != nil {
		return 0, err
	}
	n.ID = schemas.NoticeID(id)
	unread := UnreadRow(n)
	if err := cmp.Or(t.putJSON(Notices, unread.Key, n), t.w.Put(Unread, unread.Key, unread.Value)); err != nil {
		return 0, err
	}
	return n.ID, t.addToCounters(schemas.Address(n.To), Counters{Unread: 1})
}

// UnreadRow returns the row that marks a notice as unread. The notice itself has the same key.
func UnreadRow(n schemas.Notice) IndexRow {
	return IndexRow{Unread, noticeKey(n.To, n.ID), EncodeNumber(handoffCoveringNotice(n))}
}

func noticeKey(a schemas.Agent, id schemas.NoticeID) []byte {
	return joinBytes(zeroTerminated(a), EncodeNumber(id))
}

// Notices yields the notices of an agent whose numbers are below the given one, newest first. Zero begins at the newest
// notice. It includes notices that were read.
func (v *View) Notices(a schemas.Agent, before schemas.NoticeID) iter.Seq2[schemas.Notice, error] {
	r := reversePrefix(Notices, zeroTerminated(a))
	if before != 0 {
		r.To = noticeKey(a, before)
	}
	return decodeRows(v, r, DecodeJSONRow[schemas.Notice])
}

// SentNotice returns the notice with a number if the given agent sent it, and nil if there is no such notice. It costs
// one read for each agent that has notices, because the key begins with the recipient.
func (v *View) SentNotice(from schemas.Agent, id schemas.NoticeID) (*schemas.Notice, error) {
	numbered := func(to []byte) []byte { return joinBytes(to, EncodeNumber(id)) }
	for key, err := range distinctBeginnings(v, Range{Space: Notices}, firstWord, numbered) {
		if err != nil {
			return nil, err
		}
		switch found, err := getJSON[schemas.Notice](v, Notices, key); {
		case err != nil:
			return nil, err
		case found != nil && found.From == from: // no two notices have the same number
			return found, nil
		}
	}
	return nil, nil
}

// IsNoticeUnread reports whether an agent has a notice of that number and has not yet read it.
func (v *View) IsNoticeUnread(a schemas.Agent, id schemas.NoticeID) (bool, error) {
	b, err := v.r.Get(Unread, noticeKey(a, id))
	return b != nil, err
}

// UnreadNotices yields the notices that an agent has not yet read, newest first. A row in the space unread whose notice
// is missing gives a decoding error.
func (v *View) UnreadNotices(a schemas.Agent) iter.Seq2[schemas.Notice, error] {
	return decodeRows(v, reversePrefix(Unread, zeroTerminated(a)), func(unread Row) (n schemas.Notice, err error) {
		b, err := v.r.Get(Notices, unread.Key)
		if err != nil {
			return n, err
		}
		return DecodeJSONRow[schemas.Notice](Row{Value: b})
	})
}

// handoffCoveringNotice returns the handoff that a notice is about. When an agent is shown this handoff, the notice
// counts as read. The result is zero for a message, because no handoff repeats the text of a message.
func handoffCoveringNotice(n schemas.Notice) schemas.ID {
	if n.Kind == schemas.TypeMessage {
		return 0
	}
	return n.About
}

// UnreadNoticesAbout returns the numbers of an agent's unread notices about a handoff, except messages. It looks only
// at the newest unread notices of the agent, at most `among`. It reads a notice itself only if an older program wrote
// the row in the space unread, because such a row does not name the handoff.
func (v *View) UnreadNoticesAbout(a schemas.Agent, of schemas.ID, among int) (told []schemas.NoticeID, err error) {
	for row, err := range v.r.Scan(reversePrefix(Unread, zeroTerminated(a))) {
		if among--; err != nil || among < 0 {
			return told, err
		}
		about := schemas.ID(DecodeLastNumber(row.Value))
		if len(row.Value) == 0 {
			n, err := getJSON[schemas.Notice](v, Notices, row.Key)
			if err != nil || n == nil {
				return nil, cmp.Or(err, ErrCorrupt)
			}
			about = handoffCoveringNotice(*n)
		}
		if about == of {
			told = append(told, schemas.NoticeID(DecodeLastNumber(row.Key)))
		}
	}
	return told, nil
}

// MarkNoticesRead marks notices of an agent as read, and adjusts the counter of unread notices. It skips notices that
// are already read or do not exist, so the call may be repeated.
func (t *RowTx) MarkNoticesRead(a schemas.Agent, ids ...schemas.NoticeID) error {
	for _, id := range ids {
		unread, err := t.IsNoticeUnread(a, id)
		if err != nil {
			return err
		}
		if !unread {
			continue
		}
		if err := cmp.Or(t.w.Delete(Unread, noticeKey(a, id)), t.addToCounters(schemas.Address(a), Counters{Unread: -1})); err != nil {
			return err
		}
	}
	return nil
}

// RecallNotice deletes a notice that its agent has not read, and reports whether it deleted one. A notice that was read
// stays. The number is not used again.
func (t *RowTx) RecallNotice(a schemas.Agent, id schemas.NoticeID) (bool, error) {
	unread, err := t.IsNoticeUnread(a, id)
	if err != nil || !unread {
		return false, err
	}
	return true, cmp.Or(t.MarkNoticesRead(a, id), t.w.Delete(Notices, noticeKey(a, id)))
}

// RewriteNotices calls change with each notice of all agents, and writes the notice back if change returns true.
func (t *RowTx) RewriteNotices(change func(*schemas.Notice) bool) error {
	for n, err := range decodeRows(t.View, Range{Space: Notices}, DecodeJSONRow[schemas.Notice]) {
		if err != nil {
			return err
		}
		if !change(&n) {
			continue
		}
		if err := t.putJSON(Notices, noticeKey(n.To, n.ID), n); err != nil {
			return err
		}
	}
	return nil
}
