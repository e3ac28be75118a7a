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

// LocalInvoker runs tools in this process, on the store that this process owns. It is the lowest [Invoker]: the invokers
// that find the owner of the store, or observe calls, end in one. Many goroutines may call it.
//
// It holds no state between calls except its mailbox. It is a value and may be copied.
type LocalInvoker struct {
	Mailbox *mailbox.Service
	Secrets SecretHandling // handling of secrets in callers' texts; default: they are masked
	Logger  *slog.Logger   // gets causes that callers do not see; default: discards
}

var _ Invoker = LocalInvoker{}

// Invoke runs one tool: it decodes the arguments, decides the name under which the caller acts, calls the method and
// puts the result into its envelope. Causes of internal errors, and panics, go to the log; the caller reads only that
// the server could not do this. A call that the end of its context cut off is unavailable.
//
// It checks in this order, and returns the first refusal: whether the tool exists, whether the caller may call it, the
// arguments, and the name under which the caller acts. Only after these checks the call reaches the mailbox. A refusal
// by one of these checks changes nothing, with one exception: if the caller may not use a name, the registry gets an
// event about the denial.
//
// The advice and the count of mail are added after the commit. If they fail, the result goes out without them.
func (l LocalInvoker) Invoke(ctx context.Context, c Call) (json.RawMessage, error) {
	t, err := FindTool(c.Tool)
	if err != nil {
		return nil, err
	}
	if err := t.authorize(c.Caller); err != nil {
		return nil, err
	}
	return l.invokeAllowed(ctx, t, c)
}

// invoke runs a tool that the caller may call. Its errors are ready for the caller: errors of code internal lose
// their cause, which goes to the log.
func (l LocalInvoker) invokeAllowed(ctx context.Context, t Tool, c Call) (json.RawMessage, error) {
	result, err := l.decodeAndCall(ctx, t, c)
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
	l.logger().ErrorContext(ctx, "tool broke", slog.String("tool", t.Name), slog.Any("cause", cmp.Or(e.Unwrap(), err)))
	return nil, schemas.InternalError(nil)
}

// run decodes, calls and adds the envelope. A panic of any step becomes an internal error with its stack, so that one
// call cannot end a server of many clients. The store undoes a change whose function panicked.
func (l LocalInvoker) decodeAndCall(ctx context.Context, t Tool, c Call) (result json.RawMessage, err error) {
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
		agent = "" // no need to repeat the connection's own name
	}
	borrowed := agent != "" && !t.ReadOnly && !t.Admin && l.Mailbox.NotifyNameOwner(ctx, by, c.Caller.Agent)
	out, next, err := t.call(ctx, l.Mailbox, by, canonical, warnings)
	if err != nil {
		return nil, completeError(err, schemas.Agent(agent))
	}
	if borrowed {
		next = append(adviceList(warnBorrowedName(by.Agent, c.Caller.Agent)), next...)
	}
	inbox := l.countInbox(ctx, t, by)
	return addEnvelope(out, inbox, schemas.AdviceWithAgent(schemas.Agent(agent), adviseWaitIfEmpty(adviseReadBeforeWait(t.Name, canonical, next, inbox), inbox)))
}

// concealSecrets encodes arguments, without the secrets that a tool would store, and returns the warnings for the
// caller.
func (l LocalInvoker) concealSecrets(t Tool, args map[string]any) (canonical json.RawMessage, warnings []string, err error) {
	said := secretFilter{do: l.Secrets}
	if t.storesTexts() {
		if _, err := said.filterValue("", args, nil); err != nil {
			return nil, nil, t.completeRefusal(err)
		}
	}
	if len(said.warnings) > 0 {
		delete(args, "digest") // of files with secrets: each process that declares them gets a warning
	}
	canonical, err = schemas.Encode(args)
	return canonical, said.warnings, err
}

// resolveCaller returns the caller under the name that it acts under, see [resolveName], with the id and times of the
// call. The registry notes a denied name. The name of a pool is refused, except by register_agent, which makes one,
// and by administrative tools.
func (l LocalInvoker) resolveCaller(ctx context.Context, t Tool, c Call, agent string) (schemas.Caller, error) {
	by, err := resolveName(c.Caller, agent, t)
	if err != nil && c.Caller.Token != "" && schemas.AsError(err).Code == schemas.Denied {
		l.Mailbox.RecordDenial(ctx, c.Caller, agent)
	}
	if err == nil && t.Name != "register_agent" && !t.Admin {
		err = l.Mailbox.CheckNotPool(ctx, by.Agent)
	}
	by.Request, by.Since, by.Until = c.ID, c.Since, c.Until
	return by, err
}

// completeError adds the advice of the error's code, in the name of the caller. If the error is about the state of a
// handoff, it names the argument handoff_id.
//
// An error without a code stays unchanged; invoke makes it internal.
func completeError(err error, as schemas.Agent) error {
	e, coded := errors.AsType[*schemas.Error](err)
	if !coded {
		return err
	}
	e = e.WithDefaultAdvice(as)
	if e.Handoff != 0 && e.Field == "" {
		e.Field = "handoff_id"
	}
	return e
}

// resolveName returns the caller under the name in the arguments, else under the connection's name. It refuses a name
// that the connection may not use, and a call without any name, unless the tool only reads or is administrative.
//
// By is returned with this name, or unchanged if the call needs none. The error is denied for a name that the
// connection may not use, and invalid for a missing name.
func resolveName(by schemas.Caller, agent string, t Tool) (schemas.Caller, error) {
	switch {
	case agent != "":
		return by.WithName(agent)
	case by.Agent != "" || t.ReadOnly || t.Admin:
		return by, nil
	}
	e := schemas.Invalidf("agent", "nobody knows who you are")
	return by, t.completeRefusal(e.WithHint("Say who you are with each call, or have this server started under a name."))
}

// inbox counts the caller's mail, nil for a caller without a name. The tool has already done its work: if counting
// fails, the log says so and the result goes out without a count.
func (l LocalInvoker) countInbox(ctx context.Context, t Tool, by schemas.Caller) *schemas.InboxCounts {
	if by.Agent == "" || t.Admin {
		return nil
	}
	inbox, err := l.Mailbox.Inbox(ctx, by.Agent)
	if err == nil {
		return &inbox
	}
	if ctx.Err() == nil {
		l.logger().WarnContext(ctx, "inbox not counted", slog.String("agent", string(by.Agent)), slog.Any("cause", err))
	}
	return nil
}

// Changes yields the events after a number and waits for more, see [Invoker].
func (l LocalInvoker) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	return l.Mailbox.Changes(ctx, after)
}

func (l LocalInvoker) logger() *slog.Logger { return cmp.Or(l.Logger, slog.New(slog.DiscardHandler)) }

// addEnvelope adds the common fields of all results to a result, a JSON object: inbox, the count of the caller's mail
// if known, and next, if there is advice. It joins the bytes without decoding the result.
//
// Result has neither of these fields. An empty object stands for a result without fields.
func addEnvelope(result json.RawMessage, inbox *schemas.InboxCounts, next []schemas.Advice) (json.RawMessage, error) {
	envelope, err := schemas.Encode(struct {
		Inbox *schemas.InboxCounts `json:"inbox,omitempty"`
		Next  []schemas.Advice     `json:"next,omitempty"`
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
