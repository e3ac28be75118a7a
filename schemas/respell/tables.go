package respell

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// An aliasTable holds the accepted spellings for the arguments of one tool, or for one object among these arguments.
type aliasTable struct {
	fields   *shape
	own      *shape // the same without additions of other protocols
	rows     []aliasRow
	overflow func(from string) string     // returns the path for a value that no argument can hold
	start    func(n *normalisation) error // runs before the rows; does work that no row can express
	finish   func(n *normalisation) error // runs after the rows and the hints
	inner    map[string]*aliasTable       // objects with an alias table of their own, by path
	paths    fieldPaths                   // proper places of misplaced fields
}

// tablesByTool has a function for each tool that makes its alias table at the first use. A process uses few of the
// tables. Making all of them at the start would slow the program down noticeably.
var tablesByTool = map[string]func() *aliasTable{
	"send_handoff":  sync.OnceValue(func() *aliasTable { return sendTable(schemas.SendIn{}) }),
	"claim_handoff": lazyTable(schemas.ClaimIn{}, "handoff", func(t *aliasTable) { t.start = readAcceptance }),
	"complete_handoff": lazyTable(schemas.CompleteIn{}, "header handoff token ending complete", func(t *aliasTable) {
		t.start, t.finish = readPassing, finishComplete
		t.inner = map[string]*aliasTable{"continuation": sendTable(schemas.Continuation{})}
	}),
	"fail_handoff": lazyTable(schemas.FailIn{}, "header handoff token ending fail", func(t *aliasTable) { t.finish = finishFail }),
	"update_handoff": lazyTable(schemas.UpdateIn{}, "handoff token update", func(t *aliasTable) {
		t.finish, t.inner = finishUpdate, map[string]*aliasTable{"changes": changesTable()}
	}),
	"list_handoffs":   lazyTable(schemas.ListIn{}, "list"),
	"get_handoff":     lazyTable(schemas.GetIn{}, "handoff get"),
	"handoff_history": lazyTable(schemas.HistoryIn{}, "handoff workflow"),
	"register_agent":  lazyTable(schemas.RegisterIn{}, "register"),
	"list_agents":     lazyTable(schemas.AgentsIn{}, ""),
}

func lazyTable(in any, groups string, more ...func(*aliasTable)) func() *aliasTable {
	return sync.OnceValue(func() *aliasTable {
		t := newTable(in, aliasesOf(groups))
		for _, add := range more {
			add(t)
		}
		return t
	})
}

// tableOfTool returns the alias table of a tool, or nil.
func tableOfTool(tool string) *aliasTable {
	if table := tablesByTool[tool]; table != nil {
		return table()
	}
	return nil
}

// newTable makes a table for the Go type of in. It puts two kinds of rows first: hints, and rows that only convert an
// argument in its own place. So the other rows compare a foreign value with an argument that is already in our form.
func newTable(in any, rows []aliasRow) *aliasTable {
	t := &aliasTable{fields: shapeOf(reflect.TypeOf(in)), overflow: extraPath, start: doNothing, finish: doNothing}
	t.own = shapeOf(reflect.TypeOf(in))
	t.paths = fieldPathsOf(t.fields, "continuation", "options.join", "changes.options.join")
	var moves []aliasRow
	for _, row := range rows {
		if row.from == row.to || row.read.isHint {
			t.rows = append(t.rows, row)
		} else {
			moves = append(moves, row)
		}
		if !row.read.isHint { // a hint's field belongs to another row
			t.fields.addForeignField(row)
		}
	}
	t.rows = append(t.rows, moves...)
	return t
}

func doNothing(*normalisation) error { return nil }

func extraPath(from string) string { return "origin.extra." + from }

// sendTable makes the table for a message to send. In is a [schemas.SendIn], or a struct that embeds one.
func sendTable(in any) *aliasTable {
	t := newTable(in, append(aliasesOf("hint"), sendAliases()...))
	t.start, t.finish = unpackTask, finishSend
	join := newTable(schemas.Join{}, nil)
	join.overflow = statePath // as for changes: a join has no origin
	t.inner = map[string]*aliasTable{"options.join": join}
	for _, row := range aliasesOf("task") {
		t.fields.addForeignField(row)
	}
	return t
}

// changesTable makes the table for the changes of an amendment, which may be spelled like a message to send. Changes
// have no origin and no attempt, so values for these go to the state of the context. A role in the changes describes
// the work, and does not change the recipient.
func changesTable() *aliasTable {
	known := shapeOf(reflect.TypeFor[schemas.Changes]())
	var rows []aliasRow
	for _, row := range sendAliases() {
		beside := slices.Contains([]string{"agent_context", "handoff_instructions"}, firstNameOf(row.from))
		switch {
		case row.to == "detail": // notes are added, and the detail stays
			rows = append(rows, aliasRow{row.from, "context.memories", conversions["lines"]})
		case beside && row.to == "expectations.estimated_duration":
			rows = append(rows, aliasRow{row.from, cmp.Or(row.read.elsewhere, statePath(row.from)), conversion{yieldsAlways: true}})
		case known.fieldAt(firstNameOf(row.to)) != nil && !slices.Contains([]string{"to", "options.attempt", "options.requirements"}, row.to):
			rows = append(rows, row)
		case slices.Contains([]string{"context", "agent_context", "handoff_instructions"}, firstNameOf(row.from)):
			rows = append(rows, aliasRow{row.from, statePath(row.from), conversion{yieldsAlways: true}})
		}
	}
	t := newTable(schemas.Changes{}, append(rows, aliasesOf("changes")...))
	t.overflow, t.start, t.finish = statePath, gatherRemovals, listEmptyFields
	return t
}

func statePath(from string) string {
	_, inside, _ := strings.Cut(from, ".")
	return "context.state." + cmp.Or(inside, from)
}

// firstNameOf returns the first name of a dotted path.
func firstNameOf(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}
