package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/schemas/respell"
)

// mostRefused is the number of wrong fields that one refusal names.
const mostRefused = 10

// completeRefusal makes one error of all errors of decoding. The first one decides the field. If there are several, the
// message lists them, each as its field, what is wrong, and its hint. It adds the field "arguments" if the error names
// no field, and a sentence that nothing was done. The sentence ends the hint, so that a model that reads only the end
// knows that it must call again. Each field is named as in the arguments that the caller wrote, if they are given. The
// error is copied, because errors of package schemas may be shared.
func (t Tool) completeRefusal(err error, written map[string]any) error {
	all, place := t.splitErrors(err), respell.WrittenPaths(t.Name, written)
	explain := func(err error) schemas.Error {
		e := t.explain(err)
		nameAsWritten(&e, place)
		if e.Field == "to" && written["agent"] != nil && written["to"] == nil {
			e.Hint = "The argument agent is the name under which you act. " + e.Hint
		}
		return e
	}
	e := explain(all[0])
	if len(all) > 1 {
		e.Message, e.Hint = describeFault(e), ""
	}
	for i, other := range all[1:] {
		if i == mostRefused-1 {
			e.Message += fmt.Sprintf("; and %d more", len(all)-mostRefused)
			break
		}
		o := explain(other)
		e.Message += "; " + describeFault(o)
		e.Next = append(slices.Clip(e.Next), schemas.AdviceWithout(o.Next, e.Next)...)
	}
	e.Field = cmp.Or(e.Field, "arguments")
	e.Hint = strings.TrimSpace(e.Hint + " " + t.undone)
	return &e
}

// nameAsWritten gives an error the field that the caller wrote, see [respell.WrittenPaths]. If this field was read as
// another one, the message says so.
func nameAsWritten(e *schemas.Error, place func(path string) string) {
	if at := place(e.Field); at != e.Field {
		e.Field, e.Message = at, e.Message+" (read as "+e.Field+")"
	}
}

// describeFault writes one of several errors: its field, what is wrong, and its hint in brackets.
func describeFault(e schemas.Error) string {
	if e.Hint == "" {
		return e.Error()
	}
	return e.Error() + " (" + schemas.Clip(strings.TrimSuffix(e.Hint, "."), 200) + ")"
}

// splitErrors returns the errors that [errors.Join] joined, also within joined errors. An error about an object that
// only other protocols have becomes an error for each field in it.
func (t Tool) splitErrors(err error) (all []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			all = append(all, t.splitErrors(each)...)
		}
		return all
	}
	u, _ := errors.AsType[unknownField](err)
	inside, _ := u.value.(map[string]any)
	if len(inside) == 0 || !respell.IsForeignObject(t.Name, u.refusal.Field) {
		return []error{err}
	}
	for _, name := range slices.Sorted(maps.Keys(inside)) {
		e := schemas.Invalidf(u.refusal.Field+"."+name, "%s", u.refusal.Message).WithHint("Leave it out, or use a field that exists.")
		all = append(all, unknownField{e, name, inside[name], nil, u.handoff})
	}
	return all
}

// explain returns a copy of one error of decoding, with the hint for an unknown field.
func (t Tool) explain(err error) schemas.Error {
	if u, ok := errors.AsType[unknownField](err); ok {
		return t.explainUnknownField(u)
	}
	e := *schemas.AsError(err)
	if e.Field == "action" && e.Known != nil { // the message lists them, and [LocalInvoker.adviseMeant] says what is meant
		e.Known = nil
		if !strings.HasPrefix(e.Hint, "Closest") {
			e.Hint = ""
		}
	}
	return e
}

// invalidAtf returns an error of code invalid about the value at a path. The text begins in lower case and does not
// name the field, because the error shows the field before the text.
func invalidAtf(at *argumentPath, format string, args ...any) *schemas.Error {
	return schemas.Invalidf(at.String(), format, args...)
}

// unknownField is an error about a field that the schema does not have at this place.
type unknownField struct {
	refusal *schemas.Error
	name    string
	value   any
	known   []string
	handoff string // the handoff of the call, or the blank
}

func (u unknownField) Error() string { return u.refusal.Error() }

// Unwrap returns the error for callers.
func (u unknownField) Unwrap() error { return u.refusal }

// refuseUnknown returns the error for a field of the object m that the schema does not have. It suggests only fields
// that a caller should send. It never suggests a hidden field, nor a field that only the mailbox fills.
func (n *schemaNode) refuseUnknown(name string, m map[string]any, at *argumentPath) error {
	known := n.suggestedFields()
	if at == nil {
		known = append(known, "agent")
	}
	id, _ := m["handoff_id"].(string)
	return unknownField{invalidAtf(at.field(name), "there is no such field"), name, m[name], known, cmp.Or(id, schemas.Blank)}
}

