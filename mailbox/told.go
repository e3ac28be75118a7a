package mailbox

import (
	"slices"
	"time"

	"handoff/schemas"
	"handoff/store"
)

const (
	// toldFor is how long it is remembered what a session was told.
	toldFor = 7 * 24 * time.Hour

	// forgotten is how many other sessions are looked at when one is told something, to forget the old ones.
	forgotten = 16
)

// findHandoffs finds what the session may claim, best first. Of more than can be named it only finds out that
// there are so many. With unseen it passes over what the session was told before.
func (n *news) findHandoffs(unseen bool) error {
	a, err := n.me()
	if err != nil {
		return err
	}
	boxes, err := claimsFrom(n.View, *a, n.strays)
	if err != nil {
		return err
	}
	looked := 0
	for id, err := range n.Queue(boxes...) {
		if looked++; err != nil || looked > scanned {
			return err
		}
		if unseen && n.told.Handoffs.Has(uint64(id)) {
			continue
		}
		if len(n.out.New) == newsShown {
			n.handoffs = append(n.handoffs, id)
			n.out.MoreNew++
			continue
		}
		r := n.usable(id)
		if r != nil && r.Status == schemas.Pending && slices.Contains(boxes, r.Box) && mayTake(r, n.by.Agent, nil) {
			n.handoffs = append(n.handoffs, id)
			n.out.New = append(n.out.New, itemOf(r))
		}
	}
	return nil
}

// findNotices finds the unread notices that are wanted, newest first.
func (n *news) findNotices(wanted func(schemas.Notice) bool) error {
	looked := 0
	for notice, err := range n.UnreadBy(n.by.Agent) {
		if looked++; err != nil || looked > scanned {
			return err
		}
		if !wanted(notice) {
			continue
		}
		n.notices = append(n.notices, notice.ID)
		if len(n.out.New) < newsShown {
			n.out.New = append(n.out.New, itemOfNotice(notice, true))
		} else {
			n.out.MoreNew++
		}
	}
	return nil
}

func anyNotice(schemas.Notice) bool { return true }

func (n *news) unseen(notice schemas.Notice) bool { return !n.told.Notices.Has(uint64(notice.ID)) }

// mark notes that the session was told of what was found.
func (n *news) mark() {
	for _, id := range n.handoffs {
		n.moved = n.told.Handoffs.Add(uint64(id)) || n.moved
	}
	for _, id := range n.notices {
		n.moved = n.told.Notices.Add(uint64(id)) || n.moved
	}
}

// remember keeps what the session was told, if that is more than before. What sessions were told that are long gone
// is forgotten meanwhile.
func (n *news) remember() error {
	if !n.moved {
		return nil
	}
	n.told.At = store.At(n.now)
	if err := n.tx.PutTold(n.by.Agent, n.in.Session, n.told); err != nil {
		return err
	}
	return n.tx.ForgetTold(n.now.Add(-toldFor), n.by.Agent, n.in.Session, forgotten)
}
