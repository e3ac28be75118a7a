package store

import (
	"iter"

	"handoff/schemas"
)

// Notify adds a notice for n.To, unread, and returns its number. It sets the ID of the notice itself.
//
// It writes the notice, its row in unread and the counter of the mailbox of n.To. Numbers of notices count up over all
// agents, so those of one agent have gaps. Each call adds a notice: a caller that must not notify twice checks before.
func (t *Tx) Notify(n schemas.Notice) (schemas.NoticeID, error) {
	id, err := t.w.Next(Notices)
	if err != nil {
		return 0, err
	}
	n.ID = schemas.NoticeID(id)
	key := join(word(n.To), number(n.ID))
	if err := t.putJSON(Notices, key, n); err != nil {
		return 0, err
	}
	if err := t.w.Put(Unread, key, nil); err != nil {
		return 0, err
	}
	return n.ID, t.count(schemas.Address(n.To), Mailbox{Unread: 1})
}

// Notices yields the notices of an agent below the given number, newest first; 0 begins at the last.
//
// Notices that were read are among them: reading deletes no notice.
func (v *View) Notices(a schemas.Agent, before schemas.NoticeID) iter.Seq2[schemas.Notice, error] {
	r := Prefix(Notices, word(a))
	r.Reverse = true
	if before != 0 {
		r.To = join(word(a), number(before))
	}
	return decoded(v, r, fromJSON[schemas.Notice])
}

// SentNotice is the notice of a number that an agent sent, to whomever; nil where there is none. It looks once for each
// agent that has notices.
func (v *View) SentNotice(from schemas.Agent, id schemas.NoticeID) (*schemas.Notice, error) {
	at := []byte{}
	for {
		var next *schemas.Notice
		for n, err := range decoded(v, Range{Space: Notices, From: at}, fromJSON[schemas.Notice]) {
			if err != nil {
				return nil, err
			}
			next = &n
			break
		}
		if next == nil {
			return nil, nil
		}
		b, err := v.r.Get(Notices, join(word(next.To), number(id)))
		if err != nil {
			return nil, err
		}
		if b != nil {
			found, err := fromJSON[schemas.Notice](Row{Value: b})
			if err != nil || found.From != from {
				return nil, err
			}
			return &found, nil
		}
		at = After(word(next.To))
	}
}

// IsUnread reports whether an agent has a notice of that number and has not yet read it.
func (v *View) IsUnread(a schemas.Agent, id schemas.NoticeID) (bool, error) {
	b, err := v.r.Get(Unread, join(word(a), number(id)))
	return b != nil, err
}

// UnreadBy yields the notices that an agent has not yet read, newest first.
//
// Each costs a read of the notice. An unread row without a notice, which [Store.Check] reports, is yielded as a
// decoding error.
func (v *View) UnreadBy(a schemas.Agent) iter.Seq2[schemas.Notice, error] {
	r := Prefix(Unread, word(a))
	r.Reverse = true
	return decoded(v, r, func(unread Row) (n schemas.Notice, err error) {
		b, err := v.r.Get(Notices, unread.Key)
		if err != nil {
			return n, err
		}
		return fromJSON[schemas.Notice](Row{Value: b})
	})
}

// Read marks notices of an agent as read. Notices that are read already, or do not exist, are left alone.
//
// Reading the same notice twice changes nothing the second time, so the call may be repeated. The counter goes down by
// one for each notice that was unread.
func (t *Tx) Read(a schemas.Agent, ids ...schemas.NoticeID) error {
	for _, id := range ids {
		unread, err := t.IsUnread(a, id)
		if err != nil {
			return err
		}
		if !unread {
			continue
		}
		if err := t.w.Delete(Unread, join(word(a), number(id))); err != nil {
			return err
		}
		if err := t.count(schemas.Address(a), Mailbox{Unread: -1}); err != nil {
			return err
		}
	}
	return nil
}

// Recall takes a notice away from an agent that has not read it, and tells whether it did. The notice is gone, with its row
// in unread and its part of the counter; its number is not used again. What was read, or does not exist, stays as it is.
func (t *Tx) Recall(a schemas.Agent, id schemas.NoticeID) (bool, error) {
	unread, err := t.IsUnread(a, id)
	if err != nil || !unread {
		return false, err
	}
	if err := t.Read(a, id); err != nil {
		return false, err
	}
	return true, t.w.Delete(Notices, join(word(a), number(id)))
}
