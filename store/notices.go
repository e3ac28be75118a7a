package store

import (
	"cmp"
	"iter"

	"handoff/schemas"
)

// AddNotice adds a notice for n.To, unread, and returns its number. It sets the ID of the notice itself.
//
// It writes the notice, its row in unread and the counter of the mailbox of n.To. Numbers of notices count up over all
// agents, so the numbers of one agent have gaps. Each call adds a notice: a caller that must not notify twice checks
// before.
func (t *Tx) AddNotice(n schemas.Notice) (schemas.NoticeID, error) {
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

// Notices yields the notices of an agent below the given number, newest first; 0 begins at the last.
//
// It includes notices that were read: reading deletes no notice.
func (v *View) Notices(a schemas.Agent, before schemas.NoticeID) iter.Seq2[schemas.Notice, error] {
	r := reversePrefix(Notices, zeroTerminated(a))
	if before != 0 {
		r.To = noticeKey(a, before)
	}
	return decodeRows(v, r, DecodeJSONRow[schemas.Notice])
}

// SentNotice returns the notice of a number that an agent sent, to any recipient; nil if there is none. It costs one
// look for each agent that has notices.
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

// UnreadNotices yields the notices that an agent has not yet read, newest first.
//
// Each costs a read of the notice. An unread row without a notice is yielded as a decoding error; package audit reports
// it.
func (v *View) UnreadNotices(a schemas.Agent) iter.Seq2[schemas.Notice, error] {
	return decodeRows(v, reversePrefix(Unread, zeroTerminated(a)), func(unread Row) (n schemas.Notice, err error) {
		b, err := v.r.Get(Notices, unread.Key)
		if err != nil {
			return n, err
		}
		return DecodeJSONRow[schemas.Notice](Row{Value: b})
	})
}

// handoffCoveringNotice returns the handoff that a notice is about. An agent that is shown this handoff learns the content of
// the notice, so the notice then counts as read. The result is zero for a message, because no handoff repeats its text.
func handoffCoveringNotice(n schemas.Notice) schemas.ID {
	if n.Kind == schemas.TypeMessage {
		return 0
	}
	return n.About
}

// UnreadNoticesAbout returns unread notices about a handoff, without messages. It looks only at the newest unread notices of
// the agent, at most `among`.
//
// It reads the rows of the space unread, which name the handoff. It reads a notice itself only if an older program
// wrote the row, because such a row does not name the handoff.
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

// MarkNoticesRead marks notices of an agent as read. It skips notices that are read already or do not exist.
//
// Marking a notice twice changes nothing the second time, so the call may be repeated. The counter goes down by one for
// each notice that was unread.
func (t *Tx) MarkNoticesRead(a schemas.Agent, ids ...schemas.NoticeID) error {
	for _, id := range ids {
		unread, err := t.IsNoticeUnread(a, id)
		if err != nil {
			return err
		}
		if !unread {
			continue
		}
		if err := t.w.Delete(Unread, noticeKey(a, id)); err != nil {
			return err
		}
		if err := t.addToCounters(schemas.Address(a), Counters{Unread: -1}); err != nil {
			return err
		}
	}
	return nil
}

// RecallNotice deletes a notice that its agent has not read, and reports whether it did. It deletes the notice with its row
// in unread and its part of the counter; the number is not used again. A notice that was read stays.
func (t *Tx) RecallNotice(a schemas.Agent, id schemas.NoticeID) (bool, error) {
	unread, err := t.IsNoticeUnread(a, id)
	if err != nil || !unread {
		return false, err
	}
	if err := t.MarkNoticesRead(a, id); err != nil {
		return false, err
	}
	return true, t.w.Delete(Notices, noticeKey(a, id))
}

// RewriteNotices calls change with each notice of all agents, and writes the notice back if change returns true.
func (t *Tx) RewriteNotices(change func(*schemas.Notice) bool) error {
	for n, err := range decodeRows(&t.View, Range{Space: Notices}, DecodeJSONRow[schemas.Notice]) {
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
