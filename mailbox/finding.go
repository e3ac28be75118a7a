package mailbox

import (
	"slices"

	"handoff/schemas"
)

// mostPassed is how many handoffs are passed over that a session was told of, and has not claimed: as many as a mailbox
// holds by default.
const mostPassed = 10_000

// findHandoffs finds what the session may claim, best first. With untold it passes over what the session was told
// before.
func (t *telling) findHandoffs(untold bool) error {
	a, err := t.me()
	if err != nil {
		return err
	}
	boxes, err := claimsFrom(t.View, *a, t.strays)
	if err != nil {
		return err
	}
	looked, passed := 0, 0
	for id, err := range t.Queue(boxes...) {
		if err != nil || looked == scanned || passed == mostPassed {
			return err
		}
		if untold && t.told.Handoffs.Has(uint64(id)) {
			passed++
			continue
		}
		looked++
		r := t.usable(id)
		if r == nil || r.Status != schemas.Pending || !slices.Contains(boxes, r.Box) || !mayTake(r, t.by.Agent, nil) {
			continue
		}
		t.found.Handoffs = append(t.found.Handoffs, id)
		if len(t.out.New) < newsShown {
			t.out.New = append(t.out.New, itemOf(r))
		} else {
			t.out.MoreNew++
		}
	}
	return nil
}

// findNotices finds the unread notices that are wanted, newest first.
func (t *telling) findNotices(wanted func(schemas.Notice) bool) error {
	looked := 0
	for notice, err := range t.UnreadBy(t.by.Agent) {
		if looked++; err != nil || looked > scanned {
			return err
		}
		if !wanted(notice) {
			continue
		}
		t.found.Notices = append(t.found.Notices, notice.ID)
		if len(t.out.New) < newsShown {
			t.out.New = append(t.out.New, itemOfNotice(notice, true))
		} else {
			t.out.MoreNew++
		}
	}
	return nil
}

func anyNotice(schemas.Notice) bool { return true }

func (t *telling) untold(notice schemas.Notice) bool { return !t.told.Notices.Has(uint64(notice.ID)) }
