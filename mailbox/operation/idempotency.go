package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// receiptLife is how long the server keeps the result of a call with a request id. Callers repeat a call within seconds
// or minutes; a day is enough even if the machine slept between the two calls.
//
// There are three independent protections against sending the same thing twice. First, a client or a proxy that got no
// answer repeats the call with the same request id; every method that changes something recognises the id for a day.
// Second, a sender may name a piece of work by an idempotency key, which the store keeps forever. Third, if a call has
// neither and the same content was sent within the last ten minutes, the server sends it again and warns the sender.
const receiptLife = 24 * time.Hour

// Mutate runs an operation and stores its result under the request id of the caller, in the same transaction. A repeat
// of the call changes nothing and gets the first result, or the first refusal if the refused call was committed, see
// [Op.CommitWithError]. Every method that changes something for a caller goes through it. Mutate notes that the caller was seen:
// in this process at once, in the store once a minute. It stores no receipt (result for repeats) if the call has no
// request id. It also stores none if the operation did nothing, so that a repeat of the call tries again.
//
// The receipt is committed together with the change. So a call that is repeated after a crash finds both or neither.
func Mutate[Out any](
	ctx context.Context, e *Engine, by schemas.Caller, fn func(*Op) (Out, error),
) (Out, error) {
	var out Out
	e.Here.NoteActing(by.Conn, by.Agent)
	err := e.Update(ctx, by, func(o *Op) (err error) {
		out = *new(Out)
		if err := o.recordCallerSeen(); err != nil {
			return err
		}
		out, err = RunOncePerRequest(o, fn)
		return err
	})
	return out, err
}

// RunOncePerRequest returns the result of an earlier call with the same request id, or runs fn if there is none. It stores no result
// if the operation failed, because a failed operation is undone as a whole, and none if the operation did nothing.
// Request ids are not bound to a caller or a method, so callers must make them unique. If Once returns the result of an
// earlier call and the result has a method Replayed, Once calls that method: for example, a repeated claim counts as a
// sign that the holder is still there.
func RunOncePerRequest[Out any](o *Op, fn func(*Op) (Out, error)) (out Out, err error) {
	if o.By.Request == "" {
		return fn(o)
	}
	done, err := o.Receipt(store.RequestReceiptKey(o.By.Request))
	if err != nil {
		return out, err
	}
	if done != nil {
		err = o.replayReceipt(done, &out)
		if again, is := any(out).(interface{ Replayed(*Op) }); is {
			again.Replayed(o)
		}
		return out, err
	}
	if out, err = fn(o); err != nil || o.skipReceipt {
		return out, err
	}
	return out, o.storeReceipt(out)
}

// refusedDigest marks the receipt of a call that was committed although it was refused. It stands in the field Digest,
// which is otherwise used only in receipts of idempotency keys.
const refusedDigest = "refused"

// replayReceipt decodes the result of an earlier call into out, or repeats its refusal. It changes nothing and writes no
// event.
func (o *Op) replayReceipt(done *store.Receipt, out any) error {
	if done.Digest != refusedDigest {
		return schemas.Decode(done.Result, out)
	}
	var why schemas.Error
	if err := schemas.Decode(done.Result, &why); err != nil {
		return err
	}
	o.CommitWithError(&why)
	return nil
}

// storeReceipt stores the result of a call, or its refusal, as a receipt. It also deletes up to four receipts that are more
// than a day old. So receipts are deleted faster than they are added, and the store holds about as many as calls were
// made in the last day.
func (o *Op) storeReceipt(out any) error {
	digest := ""
	if o.refusal != nil {
		digest, out = refusedDigest, schemas.AsError(o.refusal)
	}
	return cmp.Or(
		o.tx.DeleteOldReceipts(o.Now.Add(-receiptLife), 4),
		o.StoreResult(store.RequestReceiptKey(o.By.Request), store.TimeOf(o.Now), digest, out),
	)
}

// StoreResult stores the result of a call under a key.
func (o *Op) StoreResult(key store.ReceiptKey, at store.Time, digest string, result any) error {
	b, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return o.tx.PutReceipt(key, store.Receipt{Digest: digest, Result: b, At: at})
}
