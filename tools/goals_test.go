package tools_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// A goal is what a caller wants that knows only the list of tools. The calls that such a caller tries first must reach
// it.
func TestTools_FirstCallsReachGoalOfCaller(t *testing.T) {
	goals := talksIn(t, "testdata/goals.txt")
	require.GreaterOrEqual(t, len(goals), 30)
	playTalks(t, "testdata/goals.txt")
}

// A slip in the last call of a talk is accepted with the intended meaning, or the refusal alone is enough to correct
// the call. The correction is the call that the refusal advises, or follows from the place or the name in the refusal,
// or stands in the table behind "> ". In the last case it may use only names that are in the refusal.
func TestTools_AcceptSlipOrRefuseWithCorrection(t *testing.T) {
	for _, file := range []string{"testdata/slips.txt", "testdata/slips_more.txt"} {
		for _, talk := range talksIn(t, file) {
			t.Run(talk.name, func(t *testing.T) {
				d := newDesk(t)
				n := len(talk.lines) - 1
				for _, c := range talk.lines[:n] {
					d.playLine(c)
				}
				slip := talk.lines[n]
				text, refusal := d.call(slip.agent, slip.tool, slip.args)
				if refusal != nil {
					text = d.repeatAsRefusalAdvises(slip, refusal, text)
				}
				require.NotEmpty(t, slip.has, "what is it that was wanted?")
				for _, want := range slip.has {
					require.Contains(t, text, want)
				}
			})
		}
	}
}

var (
	placeForm   = regexp.MustCompile(`Give it as ([\w.]+)`)
	closestForm = regexp.MustCompile(`Closest: (\S+)\.`)
	nameForm    = regexp.MustCompile(`"(\w+)":`)
)

// repeatAsRefusalAdvises makes the call that the refusal e advises, and returns its answer.
func (d *desk) repeatAsRefusalAdvises(slip talkLine, e *schemas.Error, text string) string {
	d.Helper()
	d.Logf("refused: %s", text)
	tool, args := slip.tool, slip.args
	switch place, name := placeForm.FindStringSubmatch(e.Hint), closestForm.FindStringSubmatch(e.Hint); {
	case slip.mended != "":
		for _, m := range nameForm.FindAllStringSubmatch(slip.mended, -1) {
			require.Contains(d, text+slip.args, m[1], "the refusal leads nowhere")
		}
		args = slip.mended
	case place != nil:
		args = d.moveField(args, e.Field, place[1])
	case name != nil && strings.Contains(e.Message, "no such field"):
		args = d.moveField(args, e.Field, e.Field[:strings.LastIndexByte(e.Field, '.')+1]+name[1])
	default:
		tool = ""
		for _, next := range e.Next {
			if next.Tool != "" {
				tool, args = next.Tool, strings.ReplaceAll(string(next.Args), schemas.Blank, "What I have to say")
				break
			}
		}
		require.NotEmpty(d, tool, "%s %s: the refusal leads nowhere: %s", slip.tool, slip.args, text)
	}
	text, e = d.call(slip.agent, tool, args)
	require.Nil(d, e, "%s %s was refused, too: %s", tool, args, text)
	return text
}

// moveField returns arguments with a field at another place.
func (d *desk) moveField(args, from, to string) string {
	d.Helper()
	var m map[string]any
	require.NoError(d, json.Unmarshal([]byte(args), &m))
	at := func(path string) (map[string]any, string) {
		names, object := strings.Split(path, "."), m
		for _, name := range names[:len(names)-1] {
			if _, there := object[name].(map[string]any); !there {
				object[name] = map[string]any{}
			}
			object = object[name].(map[string]any)
		}
		return object, names[len(names)-1]
	}
	object, name := at(from)
	v := object[name]
	delete(object, name)
	object, name = at(to)
	object[name] = v
	b, err := json.Marshal(m)
	require.NoError(d, err)
	return string(b)
}
