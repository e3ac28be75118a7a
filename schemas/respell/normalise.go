// Package respell translates messages of other handoff protocols into the arguments of our tools, and corrects the
// spelling of arguments. Each tool has an alias table. A row of the table says which field of a foreign message becomes
// which argument, and how to read the value. The functions to use are [Normalise] and [NormaliseWhole]. The package
// never reads a mailbox or changes a handoff.
//
// It knows the messages of the agent handoff protocols, the handoff protocol agent, the explicit handoff coordination
// plan, kernl and the Kelos TaskHandoff proposal. The rows are in aliases.txt, and tables.go builds the table of each
// tool from them. derived.go has the rules that a row cannot express. The other files read values or walk through JSON.
package respell

import (
	"errors"
	"reflect"
	"strings"

	"handoff/schemas"
)

// Normalise returns the arguments of a tool under our names, in snake_case. Package tools calls it for every call, and
// the command line calls it for a message from a file. Args are the arguments of a call, or a whole message of another
// protocol.
//
// The values in args must be JSON values that were decoded with UseNumber. Normalise does not change args: it returns a
// copy. Only for a tool without an alias table it returns args itself. A second Normalise of the result changes nothing
// more.
//
// No value of a known field is lost. A value that no argument can hold is kept in origin.extra, under its path in the
// message. Null and empty values of foreign fields are dropped. Unknown fields are kept there, too, if they decide
// nothing, see [normalisation.keeps]. The others stay where they are, so that the decoder refuses them. Objects and
// lists that came as JSON texts are decoded.
//
// The error joins errors of type [schemas.Error] and code invalid. Each names two fields that contradict each other, a
// status that does not say how the work ended, a field that the action does not take, or the tool to which the message
// belongs. The arguments that Normalise returns beside it are converted as far as possible, so that their other faults
// can be found.
func Normalise(tool string, args map[string]any) (map[string]any, error) {
	return normaliseArguments(tool, args, reading{})
}

// NormaliseWhole works as [Normalise] for a whole message, such as a file. It takes the message out of its envelope (an
// outer object around it), also if other fields than headers stand beside it. A shared message, such as the front matter
// of a document, is written for other programs, too: it keeps the unknown fields at the top that resemble none of ours.
// Errors name the handoff by id. If id is empty, they use the id in the message.
func NormaliseWhole(tool, id string, message map[string]any, shared bool) (map[string]any, error) {
	return normaliseArguments(tool, message, reading{whole: true, foreign: shared, givenID: id})
}

func normaliseArguments(tool string, args map[string]any, how reading) (map[string]any, error) {
	table := tableOfTool(tool)
	if table == nil {
		return args, nil
	}
	out := table.messageOf(args, how)
	_, err := table.normalise(out, "", how)
	return out, err
}

// messageOf returns a copy of the arguments of a call. If they are an envelope, the copy is of the message in it.
func (t *aliasTable) messageOf(args map[string]any, how reading) map[string]any {
	out := cloneJSON(args).(map[string]any)
	if how.whole || t.isMessage() {
		out = t.unwrapEnvelope(out, how.whole)
	}
	return out
}

// WrittenPaths returns a function that finds the place at which a caller wrote the value that [Normalise] moved to a
// path, such as files[0].path for context.files[0].path. It returns the path itself for a value that was not moved.
func WrittenPaths(tool string, args map[string]any) func(path string) string {
	var filled map[string]string
	if table := tableOfTool(tool); table != nil && len(args) > 0 {
		filled, _ = table.normalise(table.messageOf(args, reading{}), "", reading{}) // as far as it could be read
	}
	return func(path string) string {
		for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
			if from := filled[path[:end]]; from != "" {
				return from + path[end:]
			}
		}
		return path
	}
}

// A normalisation is the state of the conversion of one object to our names.
type normalisation struct {
	*aliasTable
	args   map[string]any
	at     string            // path of args with a final dot, for errors
	filled map[string]string // canonical path to the foreign path of its value
	hinted map[string]bool   // canonical paths whose value is a hint
	reading
}

// A reading says how a message is read.
type reading struct {
	whole   bool   // see [NormaliseWhole]
	givenID string // id of the handoff, if the caller gave it in addition to the message
	foreign bool   // the message has a version or a header of another protocol, or is the head of a document
	newer   bool   // the message says a version above ours
}

