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

// Call is one call of a tool. Protocols and commands make it. It crosses process boundaries unchanged, so the process
// that owns the store also serves the calls of other processes. A retry is the same call with the same ID and Since. A
// call and its retries take effect once, and a waiting call keeps its place in the queue.
//
// Processes of different versions exchange a Call as JSON. So the names of its fields never change, and a new field is
// left out when it is zero. The transport sets Caller. Only the agent name may come from Args, and it must be one of
// the names that the caller may use. Args may be empty for a tool whose arguments are all optional.
type Call struct {
	ID     string          `json:"id,omitempty"` // request id, the same on every retry; see [schemas.Caller]
	Caller schemas.Caller  `json:"caller"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args,omitempty"`
	Since  time.Time       `json:"since,omitzero"` // time of the first attempt, see [schemas.Caller]; zero means now
	Until  time.Time       `json:"until,omitzero"` // end of its wait; zero means wait_seconds after Since

	Work *schemas.GetOut `json:"-"` // the handoff, if an invoker of this process has read it; for a completion in the view full

	decoded *decoded // arguments that an invoker of this process has decoded, see [Call.WithDecodedArgs]
}

// Invoker is the interface through which protocols and the command line call tools. The caller does not learn in which
// process the tool runs. Invokers may be used by many goroutines.
//
// [LocalInvoker] does the work. The invoker of package relay passes calls to the process that owns the store. The
// invokers of package telemetry count calls and send spans for them. The program puts these invokers around each other
// when it starts.
type Invoker interface {
	// Invoke runs one tool and returns its result, a JSON object. Errors are *[schemas.Error]. The end of ctx ends a
	// wait, but a committed change stays committed. A repeat of the call with the same ID returns the result of that
	// change.
	//
	// Errors of code invalid, not_found, conflict, stale, limit and denied come from the rules, and a repeat returns
	// the same error until the state changes. Unavailable means that the call got no result. It may have taken effect,
	// and the caller may repeat it unchanged under the same ID. Internal is a fault of the program, and the log has its
	// cause.
	Invoke(ctx context.Context, c Call) (json.RawMessage, error)

	// Changes yields every event after the given number, in the order of numbers without gaps, and then waits for more
	// until ctx is done. It yields an error once, as the last value. The caller may stop at any event. A caller that
	// remembers the last number may continue later and misses nothing.
	Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error]
}

// InvokeTyped makes a call whose arguments are a value of package schemas, and reads its result into another value of
// this package. It sets c.Args. Errors are *[schemas.Error], of code internal if the result does not fit Out.
//
// The tool checks these arguments by its schema, as for every caller. Fields of the result that Out lacks are ignored,
// because an owner of a newer version may send more fields.
func InvokeTyped[Out any](ctx context.Context, i Invoker, c Call, in any) (out Out, err error) {
	c.decoded = nil
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

// ReadHandoff reads the handoff of a call for its caller, and marks no notice as read. The result is nil after an error.
func ReadHandoff(ctx context.Context, i Invoker, c Call, id string, view schemas.View) (*schemas.GetOut, error) {
	c.ID, c.Tool, c.Caller.Scope, c.Caller.Tree = "", schemas.GetIn{}.Tool(), schemas.ScopeRead, nil
	got, err := InvokeTyped[schemas.GetOut](ctx, i, c, schemas.GetIn{HandoffID: id, View: view, MaxTokens: 100_000})
	if err != nil {
		return nil, err
	}
	return &got, nil
}

// NewRequestID makes an id for [Call.ID]: 16 hexadecimal digits of the milliseconds since 1970, and 16 random digits.
// So ids sort by time. It panics if rand fails, which crypto/rand.Reader never does.
//
// A program makes one id for each call and keeps it for all repeats of the call. The store deletes the receipts of ids
// after a day, in the order of ids. So an id in another form would disturb the deletion, see
// [handoff/store.Tx.DeleteOldReceipts].
func NewRequestID(now time.Time, rand io.Reader) string {
	var random [8]byte
	if _, err := io.ReadFull(rand, random[:]); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%016x%s", now.UnixMilli(), hex.EncodeToString(random[:]))
}
