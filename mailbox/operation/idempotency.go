package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// receiptLife is how long the result of a call with a request id is known. A caller that repeats a call does so within
// seconds or minutes; a day covers one that was asleep.
//
// There are three ways to send the same thing twice without harm, and they do not depend on each other. A request id is
// one call that is repeated, by a client or a proxy that got no answer; it is known for a day, for every method that
// changes something. A key is one piece of work, as its sender names it; it is known as long as the store. Without
// either, the same content within ten minutes is sent again, and the sender is warned.
const receiptLife = 24 * time.Hour

// Mutate runs an operation and remembers its result under the request id of the caller, in the same transaction: a
// repeat of the call gets the first result, or the first refusal if that kept something, and takes effect once. Every
// method that changes something for a caller goes through it. It notes that the caller was seen, in its process at once
// and in the store once a minute. Without a request id nothing is remembered; nor is the result of an operation that
// did nothing, so that its repeat tries again.
//
// Because the result is committed with the change, there is no moment in which one is there without the other: after a
// crash the repeat either finds both or neither.
func Mutate[Out any](
	ctx context.Context, e *Engine, by schemas.Caller, fn func(*Op) (Out, error),
) (Out, error) {
	var out Out
	e.Here.Acts(by.Conn, by.Agent)
	err := e.Update(ctx, by, func(o *Op) (err error) {
		out = *new(Out)
		if err := o.noteSeen(); err != nil {
			return err
		}
		out, err = Once(o, fn)
		return err
	})
	return out, err
}

// Once runs fn unless an earlier call with the same request id did, whose result it gives then. The result is not
// remembered of an operation that failed, which is undone as a whole, or that did nothing. Ids are not bound to a
// caller or a method, so whoever makes one makes it unique. A result that is given again and has a method Replayed is
// told so.
func Once[Out any](o *Op, fn func(*Op) (Out, error)) (out Out, err error) {
	if o.By.Request == "" {
		return fn(o)
	}
	done, err := o.Receipt(store.ByRequest(o.By.Request))
	if err != nil {
		return out, err
	}
	if done != nil {
		err = o.replay(done, &out)
		if again, is := any(out).(interface{ Replayed(*Op) }); is {
			again.Replayed(o)
		}
		return out, err
	}
	if out, err = fn(o); err != nil || o.skipReceipt {
		return out, err
	}
	return out, o.remember(out)
}

// refusedDigest marks the receipt of a call that was refused although something was kept. It stands in the place of a digest,
// which only receipts of keys have.
const refusedDigest = "refused"

// replay gives the result of an earlier call again, or its refusal. It changes nothing and is no event.
func (o *Op) replay(done *store.Receipt, out any) error {
	if done.Digest != refusedDigest {
		return schemas.Decode(done.Result, out)
	}
	var why schemas.Error
	if err := schemas.Decode(done.Result, &why); err != nil {
		return err
	}
	o.Refuse(&why)
	return nil
}

// remember keeps the result of a call, or its refusal, and drops some receipts that are a day old: four for each that
// is kept, so they never grow past what a day brings.
func (o *Op) remember(out any) error {
	digest := ""
	if o.refusal != nil {
		digest, out = refusedDigest, schemas.AsError(o.refusal)
	}
	return cmp.Or(
		o.tx.ExpireReceipts(o.Now.Add(-receiptLife), 4),
		o.KeepResult(store.ByRequest(o.By.Request), store.At(o.Now), digest, out),
	)
}

// KeepResult keeps the result of a call.
func (o *Op) KeepResult(key store.ReceiptKey, at store.Time, digest string, result any) error {
	b, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return o.tx.PutReceipt(key, store.Receipt{Digest: digest, Result: b, At: at})
}
