// Package respell translates messages of other handoff protocols into our words. Each tool has an alias table, which
// maps fields of foreign messages to arguments of the tool and says how to read their values. [Normalise] is the only
// entry. It decides nothing about a handoff and knows no mailbox.
//
// It knows the messages of the agent handoff protocols, the handoff protocol agent, the explicit handoff coordination
// plan, kernl and the Kelos TaskHandoff proposal. The tables are in aliases.go, and tables.go joins them to the
// tools. derived.go holds rules that no row can express. The other files read values or walk JSON.
package respell

import (
	"reflect"

	"handoff/schemas"
)

// Normalise returns the arguments of a tool under our names, in snake_case. Package tools calls it for every call,
// and the command line for a message from a file. Args is a call, or a whole message of another protocol.
//
// The arguments are JSON values that were decoded with UseNumber. Normalise does not change them: the result is a
// copy, except for a tool without an alias table, whose arguments are returned unchanged. Normalising a result
// returns the same result.
//
// No value of a known field is lost. A value that no argument can hold goes to origin.extra, under its path in the
// message. Null and empty values of foreign fields are dropped. Unknown fields stay in place, so that the decoder
// refuses them. Objects and lists that came as JSON text are decoded.
//
// The error is a [schemas.Error] of code invalid. Either two fields of the message contradict each other, and the
// error names both, or the message belongs to another tool, and the error names the tool.
func Normalise(tool string, args map[string]any) (map[string]any, error) {
	return normalise(tool, args, false, "")
}

// NormaliseWhole is [Normalise] for a whole message, such as a file. It takes the message out of its envelope, and
// moves unknown fields to origin.extra as well, because no writer is there to correct them. Errors name the handoff
// by id, or by the id in the message if id is empty.
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
	filled  map[string]string // canonical path to the foreign path of its value
	hinted  map[string]bool   // canonical paths whose value is a hint
	whole   bool              // see [NormaliseWhole]
	givenID string            // id of the handoff, if the caller gave it in addition to the message
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
	if err := t.start(n); err != nil { // for fields that were moved
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

// apply moves the value of one foreign field, if the message has the field and the row can read its value.
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

// fill writes a converted value in place, or a hint if the argument has no value. The foreign field stays.
func (n *normalisation) fill(row alias, v any) {
	have, _ := lookAt(n.args, row.to)
	if read, ok := row.read.apply(v); ok && !isEmpty(v) && (isEmpty(have) || !row.read.hints) {
		putAt(n.args, row.to, read)
		n.hinted[row.to] = row.read.hints
	}
}

// move reads the foreign value v and puts it at the row's path. An empty value counts as moved. It returns false if
// the row cannot read the value, or if something on the path is no object. The decoder reports the details then.
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