// explainUnknownField completes the error for an unknown field. The hint names the right place of the value, or the
// error advises the call that does what the field asks for.
func (t Tool) explainUnknownField(u unknownField) schemas.Error {
	e := *u.refusal
	if u.known != nil {
		e = *addChoices(u.refusal, u.name, u.known)
	}
	if given, _ := u.value.(string); namesHandoff(given) {
		u.handoff = given
	}
	hint, next := respell.FieldAdvice(t.Name, u.name, u.handoff)
	if hint != "" && !strings.Contains(e.Field, "[") {
		e.Hint, e.Next = hint, append(e.Next, next...)
	}
	if meant := respell.MeantPlace(t.Name, e.Field); e.Hint == "" && meant != "" && !strings.Contains(e.Field, "[") {
		e.Hint = "Closest: " + meant + "."
	}
	if e.Hint == "" {
		e.Hint, _ = respell.FieldAdvice(t.Name, "*", u.handoff)
	}
	return e
}

// addChoices adds the valid names to an error, in the order of the schema, and a hint with the likeliest name.
func addChoices(e *schemas.Error, written string, names []string) *schemas.Error {
	hint := ""
	if meant := closest.LikelyNames(written, names); len(meant) > 0 {
		hint = "Closest: " + meant[0] + "."
	}
	return e.WithChoices(names...).WithHint("%s", hint)
}

// checkRequired refuses an object that lacks required fields. The error names all missing fields. A blank text counts
// as missing.
func (n *schemaNode) checkRequired(m map[string]any, at *argumentPath) error {
	names := slices.DeleteFunc(slices.Clone(n.Required), func(name string) bool {
		text, ok := m[name].(string)
		return m[name] != nil && (!ok || strings.TrimSpace(text) != "")
	})
	if len(names) == 0 {
		return nil
	}
	e := invalidAtf(at.field(names[0]), "required")
	if len(names) > 1 {
		e.Message += ", and so is " + strings.Join(names[1:], ", ")
	}
	var hints []string
	for _, name := range names {
		if says := n.Properties.field(name).explainValues(); says != "" {
			hints = append(hints, name+": "+says+".")
		}
	}
	return e.WithHint("%s", strings.Join(hints, " "))
}

// explainValues describes the values of a field for a hint, such as its allowed values or its written form. It returns
// "" if the name of the field says enough.
func (n *schemaNode) explainValues() string {
	switch {
	case n.Enum != nil:
		return "one of " + strings.Join(n.Enum, ", ")
	case strings.HasPrefix(n.Description, "{"):
		return n.Description
	case n.Type == "array":
		return n.Items.read().writtenForm() + "[]"
	case n.Form != "":
		return n.Form
	}
	return strings.TrimSuffix(n.Description, ".")
}

// writtenForm returns how a value is written, such as {path: text, lines: text} for an object.
func (n *schemaNode) writtenForm() string { return cmp.Or(n.Form, strings.Join(n.Enum, "|"), "text") }

// wrongTypeError refuses a value of a type that the schema does not take. It names the right type, and shows the
// beginning of the value and the right form.
func (n *schemaNode) wrongTypeError(v any, at *argumentPath) error {
	e := invalidAtf(at, "must be %s, not %s", n.typeInWords(), valueInWords(v))
	if says := n.explainValues(); says != "" {
		e.Hint = "It takes: " + says + "."
	}
	if path := at.String(); strings.HasPrefix(path, "changes.") && n.Type == "array" {
		e.Hint += fmt.Sprintf(" To take entries away: changes: {remove: {%s: […]}}.", path[strings.LastIndexByte(path, '.')+1:])
	}
	return e
}

// wrongWordError returns the error for a text that is not among the values that the schema allows. The error names all
// of these values.
func (n *schemaNode) wrongWordError(text string, at *argumentPath) error {
	e := addChoices(invalidAtf(at, "%s is not one of %s", quoteForError(text), strings.Join(n.Enum, ", ")), text, n.Enum)
	if e.Hint == "" && n.Description != "" {
		e.Hint = strings.TrimSuffix(n.Description, ".") + "."
	}
	return e
}

// outOfRangeError refuses a number beyond the bounds of the schema, and names both bounds.
func (n *schemaNode) outOfRangeError(number json.Number, at *argumentPath) error {
	var bounds []string
	if n.Minimum != nil {
		bounds = append(bounds, "at least "+strconv.FormatFloat(*n.Minimum, 'f', -1, 64))
	}
	if n.Maximum != nil {
		bounds = append(bounds, "at most "+strconv.FormatFloat(*n.Maximum, 'f', -1, 64))
	}
	return invalidAtf(at, "%s is outside", shortenForError(number.String())).WithHint("Give %s.", strings.Join(bounds, " and "))
}

// typeInWords names the type of a schema in words.
func (n *schemaNode) typeInWords() string {
	if n.Type == "array" && n.Items.read().Type == "object" {
		return "a list of objects"
	}
	return map[string]string{
		"object": "an object", "array": "a list of text", "string": "text",
		"integer": "a whole number", "number": "a number", "boolean": "true or false",
	}[n.Type]
}

// valueInWords names the type of a value in words.
func valueInWords(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return quoteForError(v)
	case nil:
		return "null"
	}
	return shortenForError(fmt.Sprint(v))
}
