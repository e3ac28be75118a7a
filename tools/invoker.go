package tools

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"handoff/schemas"
)

// Call is one call of a tool. Protocols and commands make it, and it crosses process boundaries unchanged, so that
// the process that owns the store serves the calls of the others. A retry is the same call with the same ID and
// Since: it takes effect once, and its wait keeps its place in the queue.
//
// It is JSON between processes of different versions, so the names of its fields never change, and a new field is
// left out when it is zero. Caller comes from the transport. Nothing in Args can change it except the agent, which
// only chooses among the names that the caller may use. Args may be empty for a tool whose arguments are all
// optional.
type Call struct {
	ID     string          `json:"id,omitempty"` // request id, the same on every retry; see [schemas.Caller]
	Caller schemas.Caller  `json:"caller"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args,omitempty"`
	Since  time.Time       `json:"since,omitzero"` // time of the first attempt, see [schemas.Caller]; zero means now
	Until  time.Time       `json:"until,omitzero"` // end of its wait; zero means wait_seconds after Since
}

// Invoker is the interface between the doors of handoff and its rules. Protocols and the command line call it. Behind
// it the call may go to another process, of which neither the caller nor the rules know.
//
// [LocalInvoker] does the work. The invoker of package relay passes calls to the process that owns the store. The invokers
// of package telemetry count calls and send spans for them. The program stacks them when it starts, so a call passes
// each once. All may be called by many goroutines.
type Invoker interface {
	// Invoke runs one tool and returns its result, a JSON object. Errors are *[schemas.Error]. When ctx ends, a wait
	// ends; a committed change stays committed, and a repeat of the call with the same ID returns its result.
	//
	// The code of an error tells what the caller may do. Invalid, not_found, conflict, stale, limit and denied come
	// from the rules and come again as long as nothing changes. Unavailable means that the call got no result and may
	// be repeated unchanged: it may have taken effect, and under the same ID it takes effect once. Internal is a fault
	// of the program, whose cause is in the log.
	Invoke(ctx context.Context, c Call) (json.RawMessage, error)

	// Changes yields every event after the given number, from the stored log, and then waits for more until ctx is
	// done. A caller that remembers the last number may resume anywhere and misses nothing.
	//
	// An error is yielded once, last. Events come in the order of their numbers without gaps. The caller may stop at
	// any event; Changes keeps no state about callers.
	Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error]
}

// InvokeTyped makes a call whose arguments are a value of package schemas, and reads its result into another such value. Our
// own programs use it; it fills c.Args. Errors are *[schemas.Error], of code internal if the result does not fit Out.
//
// In is encoded unchanged, and decoded again by the schema of the tool, so it is checked like the arguments of any
// caller. Fields of the result that Out lacks are ignored: a newer owner of the store may send more.
func InvokeTyped[Out any](ctx context.Context, i Invoker, c Call, in any) (out Out, err error) {
	if c.Args, err = json.Marshal(in); err != nil {
		return out, schemas.InternalError(err)
	}
	result, err := i.Invoke(ctx, c)
	if err != nil {
		return out, err
	}
	if err := schemas.Decode(result, &out); err != nil {
		return out, schemas.InternalError(err)
	}
	return out, nil
}

// NewRequestID makes an id for [Call.ID]: 16 hexadecimal digits of the milliseconds since 1970, so that ids sort by
// time, and 16 random ones. It panics if rand fails, which crypto/rand.Reader never does.
//
// A program makes one id for each call and keeps it for all repeats of the call. The receipts of ids are kept for a
// day and deleted in the order of their times, so an id in another form would disturb this order: see
// [handoff/store.Tx.DeleteOldReceipts].
func NewRequestID(now time.Time, rand io.Reader) string {
	var random [8]byte
	if _, err := io.ReadFull(rand, random[:]); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%016x%s", now.UnixMilli(), hex.EncodeToString(random[:]))
}
