package mailbox

import (
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// remindersInARow is how often a session is kept from stopping before it may, whatever it holds. Not every client
// has a limit of its own.
const remindersInARow = 3

// onStop reminds a session of what it holds: of each handoff once, and so of nothing when its client asks again and
// again.
func (d *delivery) onStop() error {
	held, err := d.held()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(held, func(r *store.Record) bool {
		return !atWork(r) || d.delivered.Reminded.Has(uint64(r.ID))
	})
	if len(left) == 0 || d.delivered.InARow == remindersInARow {
		d.letStop()
		return nil
	}
	var because []schemas.ID
	for _, r := range left {
		because = append(because, r.ID)
	}
	d.mark(schemas.Marks{Reminded: because})
	d.delivered.InARow++
	d.out.Remind = true
	d.show(left)
	return nil
}

// letStop notes that the session stops.
func (d *delivery) letStop() {
	if d.delivered.InARow > 0 {
		d.delivered.InARow, d.marked = 0, true
	}
}

// atWork tells whether a holder is to do something about a handoff now. One that waits for an answer may be left.
func atWork(r *store.Record) bool { return r.Status == schemas.Accepted || r.Status == schemas.Working }
