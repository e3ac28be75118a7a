package mailbox

import (
	"fmt"
	"time"

	"handoff/mailbox/draft"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// repeatedSend gives the result of the first send with the same key, nil when this is the first or has no key. Keys are
// those of one sender. The error is conflict for a key that was used for other content, by the digest of
// [draft.Maker.Encode], and names the handoff of the first send.
func (o *op) repeatedSend(d *draft.Draft) (*schemas.SendOut, error) {
	if d.Key == "" {
		return nil, nil
	}
	r, err := o.Receipt(store.ByKey(o.By.Agent, d.Key))
	if r == nil || err != nil {
		return nil, err
	}
	var out schemas.SendOut
	if err := schemas.Decode(r.Result, &out); err != nil {
		return nil, err
	}
	if r.Digest != d.Digest {
		e := schemas.Errorf(schemas.Conflict, "the key %q was used for other content", schemas.Visible(d.Key)).
			WithField("key").WithHint("Use a new key for new work. Nothing was sent.")
		if id, foreign := d.ForeignID(); foreign {
			e = schemas.Errorf(schemas.Conflict, "you sent %q before, as %s, with other content", schemas.Visible(id), out.HandoffID).
				WithField("handoff_id").WithHint("Give a new message another id, or amend %s. Nothing was sent.", out.HandoffID)
		}
		return nil, e.About(out.HandoffID, "", 0)
	}
	out.Warnings = append(out.Warnings, "you sent this before with the same key: nothing new was sent")
	return &out, nil
}

// rememberKey keeps the result of a send under the key that the sender gave it, as long as the store exists. It is
// committed with the handoff, so a sender that was cut off repeats the send and gets the first result or sends for the
// first time.
func (o *op) rememberKey(d *draft.Draft, out schemas.SendOut) error {
	if d.Key == "" {
		return nil
	}
	return o.KeepResult(store.ByKey(o.By.Agent, d.Key), store.At(o.Now), d.Digest, out)
}

// repeats is how long the same content is noticed, and how far back is looked.
const (
	repeatWindow = 10 * time.Minute
	lookback     = 64
)

// warnOfRepeat warns of an earlier handoff of this sender with the same content, unless the sender gave a key. It only
// warns: sending the same task twice on purpose is allowed. It looks at the last 64 sends within ten minutes.
func (o *op) warnOfRepeat(d *draft.Draft, r *store.Record) (warnings []string, err error) {
	for sent, err := range reading.AtMost(1+lookback, o.Sent(o.By.Agent)) {
		if err != nil || o.Now.Sub(sent.At.Time()).Abs() > repeatWindow {
			return nil, err
		}
		if sent.Digest == d.Digest && sent.ID != r.ID {
			return []string{fmt.Sprintf("same as %s, sent within the last 10 minutes", sent.ID)}, nil
		}
	}
	return nil, nil
}
