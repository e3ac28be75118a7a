package mailbox

import (
	"cmp"
	"context"
	"encoding/json"

	"handoff/schemas"
	"handoff/store"
)

// A caller whose connection breaks repeats its call, perhaps while the first call is still under way here. Both calls
// may return one claim, and only one result arrives. So the receipt of a claim counts the calls that return it, and
// the last of them that cannot deliver its result gives the claim back. Each call counts itself and strikes itself out
// in a transaction, one after the other: a call that counts itself before the claim is given back keeps it, and a call
// that comes later finds no receipt and claims anew.

// tellAgain counts one more call among those that return a claim, and gives that claim: zero if it was given back
// meanwhile. A call that is over is counted as well, since it strikes itself out.
func (s *Service) tellAgain(by schemas.Caller) (got claimed, err error) {
	err = s.update(context.Background(), by, func(o *op) error {
		got = claimed{}
		done, err := o.Receipt(store.ByRequest(by.Request))
		if done == nil || err != nil {
			return err
		}
		if err := json.Unmarshal(done.Result, &got); err != nil {
			return err
		}
		if done.At < store.At(o.started) { // the calls before ended with an earlier service: this one takes their place
			done.At, got.Told = store.At(o.now), 0
		} else {
			got.Told++
		}
		return o.putTold(done, got)
	})
	return got, err
}

// giveBack releases a claim that could not be delivered, unless another call returns it, and forgets its receipt, so
// that a repeat claims anew. The context of the call is over, so it is not used.
func (s *Service) giveBack(by schemas.Caller, taken claimed, why error) error {
	given := false
	err := s.update(context.Background(), by, func(o *op) error {
		given = false
		r, err := o.Record(taken.ID)
		if err != nil || r.Token != taken.Token || !r.Status.Held() {
			return err // the claim ended since
		}
		others, err := o.strikeOut()
		if others || err != nil {
			return err
		}
		given = true
		_, err = o.release(r, "", "")
		return err
	})
	if err != nil || !given {
		return cmp.Or(err, why)
	}
	return schemas.Errorf(schemas.Unavailable, "%s was claimed and given back: %w", taken.ID, why)
}

// strikeOut takes this call out of those that return a claim, and tells whether there are others. After the last the
// receipt is gone.
func (o *op) strikeOut() (others bool, err error) {
	if o.by.Request == "" {
		return false, nil
	}
	key := store.ByRequest(o.by.Request)
	done, err := o.Receipt(key)
	if done == nil || err != nil {
		return false, err
	}
	var told claimed
	if err := json.Unmarshal(done.Result, &told); err != nil {
		return false, err
	}
	if told.Told == 0 {
		return false, o.tx.DeleteReceipt(key)
	}
	told.Told--
	return true, o.putTold(done, told)
}

// putTold keeps the receipt of a claim with the new count.
func (o *op) putTold(done *store.Receipt, told claimed) (err error) {
	if done.Result, err = json.Marshal(told); err != nil {
		return err
	}
	return o.tx.PutReceipt(store.ByRequest(o.by.Request), *done)
}
