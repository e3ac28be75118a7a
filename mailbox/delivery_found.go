package mailbox

import (
	"slices"

	"handoff/schemas"
)

// mostPassed is how many handoffs are passed over that were delivered to a session and that it has not claimed: as
// many as a mailbox holds by default.
const mostPassed = 10_000

// findHandoffs finds what the session may claim, best first. With fresh it passes over what was
// delivered to the session before.
func (d *delivery) findHandoffs(fresh bool) error {
	a, err := d.me()
	if err != nil {
		return err
	}
	boxes, err := claimsFrom(d.View, *a, d.orphaned)
	if err != nil {
		return err
	}
	looked, passed := 0, 0
	for id, err := range d.Queue(boxes...) {
		if err != nil || looked == scanned || passed == mostPassed {
			return err
		}
		if fresh && d.delivered.Handoffs.Has(uint64(id)) {
			passed++
			continue
		}
		looked++
		r := d.usable(id)
		if r == nil || r.Status != schemas.Pending || !slices.Contains(boxes, r.Box) || !mayTake(r, d.by.Agent, nil) {
			continue
		}
		d.found.Handoffs = append(d.found.Handoffs, id)
		if len(d.out.New) < newsShown {
			d.out.New = append(d.out.New, itemOf(r))
		} else {
			d.out.MoreNew++
		}
	}
	return nil
}

// findNotices finds the unread notices that are wanted, newest first.
func (d *delivery) findNotices(wanted func(schemas.Notice) bool) error {
	looked := 0
	for notice, err := range d.UnreadBy(d.by.Agent) {
		if looked++; err != nil || looked > scanned {
			return err
		}
		if !wanted(notice) {
			continue
		}
		d.found.Notices = append(d.found.Notices, notice.ID)
		if len(d.out.New) < newsShown {
			d.out.New = append(d.out.New, itemOfNotice(notice, true))
		} else {
			d.out.MoreNew++
		}
	}
	return nil
}

func anyNotice(schemas.Notice) bool { return true }

// isNew tells whether a notice was not delivered yet.
func (d *delivery) isNew(notice schemas.Notice) bool {
	return !d.delivered.Notices.Has(uint64(notice.ID))
}
