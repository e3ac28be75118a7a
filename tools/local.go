package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime/debug"

	"handoff/mailbox"
	"handoff/schemas"
)

// Local runs tools in this process, on the store that this process owns. It is the [Invoker] at the bottom: those that
// find the owner of the store, or observe calls, end in one. Many goroutines may call it.
//
// It holds no state between calls beside its mailbox. It is a value and may be copied.
type Local struct {
	Mailbox *mailbox.Service
	Secrets Secrets      // what becomes of secrets in what callers say; default: they are masked
	Logger  *slog.Logger // told of what callers are not; default: discards
}

var _ Invoker = Local{}

// Invoke runs one tool: it decodes the arguments, decides under which name the caller acts, calls the method and puts
// the result into its envelope. Causes of internal errors, and panics, go to the log; the caller reads only that the
// server could not do this. A call that the end of its context cut off is unavailable.
//
// It checks in this order, and the first refusal is returned: whether there is such a tool, whether the caller may call
// it, the arguments, and the name under which the caller acts. Only then does the mailbox see the call. A refusal up to
// there changes nothing, except that a name that the caller may not use is noted in the registry as denied.
//
// The advice and the count of mail are added after the change was committed. When they fail, the result goes out
// without them.
func (l Local) Invoke(ctx context.Context, c Call) (json.RawMessage, error) {
	t, err := Find(c.Tool)
	if err != nil {
		return nil, err
	}
	if err := t.authorize(c.Caller); err != nil {
		return nil, err
	}
	return l.invoke(ctx, t, c)
}

// invoke runs a tool that the caller may call. Its errors are ready for the caller: those of code internal have lost
// their cause, which was logged.
func (l Local) invoke(ctx context.Context, t Tool, c Call) (json.RawMessage, error) {
	result, err := l.run(ctx, t, c)
	if err == nil {
		return result, nil
	}
	e := schemas.AsError(err)
	if e.Code != schemas.Internal {
		return nil, e
	}
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		return nil, schemas.Errorf(schemas.Unavailable, "the call was cut off").WithHint("Call again.")
	}
	l.log().ErrorContext(ctx, "tool broke", slog.String("tool", t.Name), slog.Any("cause", cmp.Or(e.Unwrap(), err)))
	return nil, schemas.InternalError(nil)
}

// run decodes, calls and dresses. A panic of any step becomes an internal error with its stack, so that one call cannot
// end a server of many clients. The store undoes a change whose function panicked.
func (l Local) run(ctx context.Context, t Tool, c Call) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = schemas.InternalError(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	agent, args, err := t.decode(c.Args)
	if err != nil {
		return nil, err
	}
	canonical, warnings, err := l.concealSecrets(t, args)
	if err != nil {
		return nil, err
	}
	by, err := l.resolveCaller(ctx, t, c, agent)
	if err != nil {
		return nil, err
	}
	if agent == string(c.Caller.Agent) {
		agent = "" // it goes without saying
	}
	borrowed := agent != "" && !t.ReadOnly && !t.Admin && l.Mailbox.NotifyNameOwner(ctx, by, c.Caller.Agent)
	out, next, err := t.call(ctx, l.Mailbox, by, canonical, warnings)
	if err != nil {
		return nil, completeError(err, schemas.Agent(agent))
	}
	if borrowed {
		next = append(advise(warnBorrowedName(by.Agent, c.Caller.Agent)), next...)
	}
	inbox := l.inbox(ctx, t, by)
	return addEnvelope(out, inbox, schemas.AdviceAs(schemas.Agent(agent), waitIfEmpty(readBeforeWait(t.Name, canonical, next, inbox), inbox)))
}

// concealSecrets encodes arguments, without the secrets that a tool would keep, and gives what the caller is to be warned of.
func (l Local) concealSecrets(t Tool, args map[string]any) (canonical json.RawMessage, warnings []string, err error) {
	said := secretFilter{do: l.Secrets}
	if t.storesTexts() {
		if _, err := said.value("", args, nil); err != nil {
			return nil, nil, t.refuse(err)
		}
	}
	if len(said.warnings) > 0 {
		delete(args, "digest") // of files with secrets: each process that declares them is to be warned
	}
	canonical, err = schemas.Encode(args)
	return canonical, said.warnings, err
}

