// Package tools offers the mailboxes as tools. [Table] has ten tools for agents, and [Admin] has the tools for the
// maintenance of the workspace. A row joins a method of [mailbox.Service] with the parts that a client sees: a name, a
// description and two JSON Schemas. Protocols, the command line and the documentation are made from the rows.
//
// A call comes in through an [Invoker]. [LocalInvoker] is the invoker that does the work: it decodes the arguments,
// calls the method, and adds the envelope to the result.
//
//	arguments ── parse ── normalise ── coerce and check ── method ── envelope ── result
//
// Decoding follows the schema of the arguments. It accepts common slips of models: JSON sent as a string, one value in
// place of a list, numbers and booleans in quotes, the wrong case of a word, null for an absent field. It refuses all
// other deviations. The error names the field, the valid values and the next call. The envelope adds the fields that
// all results have in common: the counts of the inbox, and advice.
package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/schemas/respell"
)

// Tool is one row of [Table] or of [Admin]: the parts of a tool that a client sees, and the method behind it. Function
// defineTool makes the rows when one is first needed, and they never change.
type Tool struct {
	Name        string // ^[a-z0-9_]{1,24}$
	Title       string // like Description and Idempotent for clients: an administrative tool has none
	Description string
	ReadOnly    bool // changes nothing that another caller could notice
	Idempotent  bool // a repeat changes nothing more
	Admin       bool // not for agents: no protocol offers it, and its caller needs no name

	in, out reflect.Type // of the method, in package schemas

	schema func() *schemaNode // of the arguments, in full
	undone string             // says in a sentence that nothing was done, for refusals
	call   func(ctx context.Context, mb *mailbox.Service, by schemas.Caller, canonical json.RawMessage, warnings []string) (
		out json.RawMessage, next []schemas.Advice, err error)
}

// defineTool completes a row with the schemas of the method's types and with the method. Next returns the advice for a
// result; it is called after the method, outside of any transaction. The full schema of the arguments is read at the
// first call, because a process calls few of the tools.
//
// In and Out are types of package schemas, whose names lead to the schemas. The method changes the workspace or reads
// it; [Invoker] describes its errors. T is copied, and only the copy is completed.
func defineTool[In, Out any](
	t Tool,
	method func(*mailbox.Service, context.Context, schemas.Caller, In) (Out, error),
	next func(In, Out) []schemas.Advice,
) Tool {
	_, texts, _ := strings.Cut(tableText, "\n"+t.Name+": ")
	texts, _, _ = strings.Cut(texts, "\n")
	t.Title, t.Description, _ = strings.Cut(texts, ": ")
	t.in, t.out = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	t.schema = sync.OnceValue(func() *schemaNode { return readSchema(schemas.FullSchema(reflect.TypeFor[In]().Name())) })
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

// InputSchema returns the published JSON Schema of the arguments, compact. An administrative tool has none.
func (t Tool) InputSchema() json.RawMessage { return schemas.PublishedSchema(t.in.Name()) }

// OutputSchema returns the published JSON Schema of the result.
func (t Tool) OutputSchema() json.RawMessage { return schemas.PublishedSchema(t.out.Name()) }

// HasWarnings reports whether the result has a field for warnings.
func (t Tool) HasWarnings() bool {
	_, has := t.out.FieldByName("Warnings")
	return has
}

// FindTool returns the tool of a name, also an administrative one. It finds tools that the caller may not call, too:
// [LocalInvoker.Invoke] checks that. The error is not_found and names the closest of the tools for agents.
//
// It compares names byte by byte. A row is a value, so a caller cannot change the table through it.
func FindTool(name string) (Tool, error) {
	for _, table := range [][]Tool{Table(), Admin()} {
		for _, t := range table {
			if t.Name == name {
				return t, nil
			}
		}
	}
	return Tool{}, unknownToolError(name)
}

// unknownToolError returns the error for an unknown tool. It names the tools for agents only. It suggests the tool of
// which the name is a typing error, or else the calls that do what the name says.
func unknownToolError(name string) error {
	names := toolNames(func(Tool) bool { return true })
	e := schemas.Errorf(schemas.NotFound, "no tool %s", quoteForError(name)).WithField("tool").WithChoices(names...)
	if at := slices.IndexFunc(names, func(known string) bool { return respell.IsTypingError(name, known) }); at >= 0 {
		e.Hint = "Closest: " + names[at] + "."
	}
	return e
}

// toolNames returns the names of the wanted tools for agents.
func toolNames(wanted func(Tool) bool) (names []string) {
	for _, t := range Table() {
		if wanted(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// CanonicalArgs returns arguments as the method of the tool sees them: decoded, coerced and checked, without the agent,
// and with our names for the fields of other protocols. Arguments with the same meaning have the same canonical form,
// and the canonical form of a canonical form is the same. It serves callers that need an argument without making the
// call, such as a protocol that keeps a wait open. The error is the same as from the call.
//
// It reads no store and does not know the caller, so it cannot tell whether the call would succeed. The result has
// only fields of the schema, none of them null, each in the type that the schema names.
func (t Tool) CanonicalArgs(args json.RawMessage) (json.RawMessage, error) {
	return Call{Args: args}.decode(t).canonical()
}

// ArgumentsOf returns the arguments of a call in their canonical form, see [Tool.CanonicalArgs].
func ArgumentsOf[In any](c Call) (in In, err error) {
	tool, err := FindTool(c.Tool)
	if err != nil {
		return in, err
	}
	args, err := c.decode(tool).canonical()
	if err == nil {
		err = json.Unmarshal(args, &in)
	}
	return in, err
}

// AsksToWait reports whether a call with these arguments asks to wait. It is false for arguments that the tool refuses.
func (t Tool) AsksToWait(args json.RawMessage) bool {
	if t.schema().Properties.field("wait_seconds") == nil {
		return false
	}
	_, m, _, err := t.decode(args)
	wait, _ := m["wait_seconds"].(json.Number)
	seconds, _ := wait.Int64() // zero for none
	return err == nil && seconds > 0
}

// authorize refuses a tool that the caller may not call: an administrative tool to a caller over a network, and a tool
// that changes something to a caller whose token has the scope read.
//
// The error for the scope read is of code denied and lists the tools that only read. The error for an administrative
// tool is of code not_found, as if the tool did not exist, because a caller over a network need not know its name.
func (t Tool) authorize(by schemas.Caller) error {
	switch {
	case t.Admin && by.Via == schemas.ViaHTTP:
		return unknownToolError(t.Name)
	case by.Scope != schemas.ScopeRead || t.ReadOnly:
		return nil
	}
	e := schemas.Errorf(schemas.Denied, "%s needs scope agent, and this token has scope read", t.Name)
	e = e.WithHint("It may only read. The operator of the server gives out tokens of other scopes.")
	return t.completeRefusal(e.WithField("tool").WithChoices(toolNames(func(t Tool) bool { return t.ReadOnly })...), nil)
}
