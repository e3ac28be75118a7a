// Package respell brings what other handoff protocols write into our words. Each tool has an alias table: which field
// of a foreign message means which argument of the tool, and how its value is read. [Normalise] is the only door; it
// decides nothing about a handoff and knows no mailbox.
//
// The messages it knows are those of the agent handoff protocols, the handoff protocol agent, the explicit handoff
// coordination plan, kernl and the Kelos TaskHandoff proposal. The tables stand in aliases.go and are joined to the
// tools in tables.go; what no row can say stands in derived.go. Everything else reads values or walks JSON.
package respell

import (
	"reflect"

	"handoff/schemas"
)

// Normalise gives the arguments of a tool under our names, in snake_case. Package tools calls it for every call, and
// the command line for a message that was given as a file; args is a call, or a whole message of another protocol.
//
// The arguments are JSON values that were decoded with UseNumber. They are not changed: the result is a copy, except
// for a tool without an alias table, whose arguments come back as they are. Normalising a result gives the same
// result.
//
// No value of a known field is lost. A value that no argument can hold goes to origin.extra, under the path that it
// had in the message. Null and empty values of foreign fields are dropped. Unknown fields stay where they are, for
// the decoder to refuse. Objects and lists that came as JSON text are read.
//
// The error is a [schemas.Error] of code invalid: two fields of the message contradict each other, and it names both,
// or the message belongs to another tool, and it names the tool.
func Normalise(tool string, args map[string]any) (map[string]any, error) {
	return normalise(tool, args, false, "")
}

// NormaliseWhole is [Normalise] for a message that was given as a whole, such as a file: it is taken out of its envelope, and
// what it says beyond the fields that are known goes to origin.extra as well, because nobody can ask its writer. It is
// given for the handoff with the id, which errors name, or for the one that it names itself.
func NormaliseWhole(tool, id string, message map[string]any) (map[string]any, error) {
	return normalise(tool, message, true, id)
}

func normalise(tool string, args map[string]any, whole bool, id string) (map[string]any, error) {
	table := tableOf(tool)
	if table == nil {
		return args, nil
	}
	out, _ := cloneJSON(args).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	if whole {
		out = table.unwrap(out)
	}
	if err := table.normalise(out, "", whole, id); err != nil {
		return nil, err
	}
	return out, nil
}

// A normalisation is one object on its way into canonical form.
type normalisation struct {
	*aliasTable
	args    map[string]any
	at      string            // path of args with a final dot, for errors
	filled  map[string]string // canonical path to the foreign path whose value is there
	hinted  map[string]bool   // canonical paths whose value is a hint
	whole   bool              // see [NormaliseWhole]
	givenID string            // the id of the handoff, where it was given beside the message
}

// normalise changes args in place.
func (t *aliasTable) normalise(args map[string]any, at string, whole bool, id string) error {
	if err := t.fields.rename(args, at); err != nil {
		return err
	}
	n := &normalisation{
		aliasTable: t, args: args, at: at, filled: map[string]string{}, hinted: map[string]bool{}, whole: whole, givenID: id,
	}
	if err := t.start(n); err != nil {
		return err
	}
	if err := n.relocate(t.fields, args, ""); err != nil {
		return err
	}
	if err := t.start(n); err != nil { // of what stood elsewhere
		return err
	}
	for _, row := range t.rows {
		if err := n.apply(row); err != nil {
			return err
		}
	}
	if err := t.finish(n); err != nil {
		return err
	}
	for name, table := range t.inner { // objects with an alias table of their own
		v, _ := lookAt(args, name)
		if inside, ok := v.(map[string]any); ok {
			if err := table.normalise(inside, at+name+".", whole, id); err != nil {
				return err
			}
		}
	}
	if !whole {
		return nil
	}
	return n.setAsideUnknown(t.own, args, "")
}

// apply moves the value of one foreign field, if the message has the field and its value is of the kind that the row
// reads.
func (n *normalisation) apply(row alias) error {
	v, ok := lookAt(n.args, row.from)
	if !ok {
		return nil
	}
	if row.from == row.to || row.read.hints {
		n.fill(row, v)
		return nil
	}
	moved, err := n.move(row, v)
	if moved {
		removeAt(n.args, row.from)
	}
	return err
}

// fill writes a value where it is read anew, or a hint where there is no value. The foreign field stays.
func (n *normalisation) fill(row alias, v any) {
	have, _ := lookAt(n.args, row.to)
	if read, ok := row.read.apply(v); ok && !isEmpty(v) && (isEmpty(have) || !row.read.hints) {
		putAt(n.args, row.to, read)
		n.hinted[row.to] = row.read.hints
	}
}

// move reads the foreign value v and puts it where the row says. An empty value counts as moved. False means that the
// row cannot read the value, or that something on the path is no object: then the decoder says more.
func (n *normalisation) move(row alias, v any) (moved bool, err error) {
	if isEmpty(v) {
		return true, nil
	}
	read, ok := row.read.apply(v)
	if !ok {
		return false, nil
	}
	have, _ := lookAt(n.args, row.to)
	if n.hinted[row.to] {
		have = nil
	}
	rival := n.filled[row.to]
	switch {
	case row.to == "", row.read.joins && rival == "":
		return n.setAside(row.from, v)
	case isEmpty(have) && putAt(n.args, row.to, read):
		n.filled[row.to], n.hinted[row.to] = row.from, false
		return true, nil
	case isEmpty(have):
		return false, nil
	case row.read.equal(have, read):
		return true, nil
	case rival != "" && row.read.merge != nil:
		return putAt(n.args, row.to, row.read.merge(have, read)), nil
	case row.read.yields, rival != "" && row.read.aside:
		return n.setAside(row.from, v)
	case rival == "":
		rival = row.to
	}
	return false, n.contradiction(row.from, rival, row.to)
}

// setAside keeps the value of a foreign field at the overflow path of the field.
func (n *normalisation) setAside(from string, v any) (moved bool, err error) {
	to := n.overflow(from)
	have, there := lookAt(n.args, to)
	if there && !reflect.DeepEqual(have, v) {
		return false, n.contradiction(from, to, to)
	}
	return putAt(n.args, to, v), nil
}

func (n *normalisation) contradiction(from, rival, to string) error {
	return schemas.Invalidf(n.at+from, "%s%s and %s%s say different things", n.at, from, n.at, rival).
		WithHint("Give only %s%s.", n.at, to)
}
