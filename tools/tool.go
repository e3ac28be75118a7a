// Package tools offers the mailboxes as tools: ten rows of [Table] for agents, a few of [Admin] for whoever
// keeps the workspace. A row joins what a client sees (a name, a description, two JSON Schemas) to a method
// of [mailbox.Service]; protocols, the command line and the documentation are all drawn from it.
//
// A call comes in through an [Invoker]. [Local] is the one that does the work: it decodes the arguments,
// calls the method, and dresses the result.
//
//	arguments ── parse ── normalise ── coerce and check ── method ── envelope ── result
//
// Decoding is driven by the schema of the arguments and is lenient where models slip: JSON sent as a string,
// one thing where a list is due, numbers and booleans in quotes, the case of a word, null for absent. It is
// strict otherwise, and each refusal names the field, the valid choices and the way out. The envelope adds
// what every result says: how much mail waits, and what to do next.
package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"handoff/mailbox"
	"handoff/schemas"
)

// Tool is one row of [Table] or of [Admin]: what a client sees of a tool, and the method behind it. Rows are made by
// define when the program starts and never change.
type Tool struct {
	Name        string // ^[a-z0-9_]{1,24}$
	Title       string // as Description and Idempotent for clients: an administrative tool has none
	Description string
	ReadOnly    bool // changes nothing that anybody but the caller could notice
	Idempotent  bool // repeating it changes nothing more
	Admin       bool // not for agents: no protocol offers it, and nobody has to be named

	in, out string // the types of the method, in package schemas

	schema func() *node // of the arguments, in full
	undone string       // what a refusal leaves undone, as a sentence
	warns  func() bool  // its result has a field for warnings
	call   func(ctx context.Context, mb *mailbox.Service, by schemas.Caller, canonical json.RawMessage, warnings []string) (
		out json.RawMessage, next []schemas.Advice, err error)
}

// define completes a row with the schemas of the method's types and with the method. Next gives the advice that goes
// with a result; it is called after the method, outside of any transaction. The full schema of the arguments is read
// at the first call, because a process calls few of the tools.
//
// In and Out are types of package schemas, whose names lead to the schemas. The method changes the workspace or reads
// it; its errors are as [Invoker] says. T is copied, and only the copy is completed.
func define[In, Out any](
	t Tool,
	method func(*mailbox.Service, context.Context, schemas.Caller, In) (Out, error),
	next func(In, Out) []schemas.Advice,
) Tool {
	t.in, t.out = reflect.TypeFor[In]().Name(), reflect.TypeFor[Out]().Name()
	t.warns = func() bool {
		_, warns := reflect.TypeFor[Out]().FieldByName("Warnings")
		return warns
	}
	t.schema = sync.OnceValue(func() *node { return readSchema(schemas.Full(t.in)) })
	if t.undone == "" && !t.ReadOnly {
		t.undone = "Nothing was changed."
	}
	t.call = func(ctx context.Context, mb *mailbox.Service, by schemas.Caller, canonical json.RawMessage, warnings []string) (
		json.RawMessage, []schemas.Advice, error,
	) {
		var args In
		if err := schemas.Decode(canonical, &args); err != nil {
			return nil, nil, schemas.InternalError(err) // the schema and the type disagree
		}
		result, err := method(mb, ctx, by, args)
		if err != nil {
			return nil, nil, err
		}
		if len(warnings) > 0 {
			told := reflect.ValueOf(&result).Elem().FieldByName("Warnings")
			told.Set(reflect.AppendSlice(told, reflect.ValueOf(warnings)))
		}
		b, err := schemas.Encode(result)
		return b, next(args, result), err
	}
	return t
}

// Input is the published JSON Schema of the arguments, compact. An administrative tool has none.
func (t Tool) Input() json.RawMessage { return schemas.Published(t.in) }

// Output is that of the result.
func (t Tool) Output() json.RawMessage { return schemas.Published(t.out) }

// Warns tells whether the result has a field for warnings.
func (t Tool) Warns() bool { return t.warns() }

// storesTexts tells whether a call keeps texts of its caller: it changes something, and its result has a field for warnings.
func (t Tool) storesTexts() bool { return t.warns() && !t.ReadOnly }

// Find gives the tool of a name, also an administrative one. It finds a tool whether or not the caller is offered it:
// [Local.Invoke] decides that. The error is not_found and names the closest of the tools for agents.
//
// It compares names byte by byte. A row is a value, so a caller cannot change the table through it.
func Find(name string) (Tool, error) {
	for _, table := range [][]Tool{Table, Admin} {
		for _, t := range table {
			if t.Name == name {
				return t, nil
			}
		}
	}
	return Tool{}, noTool(name)
}

// noTool refuses the name of a tool. It names the tools for agents only.
func noTool(name string) error {
	e := schemas.Errorf(schemas.NotFound, "no tool %s", quoted(name)).WithField("tool")
	return withChoices(e, name, namesOf(func(Tool) bool { return true }))
}

// namesOf gives the names of some of the tools for agents.
func namesOf(wanted func(Tool) bool) (names []string) {
	for _, t := range Table {
		if wanted(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// Canonical gives arguments as the method of the tool sees them: decoded, coerced and checked, without the agent,
// under our names for the fields of other protocols. Arguments that mean the same have the same canonical form, and
// the canonical form of a canonical form is the same. Whoever needs an argument without making the call uses it, such
// as a protocol that keeps a wait open. The error is the one that the call would give.
//
// It reads no store and does not know the caller, so it says nothing of whether the call would succeed. The result has
// only fields of the schema, none of them null, each in the type that the schema names.
func (t Tool) Canonical(args json.RawMessage) (json.RawMessage, error) {
	_, m, err := t.decode(args)
	if err != nil {
		return nil, err
	}
	return schemas.Encode(m)
}

// Waits reports whether a call with these arguments asks to wait. It is false for arguments that the tool refuses.
func (t Tool) Waits(args json.RawMessage) bool {
	if t.schema().Properties.field("wait_seconds") == nil {
		return false
	}
	canonical, err := t.Canonical(args)
	var in struct {
		WaitSeconds int `json:"wait_seconds"`
	}
	return err == nil && schemas.Decode(canonical, &in) == nil && in.WaitSeconds > 0
}

// authorize refuses a tool that the caller may not call. For callers over a network there are no administrative tools. A
// caller whose token has the scope read is told which tools it may call instead.
//
// The error for a tool that the scope forbids is denied and lists the tools that only read. An administrative tool is
// not_found for callers over a network, as if it did not exist: its names are nothing that they need to know. The scope
// counts for callers with a token only; all others have none.
func (t Tool) authorize(by schemas.Caller) error {
	switch {
	case t.Admin && by.Via == schemas.ViaHTTP:
		return noTool(t.Name)
	case by.Scope != schemas.ScopeRead || t.ReadOnly:
		return nil
	}
	e := schemas.Errorf(schemas.Denied, "%s needs scope agent, and this token has scope read", t.Name)
	e = e.WithHint("It may only read. Whoever runs the server gives out tokens of other scopes.")
	return t.refuse(e.WithField("tool").WithKnown(namesOf(func(t Tool) bool { return t.ReadOnly })...))
}
