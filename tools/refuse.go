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

// completeRefusal makes one error of all errors of decoding. The first one decides the field and the advice. The
// others stand in the message, each with its hint. It adds the field "arguments" if the error names no field, and a
// sentence that nothing was done. The sentence ends the hint, so that a model that reads only the end knows that it
// must call again. The error is copied, because errors of package schemas may be shared.
func (t Tool) completeRefusal(err error) error {
	all := splitErrors(err)
	e := t.explain(all[0])
	for i, other := range all[1:] {
		if i == mostRefused-1 {
			e.Message += fmt.Sprintf("; and %d more", len(all)-mostRefused)
			break
		}
		o := t.explain(other)
		if e.Message += "; " + o.Error(); o.Hint != "" {
			e.Message += " (" + schemas.Clip(strings.TrimSuffix(o.Hint, "."), 200) + ")"
		}
	}
	e.Field = cmp.Or(e.Field, "arguments")
	e.Hint = strings.TrimSpace(e.Hint + " " + t.undone)
	return &e
}

// splitErrors returns the errors that [errors.Join] joined, also within joined errors.
func splitErrors(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, each := range joined.Unwrap() {
		all = append(all, splitErrors(each)...)
	}
	return all
}

// explain returns a copy of one error of decoding, with the hint for an unknown field.
func (t Tool) explain(err error) schemas.Error {
	if u, ok := errors.AsType[unknownField](err); ok {
		return t.explainUnknownField(u)
	}
	return *schemas.AsError(err)
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

// refuseUnknown returns the error for a field of the object m that the schema does not have. It suggests only fields that
// a caller should send. It never suggests a hidden field, nor a field that only the mailbox fills.
func (n *schemaNode) refuseUnknown(name string, m map[string]any, at *argumentPath) error {
	known := n.suggestedFields()
	if at == nil {
		known = append(known, "agent")
	}
	id, _ := m["handoff_id"].(string)
	return unknownField{invalidAtf(at.field(name), "there is no such field"), name, m[name], known, cmp.Or(id, schemas.Blank)}
}

// Names of fields that a tool does not have, and that its caller must not just leave out: the call would then do
// something else than the caller wants.
var (
	failureWords  = strings.Fields("success succeeded ok passed failed failure error errors exception exit_code is_error")
	lookWords     = strings.Fields("peek dry_run preview look list limit count no_claim read_only")
	holderFilters = strings.Fields("holder assignee held_by owner claimed_by")
)

// explainUnknownField completes the error for an unknown field. If the field exists elsewhere in the arguments, the
// hint names its right place. If the field is an object of another protocol, the error names the unknown field in the
// object. If leaving the field out would change the meaning of the call, the error advises the call that is meant.
func (t Tool) explainUnknownField(u unknownField) schemas.Error {
	e, name := *addChoices(u.refusal, u.name, u.known), u.name
	if inside, _ := u.value.(map[string]any); len(inside) > 0 && respell.IsForeignObject(t.Name, e.Field) {
		name = slices.Min(slices.Collect(maps.Keys(inside)))
		e.Field += "." + name
		e.Hint, e.Known = "Leave it out, or use a field that exists.", nil
	}
	switch {
	case t.Name == schemas.CompleteIn{}.Tool() && slices.Contains(failureWords, name):
		e.Hint, e.Next = "A completion says that it is done. If it is not, do not just leave this out.", schemas.AdviceForUnfinished(u.handoff)
		return e
	case t.Name == schemas.ClaimIn{}.Tool() && slices.Contains(lookWords, name):
		e.Hint = "A claim takes one handoff, and cannot only look."
		e.Next = append(e.Next, schemas.AdviseCall(schemas.ListIn{}, "shows what is for you, and takes nothing"))
		return e
	case t.Name == schemas.UpdateIn{}.Tool() && (name == "status" || name == "state"):
		e.Hint, e.Next = "An action decides the status.", respell.MeantCalls(fmt.Sprint(u.value), u.handoff)
	case t.Name == schemas.ListIn{}.Tool() && slices.Contains(holderFilters, name):
		e.Next = append(e.Next, schemas.AdviseCall(schemas.ListIn{Box: "all", Status: schemas.InProgress}, "lists all held work"))
	case t.Name == schemas.SendIn{}.Tool() && strings.HasPrefix(name, "exclude"):
		e.Hint = "No agent can be excluded by name: send to a named agent, or to a pool, which skips agents that rejected the work."
	}
	if all := respell.FieldPaths(t.Name, name); len(all) > 0 {
		e.Hint = "Give it as " + strings.Join(all[:min(len(all), 4)], " or ") + "."
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
