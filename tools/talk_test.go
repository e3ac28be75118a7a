package tools_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/toolstest"
)

// A talk is a few calls of some agents, each over a connection of its own, in a workspace of their own. In its file
// it begins with a line of its name behind "== ". A call is a line of agent, tool and arguments; "pass 5m" moves the
// clock. The expectations stand below the call, indented: a text that the answer has, or behind "- " a text that it
// lacks. A call that must be refused has its code behind "! ", and its mended form behind "> ".
type talk struct {
	name  string
	lines []talkLine
}

type talkLine struct {
	agent, tool, args string
	has, hasNot       []string
	refused, mended   string
}

func talksIn(t *testing.T, file string) (all []talk) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "== "); ok {
			all = append(all, talk{name: name})
			continue
		}
		last := &all[len(all)-1]
		if line[0] != '\t' {
			words := strings.SplitN(line+"  ", " ", 3)
			words[2] = strings.ReplaceAll(words[2], "<9000 words>", strings.Repeat("word ", 9000))
			last.lines = append(last.lines, talkLine{agent: words[0], tool: words[1], args: strings.TrimSpace(words[2])})
			continue
		}
		require.NotEmpty(t, last.lines, "%s:%d", file, i+1)
		call := &last.lines[len(last.lines)-1]
		switch kind, rest, _ := strings.Cut(line[1:], " "); kind {
		case "!":
			call.refused = rest
		case ">":
			call.mended = rest
		case "-":
			call.hasNot = append(call.hasNot, rest)
		default:
			call.has = append(call.has, line[1:])
		}
	}
	return all
}

// desk is the place where the agents of a talk call.
type desk struct {
	*testing.T
	world *mailboxtest.World
	here  map[string]bool // agents with a connection
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return &desk{T: t, world: mailboxtest.New(t), here: map[string]bool{}}
}

// call returns the answer as its caller reads it, and the error of a refused call.
func (d *desk) call(agent, tool, args string) (string, *schemas.Error) {
	d.Helper()
	by := schemas.Caller{Agent: schemas.Agent(agent), Via: schemas.ViaStdio, Conn: "of-" + agent}
	if agent == "human" {
		by = schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}
	}
	door := toolstest.AdviceChecker{Invoker: tools.LocalInvoker{Mailbox: d.world.Service}, TB: d.T}
	if by.Conn != "" && !d.here[agent] {
		_, err := door.Invoke(d.Context(), tools.Call{Caller: by, Tool: "connection_open", Args: json.RawMessage(`{"conn": "of-` + agent + `"}`)})
		require.NoError(d, err)
		d.here[agent] = true
	}
	out, err := door.Invoke(d.Context(), tools.Call{Caller: by, Tool: tool, Args: json.RawMessage(args)})
	if err == nil {
		return string(out), nil
	}
	e := schemas.AsError(err)
	text, err := schemas.Encode(e)
	require.NoError(d, err)
	return string(text), e
}

func (d *desk) playLine(c talkLine) {
	d.Helper()
	if c.agent == "pass" {
		pass, err := time.ParseDuration(c.tool)
		require.NoError(d, err)
		d.world.Pass(pass)
		return
	}
	text, refusal := d.call(c.agent, c.tool, c.args)
	code := ""
	if refusal != nil {
		code = string(refusal.Code)
	}
	require.Equal(d, c.refused, code, "%s %s %s: %s", c.agent, c.tool, c.args, text)
	for _, want := range c.has {
		require.Contains(d, text, want, "%s %s %s", c.agent, c.tool, c.args)
	}
	for _, not := range c.hasNot {
		require.NotContains(d, text, not, "%s %s %s", c.agent, c.tool, c.args)
	}
}

func playTalks(t *testing.T, file string) {
	t.Helper()
	for _, talk := range talksIn(t, file) {
		t.Run(talk.name, func(t *testing.T) {
			d := newDesk(t)
			for _, c := range talk.lines {
				d.playLine(c)
			}
		})
	}
}

// Every argument has an effect, is refused, or causes a warning.
func TestTools_NoArgumentIsIgnoredSilently(t *testing.T) { playTalks(t, "testdata/said.txt") }

func TestTools_SenderAcceptsOrReturnsResult(t *testing.T) { playTalks(t, "testdata/judged.txt") }

func TestTools_ReadReferences(t *testing.T) { playTalks(t, "testdata/references.txt") }

func TestTools_AnswersSayWhatWasTold(t *testing.T) { playTalks(t, "testdata/told.txt") }
