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
	"handoff/schemas/respell"
	"handoff/store"
)

// LocalInvoker runs tools in this process, on the store that this process owns. All other invokers pass their calls on,
// in the end to a LocalInvoker. It is a value and may be copied, and many goroutines may call it.
type LocalInvoker struct {
	Mailbox *mailbox.Service
	Secrets SecretHandling // handling of secrets in callers' texts; default: they are masked
	Logger  *slog.Logger   // gets causes that callers do not see; default: discards
}

var _ Invoker = LocalInvoker{}

// Invoke runs one tool and puts the result into its envelope (the counts of the inbox, and advice). It logs the causes
// of internal errors and panics, and hides them from the caller. If the end of its context cuts a call off, the error
// is of code unavailable.
//
// It checks in this order: the tool exists, the caller may call it, the arguments are valid, and the caller may act
// under the name. The first check that fails refuses the call, and nothing changes. The exception is a denied name, for
// which the registry gets an event.
//
// Advice and counts are added after the commit. If they fail, the result is returned without them.
func (l LocalInvoker) Invoke(ctx context.Context, c Call) (json.RawMessage, error) {
	t, err := FindTool(c.Tool)
	if err != nil {
		args, _ := parseArguments(c.Args)
		return nil, l.adviseMeant(ctx, c, "", args, err)
	}
	if err := t.authorize(c.Caller); err != nil {
		return nil, err
	}
	return l.invokeAllowed(ctx, t, c)
}

// invokeAllowed runs a tool that the caller may call. It logs the cause of an internal error and removes the cause from
// the error, so that the caller does not see it.
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
	if store.IsDamaged(err) { // a person has to act, whoever called
		return nil, store.CodedError(err)
	}
	return nil, schemas.InternalError(nil)
}

// decodeAndCall decodes the arguments, calls the method and adds the envelope. A panic becomes an internal error with
// its stack, so that one call cannot end a server of many clients. The store undoes a change whose function panicked.
func (l LocalInvoker) decodeAndCall(ctx context.Context, t Tool, c Call) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = schemas.InternalError(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	d := c.decode(t)
	d.changed = true
	agent, args := d.agent, d.args
	if err := d.err; err != nil {
		return nil, l.adviseMeant(ctx, c, agent, args, err)
	}
	canonical, warnings, err := l.concealSecrets(t, args)
	if err != nil {
		return nil, err
	}
	by, err := l.resolveCaller(ctx, t, c, agent)
	if err != nil {
		return nil, err
	}
	if d.told != "" && t.HasWarnings() {
		warnings = append(warnings, "read "+d.told)
	}
	if agent == string(c.Caller.Agent) {
		agent = "" // no need to repeat the connection's own name
	}
	borrowed := agent != "" && !t.ReadOnly && !t.Admin && l.Mailbox.NotifyNameOwner(ctx, by, c.Caller.Agent)
	out, next, err := t.call(ctx, l.Mailbox, by, canonical, warnings)
	if err != nil {
		return nil, completeError(l.adviseMeant(ctx, c, agent, args, err), t, c, schemas.Agent(agent), borrowed)
	}
	inbox := l.countInbox(ctx, t, by)
	if unread := l.keepsUnread(by, inbox); borrowed || unread {
		next = append(listAdvice(warnBorrowedName(by.Agent, c.Caller.Agent, borrowed, unread)), next...)
	}
	return addEnvelope(out, inbox, schemas.AdviceWithAgent(schemas.Agent(agent), adviseWaitIfEmpty(adviseReadBeforeWait(t.Name, canonical, next, inbox), inbox)))
}

// keepsUnread reports whether notices of the caller stay unread when it reads them, although it may write.
func (l LocalInvoker) keepsUnread(by schemas.Caller, inbox *schemas.InboxCounts) bool {
	return inbox != nil && inbox.Notices > 0 && !l.Mailbox.MarksRead(by) && by.Scope != schemas.ScopeRead
}

// concealSecrets encodes arguments without the secrets that the tool would store. It returns warnings for the caller.
func (l LocalInvoker) concealSecrets(t Tool, args map[string]any) (canonical json.RawMessage, warnings []string, err error) {
	said := secretFilter{do: l.Secrets}
	if t.HasWarnings() && !t.ReadOnly { // it stores texts of its caller
		if _, err := said.filterValue("", args, nil); err != nil {
			return nil, nil, t.completeRefusal(err, nil)
		}
	}
	if len(said.warnings) > 0 {
		delete(args, "digest") // of files with secrets: each process that declares them gets a warning
	}
	canonical, err = schemas.Encode(args)
	return canonical, said.warnings, err
}

// resolveCaller returns the caller under the name that it acts under, see [resolveName], with the id and times of the
// call. If the caller may not use the name, the registry gets an event. The name of a pool is refused. Only
// register_agent and administrative tools accept it.
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

// completeError adds the advice for the error's code, in the name of the caller. An error about the state of a handoff
// gets the field handoff_id. A field is named as the caller wrote it. An error of code denied says whether the caller
// borrowed its name, and under which name it acts otherwise. An error without a code stays unchanged, and
// [LocalInvoker.Invoke] makes it internal.
func completeError(err error, t Tool, c Call, as schemas.Agent, borrowed bool) error {
	e, coded := errors.AsType[*schemas.Error](err)
	if !coded {
		return err
	}
	if borrowed && e.Code == schemas.Denied {
		denied := *e
		e = denied.WithHint("You acted as %s: leave agent out to act as %s. %s", as, cmp.Or(c.Caller.Agent, "yourself"), e.Hint)
	}
	e = e.WithDefaultAdvice(as)
	if e.Handoff != 0 && e.Field == "" {
		e.Field = "handoff_id"
	}
	written, _ := parseArguments(c.Args) // they were parsed before
	nameAsWritten(e, respell.WrittenPaths(t.Name, written))
	return e
}

// resolveName returns the caller under the name in the arguments, or under the connection's name if the arguments have
// none. A call without any name is refused as invalid, unless the tool only reads or is administrative. The error is of
// code denied for a name that the connection may not use.
func resolveName(by schemas.Caller, agent string, t Tool) (schemas.Caller, error) {
	switch {
	case agent != "":
		named, err := by.WithName(agent)
		named.Borrowed = by.Borrowed || named.Agent != by.Agent
		return named, err
	case by.Agent != "" || t.ReadOnly || t.Admin:
		return by, nil
	}
	e := schemas.Invalidf("agent", "nobody knows who you are")
	return by, t.completeRefusal(e.WithHint("Say who you are with each call, or have this server started under a name."), nil)
}

// countInbox counts the caller's handoffs and notices. It returns nil for a caller without a name. It also returns nil
// if counting fails, and logs the error, because the tool has already done its work.
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

// addEnvelope adds the common fields of all results to a result, which is a JSON object without these fields. The
// fields are inbox, if the counts are known, and next, if there is advice. It joins the bytes without decoding the
// result.
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