// normalise converts args in place. It returns the foreign paths of the moved values, by their paths in args. Its error
// joins the errors of all steps, so that one error can name all faults.
func (t *aliasTable) normalise(args map[string]any, at string, how reading) (moved map[string]string, err error) {
	n := &normalisation{
		aliasTable: t, args: args, at: at, filled: map[string]string{}, hinted: map[string]bool{}, reading: how,
	}
	n.newer = n.newer || t.isMessage() && (isNewer(args["version"]) || isNewer(args["schema"]))
	wrong := []error{t.fields.renameFields(args, at), t.start(n), n.relocateMisplaced(t.fields, args, "")}
	wrong = append(wrong, t.start(n)) // for fields that were moved
	for _, row := range t.rows {
		if err := n.applyRow(row); err != nil {
			wrong = append(wrong, err)
		}
	}
	wrong = append(wrong, t.finish(n))
	n.foreign = t.isMessage() && (n.foreign || !isEmpty(args["version"]) || n.foreignHeaderPath() != "")
	for name, table := range t.inner { // objects with an alias table of their own
		v, _ := valueAt(args, name)
		if inside, ok := v.(map[string]any); ok {
			_, err := table.normalise(inside, at+name+".", reading{whole: how.whole, givenID: how.givenID, newer: n.newer})
			wrong = append(wrong, err)
		}
	}
	return n.filled, errors.Join(append(wrong, n.keepUnknownFields(t.fields, args, ""))...)
}

// applyRow moves the value of the row's foreign field to the row's argument. It does nothing if the message does not
// have the field, or if the row cannot read its value.
func (n *normalisation) applyRow(row aliasRow) error {
	v, ok := valueAt(n.args, row.from)
	if !ok {
		return nil
	}
	if row.from == row.to || row.read.isHint {
		n.fillArgument(row, v)
		return nil
	}
	moved, err := n.moveField(row, v)
	if moved {
		removeAt(n.args, row.from)
	}
	return err
}

// fillArgument applies a row that moves no field. A row for an argument itself replaces the argument's value by the
// converted value. A hint copies the value of a foreign field to an empty argument. The foreign field stays, because
// another row moves it later.
func (n *normalisation) fillArgument(row aliasRow, v any) {
	have, _ := valueAt(n.args, row.to)
	if read, ok := row.read.convertValue(v); ok && !isEmpty(v) && (isEmpty(have) || !row.read.isHint) {
		setAt(n.args, row.to, read)
		n.hinted[row.to] = row.read.isHint
	}
}

// moveField converts the foreign value v and stores the result at the row's path. If moved is true, the caller removes
// the foreign field. Moved is also true for an empty value, which moveField does not store. Moved is false if the row
// cannot read the value, or if a value on the way to the path is no object. Then the field stays, and the decoder
// refuses it.
func (n *normalisation) moveField(row aliasRow, v any) (moved bool, err error) {
	if isEmpty(v) {
		return true, nil
	}
	read, ok := row.read.convertValue(v)
	if !ok {
		return false, nil
	}
	have, _ := valueAt(n.args, row.to)
	if n.hinted[row.to] {
		have = nil
	}
	rival := n.filled[row.to]
	switch {
	case row.to == "", row.read.onlyAdds && rival == "":
		return n.keepInOverflow(row.from, v)
	case isEmpty(have) && setAt(n.args, row.to, read):
		n.filled[row.to], n.hinted[row.to] = row.from, false
		return true, nil
	case isEmpty(have):
		return false, nil
	case row.read.meansSame(have, read):
		return true, nil
	case rival != "" && row.read.merge != nil:
		n.filled[row.to] = row.to // a merged list stands at no one place of the message
		return setAt(n.args, row.to, row.read.merge(have, read)), nil
	case row.read.yieldsAlways, rival != "" && row.read.yieldsToForeign:
		return n.keepElsewhere(row, v)
	case rival == "":
		rival = row.to
	}
	return false, n.contradictionError(row.from, rival, row.to)
}

// keepInOverflow stores a foreign value that no argument can hold at its overflow path, such as origin.extra.
func (n *normalisation) keepInOverflow(from string, v any) (moved bool, err error) {
	to := n.overflow(from)
	have, there := valueAt(n.args, to)
	if there && !reflect.DeepEqual(have, v) {
		return false, n.contradictionError(from, to, to)
	}
	n.filled[to] = from
	return setAt(n.args, to, v), nil
}

// keepElsewhere stores a foreign value that yields to another value of its argument, at the path that the row has for
// it. If the row has none, or if another value is at this path, it stores the value at the overflow path.
func (n *normalisation) keepElsewhere(row aliasRow, v any) (moved bool, err error) {
	if at := row.read.elsewhere; at != "" {
		if have, _ := valueAt(n.args, at); reflect.DeepEqual(have, v) || isEmpty(have) && setAt(n.args, at, v) {
			n.filled[at] = row.from
			return true, nil
		}
	}
	return n.keepInOverflow(row.from, v)
}

func (n *normalisation) contradictionError(from, rival, to string) error {
	return schemas.Invalidf(n.at+from, "%s%s and %s%s say different things", n.at, from, n.at, rival).
		WithHint("Give only %s%s.", n.at, to)
}
