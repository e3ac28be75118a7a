package schemas

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Respell brings the arguments of a tool call, or a whole message of another protocol that is given to
// send, complete or fail, into the canonical names of that tool. The arguments are JSON values decoded with
// UseNumber; they are not changed. What it knows stands in spellings.go.
//
// No value of a known field is lost: one that has no place of its own goes to origin.extra, under its own
// path. Null and empty values of foreign fields carry nothing and go. Unknown fields stay where they are,
// for the decoder to refuse. A foreign field that contradicts a canonical one is an error that names both.
// Objects and lists that came as JSON text are read. Respelling what was respelled changes nothing.
func Respell(tool string, args map[string]any) (map[string]any, error) {
	d := dialects()[tool]
	if d == nil {
		return args, nil
	}
	out, _ := cloneJSON(args).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	if err := d.respell(out, ""); err != nil {
		return nil, err
	}
	return out, nil
}

// A dialect is how the arguments of one tool may be spelled.
type dialect struct {
	fields *shape
	rows   []spelling
	hints  []spelling                // fill what the message does not say otherwise
	spare  func(from string) string  // where a value goes that has no place of its own
	start  func(r *respelling) error // what no row can do, before the rows; may be nil
	finish func(r *respelling) error // the same, after them; may be nil
	inner  map[string]*dialect       // objects with a dialect of their own
}

var dialects = sync.OnceValue(func() map[string]*dialect {
	complete := newDialect(CompleteIn{}, completeSpellings)
	complete.finish = finishComplete
	complete.inner = map[string]*dialect{"continuation": sendDialect(Continuation{})}

	fail := newDialect(FailIn{}, failSpellings)
	fail.hints, fail.finish = failHints, finishFail

	update := newDialect(UpdateIn{}, updateSpellings)
	update.inner = map[string]*dialect{"changes": changesDialect()}

	return map[string]*dialect{
		"send_handoff":     sendDialect(SendIn{}),
		"claim_handoff":    newDialect(ClaimIn{}, handoffSpellings),
		"complete_handoff": complete,
		"fail_handoff":     fail,
		"update_handoff":   update,
		"list_handoffs":    newDialect(ListIn{}, workflowSpellings),
		"get_handoff":      newDialect(GetIn{}, handoffSpellings),
		"handoff_history":  newDialect(HistoryIn{}, slices.Concat(handoffSpellings, workflowSpellings)),
		"register_agent":   newDialect(RegisterIn{}, nil),
		"list_agents":      newDialect(AgentsIn{}, nil),
	}
})

// newDialect puts first the rows that only respell a value, so that others compare with what is canonical.
func newDialect(in any, rows []spelling) *dialect {
	d := &dialect{fields: shapeOf(reflect.TypeOf(in)), spare: extraPath}
	var moves []spelling
	for _, s := range rows {
		if d.fields.learn(s); s.from == s.to {
			d.rows = append(d.rows, s)
		} else {
			moves = append(moves, s)
		}
	}
	d.rows = append(d.rows, moves...)
	return d
}

func extraPath(from string) string { return "origin.extra." + from }

// sendDialect reads a message to send; in is SendIn or holds one.
func sendDialect(in any) *dialect {
	d := newDialect(in, sendSpellings)
	d.hints, d.start, d.finish = sendHints, unpackTask, finishSend
	for _, s := range taskSpellings {
		d.fields.learn(s)
	}
	return d
}

// changesDialect reads the changes of an amendment as a message to send. They have no origin and no
// options, so the context keeps what would go there; and a role tells about the work, it redirects nothing.
func changesDialect() *dialect {
	known := shapeOf(reflect.TypeFor[Changes]())
	var rows []spelling
	for _, s := range sendSpellings {
		switch {
		case known.at(rootOf(s.to)) != nil && s.to != "to":
			rows = append(rows, s)
		case slices.Contains([]string{"context", "agent_context", "handoff_instructions"}, rootOf(s.from)):
			rows = append(rows, spelling{s.from, statePath(s.from), reading{yields: true}})
		}
	}
	d := newDialect(Changes{}, rows)
	d.spare = statePath
	return d
}

func statePath(from string) string {
	return "context.state." + from[strings.LastIndexByte(from, '.')+1:]
}

func rootOf(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}
