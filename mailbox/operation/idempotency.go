package operation

import (
	"cmp"
	"context"
	"encoding/json"

	"handoff/schemas"
	"handoff/store"
)

// Three protections prevent a second send of the same work. First, a client that got no answer repeats the call with
// the same request id, which the server recognises for a day. Second, a sender may give an idempotency key, which the
// store keeps forever. Third, without an id or a key, the server warns the sender of the same content within ten
// minutes, and still sends the content.

// UpdateForCaller runs an operation and stores its result under the request id of the caller, in the same transaction.
// A repeat of the call changes nothing and gets the first result. A repeat also gets the first refusal, if the refused
// call was committed, see [Op.CommitWithError]. Every method that changes something for a caller uses UpdateForCaller.
// It also records that the caller was seen.
//
// UpdateForCaller stores no receipt (the result for repeats) if the call has no request id, or if the operation called
// [Op.SkipReceipt].
func UpdateForCaller[Out any](
	ctx context.Context, e *Engine, by schemas.Caller, fn func(*Op) (Out, error),
) (Out, error) {
	var out Out
	e.Here.RecordActing(by.Conn, by.Agent)
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

// RunOncePerRequest returns the result of an earlier call with the same request id, or runs fn if no call had the id.
// It stores no result if fn fails or calls [Op.SkipReceipt]. Request ids are not bound to a caller or a method, so
// callers must make the ids unique. If an earlier result has a method Replayed, the method is called: for example, a
// repeated claim then records that the holder is still there.
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
		if again, is := any(out).(interface{ Replayed(*Op) error }); is && err == nil {
			err = again.Replayed(o)
		}
		return out, err
	}
	if out, err = fn(o); err != nil || o.skipReceipt {
		return out, err
	}
	return out, o.storeReceipt(out)
}

// refusedDigest marks the receipt of a call that was committed although it was refused. It stands in the field Digest,
// which otherwise only receipts of idempotency keys use.
const refusedDigest = "refused"

// replayReceipt decodes the result of an earlier call into out, or repeats the refusal of the earlier call. It changes
// nothing and writes no event.
func (o *Op) replayReceipt(done *store.Receipt, out any) error {
	err := DecodeReceipt(done, out)
	if done.Digest != refusedDigest {
		return err
	}
	o.CommitWithError(err)
	return nil
}

// DecodeReceipt decodes the result of an earlier call into out, or returns the refusal of the earlier call.
func DecodeReceipt(done *store.Receipt, out any) error {
	if done.Digest != refusedDigest {
		return schemas.Decode(done.Result, out)
	}
	var why schemas.Error
	return cmp.Or(schemas.Decode(done.Result, &why), error(&why))
}

// StoreRefusal refuses all later calls with the request id of the caller, unless an earlier call has a result.
func (o *Op) StoreRefusal(why error) error {
	done, err := o.Receipt(store.RequestReceiptKey(o.By.Request))
	if done != nil || err != nil {
		return err
	}
	return o.StoreResult(store.RequestReceiptKey(o.By.Request), store.TimeOf(o.Now), refusedDigest, schemas.AsError(why))
}

// storeReceipt stores the result of a call, or its refusal, as a receipt. It also deletes up to four receipts that are
// more than a day old, so the server deletes receipts faster than it adds them.
func (o *Op) storeReceipt(out any) error {
	digest := ""
	if o.refusal != nil {
		digest, out = refusedDigest, schemas.AsError(o.refusal)
	}
	return cmp.Or(
		o.tx.DeleteOldReceipts(o.Now.Add(-schemas.ReceiptLife), 4),
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