// resolveCaller gives the caller of a tool under the name under which it acts, see [resolveName], with what the call says of itself.
// The registry notes a name that is denied. The name of a pool is refused, except by register_agent, which makes one,
// and by administrative tools.
func (l Local) resolveCaller(ctx context.Context, t Tool, c Call, agent string) (schemas.Caller, error) {
	by, err := resolveName(c.Caller, agent, t)
	if err != nil && c.Caller.Token != "" && schemas.AsError(err).Code == schemas.Denied {
		l.Mailbox.Denied(ctx, c.Caller, agent)
	}
	if err == nil && t.Name != "register_agent" && !t.Admin {
		err = l.Mailbox.NoPool(ctx, by.Agent)
	}
	by.Request, by.Since, by.Until = c.ID, c.Since, c.Until
	return by, err
}

// completeError completes an error with what its code advises, in the name under which the call was made, and names the
// argument of one that is about where a handoff stands: its id.
//
// An error that has no code stays as it is; invoke makes it internal.
func completeError(err error, as schemas.Agent) error {
	e, coded := errors.AsType[*schemas.Error](err)
	if !coded {
		return err
	}
	e = e.Advised(as)
	if e.Handoff != 0 && e.Field == "" {
		e.Field = "handoff_id"
	}
	return e
}

// resolveName gives the caller under the name that the arguments chose, else under that of the connection. It refuses a name
// that the connection may not use, and a call without any, unless the tool only reads or is administrative.
//
// By is returned with that name, or unchanged when the call needs none. The error of a name that the connection may not
// use is denied, that of a missing one invalid.
func resolveName(by schemas.Caller, agent string, t Tool) (schemas.Caller, error) {
	switch {
	case agent != "":
		return by.As(agent)
	case by.Agent != "" || t.ReadOnly || t.Admin:
		return by, nil
	}
	e := schemas.Invalidf("agent", "nobody knows who you are")
	return by, t.refuse(e.WithHint("Say who you are with each call, or have this server started under a name."))
}

// inbox counts the caller's mail, nil for a caller without a name. The tool has done its work by now: when the mail
// cannot be counted, the log says so and the result goes out without it.
func (l Local) inbox(ctx context.Context, t Tool, by schemas.Caller) *schemas.Inbox {
	if by.Agent == "" || t.Admin {
		return nil
	}
	inbox, err := l.Mailbox.Inbox(ctx, by.Agent)
	if err == nil {
		return &inbox
	}
	if ctx.Err() == nil {
		l.log().WarnContext(ctx, "inbox not counted", slog.String("agent", string(by.Agent)), slog.Any("cause", err))
	}
	return nil
}

// Changes yields the events after a number and waits for more, see [Invoker].
func (l Local) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return l.Mailbox.Changes(ctx, after)
}

func (l Local) log() *slog.Logger { return cmp.Or(l.Logger, slog.New(slog.DiscardHandler)) }

// addEnvelope adds to a result, a JSON object, the fields that every result has: inbox, which counts the caller's mail,
// where it is known, and next, where there is something to advise. The result is joined as bytes and not read again.
//
// Result has neither of these fields. An empty object stands for a result without fields.
func addEnvelope(result json.RawMessage, inbox *schemas.Inbox, next []schemas.Advice) (json.RawMessage, error) {
	envelope, err := schemas.Encode(struct {
		Inbox *schemas.Inbox   `json:"inbox,omitempty"`
		Next  []schemas.Advice `json:"next,omitempty"`
	}{inbox, next})
	switch {
	case err != nil:
		return nil, err
	case len(envelope) == len("{}"):
		return result, nil
	case len(result) == len("{}"):
		return envelope, nil
	}
	return bytes.Join([][]byte{result[:len(result)-1], envelope[1:]}, []byte(",")), nil
}
