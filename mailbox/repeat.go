package mailbox

import (
	"fmt"
	"time"

	"handoff/mailbox/draft"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// repeatedSend returns the result of the first send with the same idempotency key. It returns nil for the first send
// and for a send without a key. Each sender has its own keys. The error is conflict if the key was used for other
// content, and names the first handoff.
func (o *op) repeatedSend(d *draft.Draft) (*schemas.SendOut, error) {
	if d.Key == "" {
		return nil, nil
	}
	r, err := o.Receipt(store.KeyReceiptKey(o.By.Agent, d.Key))
	if r == nil || err != nil {
		return nil, err
	}
	var out schemas.SendOut
	if err := schemas.Decode(r.Result, &out); err != nil {
		return nil, err
	}
	if r.Digest != d.Digest {
		e := schemas.Errorf(schemas.Conflict, "the key %q was used for other content", schemas.EscapeHidden(d.Key)).
			WithField("key").WithHint("Use a new key for new work. Nothing was sent.")
		if id, foreign := d.ForeignID(); foreign {
			e = schemas.Errorf(schemas.Conflict, "you sent %q before, as %s, with other content", schemas.EscapeHidden(id), out.HandoffID).
				WithField("handoff_id").WithHint("Give a new message another id, or amend %s. Nothing was sent.", out.HandoffID)
		}
		return nil, e.WithHandoff(out.HandoffID, "", 0)
	}
	out.Warnings = append(out.Warnings, "you sent this before with the same key: nothing new was sent")
	return &out, nil
}

// storeResultUnderKey stores the result of a send under the idempotency key of its sender, in the transaction of the
// send. The result stays as long as the store exists. A sender whose call was cut off repeats the send, and gets the
// first result if the first send was committed.
func (o *op) storeResultUnderKey(d *draft.Draft, out schemas.SendOut) error {
	if d.Key == "" {
		return nil
	}
	return o.StoreResult(store.KeyReceiptKey(o.By.Agent, d.Key), store.TimeOf(o.Now), d.Digest, out)
}

// repeatWindow is how old an earlier handoff with the same content may be for a warning of [op.warnOfRepeat].
// maxLookback is the largest number of rows that a short search reads, such as the search of [op.warnOfRepeat].
const (
	repeatWindow = 10 * time.Minute
	maxLookback  = 64
)

// warnOfRepeat warns of an earlier handoff of this sender with the same content. It only warns, because a sender may
// send the same task twice on purpose. It looks at the last 64 sends within ten minutes. A send with an idempotency key
// gets no warning.
func (o *op) warnOfRepeat(d *draft.Draft, r *store.Record) (warnings []string, err error) {
	if d.Key != "" {
		return nil, nil
	}
	for sent, err := range reading.AtMost(1+maxLookback, o.SentHandoffs(o.By.Agent)) {
		if err != nil || o.Now.Sub(sent.At.Time()).Abs() > repeatWindow {
			return nil, err
		}
		if sent.Digest == d.Digest && sent.ID != r.ID {
			return []string{fmt.Sprintf("same as %s, sent within the last 10 minutes", sent.ID)}, nil
		}
	}
	return nil, nil
}
