package respell

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// An aliasTable says how the arguments of one tool, or of one object within them, may be spelled.
type aliasTable struct {
	fields   *shape
	own      *shape // the same without what other protocols add
	rows     []alias
	overflow func(from string) string     // gives the path of a value that no argument can hold
	start    func(n *normalisation) error // does what no row can do, before the rows
	finish   func(n *normalisation) error // does the same after the rows and the hints
	inner    map[string]*aliasTable       // objects by their paths that have an alias table of their own
	paths    fieldPaths                   // where fields belong that stand elsewhere
}

// tables makes the alias table of each tool, at the first call of the tool: a process calls few of them, and a start
// that makes them all takes noticeably longer.
var tables = map[string]func() *aliasTable{
	"send_handoff":  sync.OnceValue(func() *aliasTable { return sendTable(schemas.SendIn{}) }),
	"claim_handoff": lazyTable(schemas.ClaimIn{}, handoffAliases),
	"complete_handoff": lazyTable(schemas.CompleteIn{}, completeAliases, func(t *aliasTable) {
		t.finish, t.inner = finishComplete, map[string]*aliasTable{"continuation": sendTable(schemas.Continuation{})}
	}),
	"fail_handoff": lazyTable(schemas.FailIn{}, failAliases, func(t *aliasTable) { t.finish = finishFail }),
	"update_handoff": lazyTable(schemas.UpdateIn{}, updateAliases, func(t *aliasTable) {
		t.finish, t.inner = finishUpdate, map[string]*aliasTable{"changes": changesTable()}
	}),
	"list_handoffs":   lazyTable(schemas.ListIn{}, listAliases),
	"get_handoff":     lazyTable(schemas.GetIn{}, handoffAliases),
	"handoff_history": lazyTable(schemas.HistoryIn{}, slices.Concat(handoffAliases, workflowAliases)),
	"register_agent":  lazyTable(schemas.RegisterIn{}, registerAliases),
	"list_agents":     lazyTable(schemas.AgentsIn{}, nil),
}

func lazyTable(in any, rows []alias, more ...func(*aliasTable)) func() *aliasTable {
	return sync.OnceValue(func() *aliasTable {
		t := newTable(in, rows)
		for _, add := range more {
			add(t)
		}
		return t
	})
}

// tableOf gives the alias table of a tool, or nil.
func tableOf(tool string) *aliasTable {
	if table := tables[tool]; table != nil {
		return table()
	}
	return nil
}

// newTable makes a table for the type of in. Hints and the rows that only read a value of ours come first, so that the
// others compare foreign values with canonical ones.
func newTable(in any, rows []alias) *aliasTable {
	t := &aliasTable{fields: shapeOf(reflect.TypeOf(in)), overflow: extraPath, start: noStep, finish: noStep}
	t.own = shapeOf(reflect.TypeOf(in))
	t.paths = pathsIn(t.fields, "continuation", "options.join", "changes.options.join")
	var moves []alias
	for _, row := range expandRows(rows) {
		if row.from == row.to || row.read.hints {
			t.rows = append(t.rows, row)
		} else {
			moves = append(moves, row)
		}
		if !row.read.hints { // its field is one of another row
			t.fields.addForeign(row)
		}
	}
	t.rows = append(t.rows, moves...)
	return t
}

func noStep(*normalisation) error { return nil }

func extraPath(from string) string { return "origin.extra." + from }

// sendTable makes the table for a message to send; in is a SendIn, or holds one.
func sendTable(in any) *aliasTable {
	t := newTable(in, slices.Concat(sendHints, sendAliases()))
	t.start, t.finish = unpackTask, finishSend
	join := newTable(schemas.Join{}, nil)
	join.overflow = statePath // as of changes: a join has no origin
	t.inner = map[string]*aliasTable{"options.join": join}
	for _, row := range taskAliases {
		t.fields.addForeign(row)
	}
	return t
}

// changesTable makes the table for the changes of an amendment, which are spelled as a message to send. Changes have no
// origin and make no attempt: the state of the context takes what would go there. A role among them describes the work;
// it sends the handoff nowhere else.
func changesTable() *aliasTable {
	known := shapeOf(reflect.TypeFor[schemas.Changes]())
	var rows []alias
	for _, row := range sendAliases() {
		beside := slices.Contains([]string{"agent_context", "handoff_instructions"}, rootOf(row.from))
		switch {
		case row.to == "detail": // notes beside what was sent, which stays
			rows = append(rows, alias{row.from, "context.memories", asLines})
		case beside && row.to == "expectations.estimated_duration":
			rows = append(rows, alias{row.from, statePath(row.from), reading{yields: true}})
		case known.at(rootOf(row.to)) != nil && !slices.Contains([]string{"to", "options.attempt", "options.requirements"}, row.to):
			rows = append(rows, row)
		case slices.Contains([]string{"context", "agent_context", "handoff_instructions"}, rootOf(row.from)):
			rows = append(rows, alias{row.from, statePath(row.from), reading{yields: true}})
		}
	}
	rows = append(rows, alias{"agent_role", "role", asText})
	t := newTable(schemas.Changes{}, rows)
	t.overflow = statePath
	return t
}

func statePath(from string) string {
	return "context.state." + from[strings.LastIndexByte(from, '.')+1:]
}

// rootOf gives the first name of a dotted path.
func rootOf(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}
