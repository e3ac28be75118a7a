package mailbox

import (
	"time"

	"handoff/schemas"
)

// A token may have only so many handoffs pending at a time. Each handoff counts that a caller sends with it: by a send,
// by the continuation of a completion, by a retry, by giving work back. A handoff that the rules send does not count
// for the caller whose action led to it, and is never refused. Work that is tried again counts for its first sender.

// drains is after how long it makes sense to send again, because some may have been claimed. The error of
// [op.checkPending] tells it.
const drains = 30 * time.Second

// checkPending refuses a handoff of which the caller's token would have one too many pending: the error is limit, and
// says after how many seconds it makes sense to try again. The count is kept by the store with each record, so it is
// exact in this transaction. A token without a limit, and a caller without a token, may have any number.
func (o *op) checkPending() error {
	if o.By.Token == "" || o.By.MaxPending == 0 {
		return nil
	}
	n, err := o.PendingOf(o.By.Token)
	if err != nil || n < o.By.MaxPending {
		return err
	}
	return schemas.Errorf(schemas.Limit, "%d handoffs that were sent with token %s are pending, and it may have %d",
		n, o.By.Token, o.By.MaxPending).
		WithHint("Wait until some are claimed. Nothing was sent.").
		WithNext(schemas.Call(schemas.ListIn{Box: "sent", Status: schemas.Standings(schemas.Pending)}, "shows them")).
		After(drains)
}
