package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// receiptLife is how long the server knows the result of a call with a request id. Callers repeat a call within seconds
// or minutes; a day covers a machine that slept.
//
// There are three independent protections against sending the same thing twice. A request id marks repeats of one call,
// by a client or a proxy that got no answer; every method that changes something knows it for a day. An idempotency key
// marks one piece of work, as its sender names it; the store knows it forever. Without either, equal content within ten
// minutes is sent again, and the server warns the sender.
const receiptLife = 24 * time.Hour

// Mutate runs an operation and stores its result under the request id of the caller, in the same transaction. A repeat
// of the call gets the first result, or the first refusal if that one was committed, and takes effect once. Every
// method that changes something for a caller goes through it. It notes that the caller was seen: in this process at
// once, in the store once a minute. It stores no receipt without a request id, and none for an operation that did
// nothing, so that its repeat tries again.
//
// The receipt is committed with the change. So after a crash a repeat finds both or neither.
func Mutate[Out any](
	ctx context.Context, e *Engine, by schemas.Caller, fn func(*Op) (Out, error),
) (Out, error) {
	var out Out
	e.Here.NoteActing(by.Conn, by.Agent)
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

// Once returns the result of an earlier call with the same request id, or runs fn if there is none. It stores no result
// of an operation that failed, which is undone as a whole, or that did nothing. Ids are not bound to a caller or a
// method, so callers must make them unique. If the result of a repeat has a method Replayed, Once calls it.
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

// refusedDigest marks the receipt of a call that was committed and refused. It takes the place of a digest, which only
// receipts of keys have.
const refusedDigest = "refused"

// replay decodes the result of an earlier call into out, or repeats its refusal. It changes nothing and writes no
// event.
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

// remember stores the result of a call, or its refusal. It also deletes up to four receipts that are a day old, so the
// store never holds more receipts than a day brings.
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

// KeepResult stores the result of a call under a key.
func (o *Op) KeepResult(key store.ReceiptKey, at store.Time, digest string, result any) error {
	b, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return o.tx.PutReceipt(key, store.Receipt{Digest: digest, Result: b, At: at})
}
