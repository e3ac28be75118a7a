package mailbox

import (
	"time"

	"handoff/schemas"
)

// A token may have only so many handoffs pending at a time. What a caller sends with it counts: a handoff, the
// continuation of a completion, a retry, work that it gives back. What the rules send does not count against
// the one whose act led to it, and is never refused; the same work tried again counts for who sent it first.

// drains is after how long it makes sense to look again whether somebody claimed.
const drains = 30 * time.Second

// checkPending refuses what would be one too many that were sent with the caller's token and are pending.
func (o *op) checkPending() error {
	if o.by.Token == "" || o.by.MaxPending == 0 {
		return nil
	}
	n, err := o.PendingOf(o.by.Token)
	if err != nil || n < o.by.MaxPending {
		return err
	}
	return schemas.Errorf(schemas.Limit, "%d handoffs that were sent with token %s are pending, and it may have %d", n, o.by.Token, o.by.MaxPending).
		WithHint("Wait until some are claimed. Nothing was sent.").
		WithNext(schemas.Call(schemas.ListIn{Box: "sent", Status: schemas.Pending}, "shows them")).
		After(drains)
}
