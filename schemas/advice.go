package schemas

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Advice tells the reader of a result or of an error what to do next. If this takes only one call of a tool, the advice
// holds that call. Each program shows advice in its own form: the protocol sends it unchanged as data, a text shows the
// call as a client writes it (see [Advice.String]), and the command line shows the command that makes the same call.
//
// With a call, Say is a predicate whose subject is the call, such as "waits for the outcome". Without a call, Say is a
// whole sentence. Say never contains the name of a tool, an argument or a flag. The call is complete and valid by the
// schema of its tool: [Blank] stands for each text that only the caller can write. No advised call destroys anything.
type Advice struct {
	Say  string          `json:"say"`
	Tool string          `json:"tool,omitempty"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Blank stands in an advised call for a text that only the caller can write. A tool refuses a call in which Blank is
// still there.
const Blank = "…"

// Input holds the arguments of a tool that advice may name.
type Input interface {
	Tool() string // the name of the tool
}

// AdviseCall returns the advice to call the tool of these arguments. The text say tells the effect of the call, without
// a full stop.
func AdviseCall(in Input, say string) Advice {
	return Advice{Say: say, Tool: in.Tool(), Args: encodeOrPanic(in)}
}

// AdviseUpdate returns the advice to call update_handoff with an action on a handoff or a message. If the action needs
// words of its caller, its note is [Blank].
func AdviseUpdate(id string, a Action, say string) Advice {
	in := UpdateIn{HandoffID: id, Action: a}
	if slices.Contains([]Action{ActAnswer, ActProgress, ActReturn}, a) {
		in.Note = Blank
	}
	return AdviseCall(in, say)
}

// AdviseWait returns the advice to wait for the outcome of a handoff.
func AdviseWait(id ID, say string) Advice {
	return AdviseCall(GetIn{HandoffID: id.String(), View: "outcome", WaitSeconds: MaxWait}, say)
}

// WithAgent returns the advice with the agent's name in its call. Subagents of one client share a connection, so each
// of their calls must name the agent. WithAgent changes nothing if agent is empty, if the call already names an agent,
// or if the tool answers all agents alike.
func (a Advice) WithAgent(agent Agent) Advice {
	alike := a.Tool == "list_agents" || a.Tool == "handoff_history"
	if a.Tool == "" || agent == "" || alike || bytes.Contains(a.Args, []byte(`"agent":`)) {
		return a
	}
	others, comma := bytes.TrimSuffix(a.Args, []byte("}")), ""
	if len(others) > len("{") {
		comma = ","
	}
	a.Args = slices.Concat(others, json.RawMessage(comma+`"agent":`), encodeOrPanic(agent), json.RawMessage("}"))
	return a
}

// AdviceWithAgent returns each advice with the agent's name in its call, see [Advice.WithAgent].
func AdviceWithAgent(agent Agent, next []Advice) []Advice {
	if agent == "" {
		return next
	}
	return Map(next, func(a Advice) Advice { return a.WithAgent(agent) })
}

// AdviceWithout returns advice without the calls and the sentences of other advice.
func AdviceWithout(next, others []Advice) []Advice {
	return slices.DeleteFunc(slices.Clone(next), func(a Advice) bool {
		same := func(b Advice) bool { return a.Request() == b.Request() && (a.Tool != "" || a.Say == b.Say) }
		return slices.ContainsFunc(others, same)
	})
}

// String renders the advice as a sentence for a model: the call as a client writes it, and its effect.
func (a Advice) String() string {
	if a.Tool == "" {
		return a.Say
	}
	return a.Request() + " " + a.Say + "."
}

// Request renders the call alone, such as get_handoff {"handoff_id":"ho_12"}.
func (a Advice) Request() string { return a.Tool + " " + string(a.Args) }

// RenderAdvice renders advice as a text for a model, each as [Advice.String] does.
func RenderAdvice(next []Advice) string {
	return strings.Join(Map(next, Advice.String), " ")
}

func encodeOrPanic(v any) json.RawMessage {
	b, err := Encode(v)
	if err != nil {
		panic(err) // arguments are texts, words and numbers
	}
	return b
}

func (SendIn) Tool() string      { return "send_handoff" }
func (ClaimIn) Tool() string     { return "claim_handoff" }
func (CompleteIn) Tool() string  { return "complete_handoff" }
func (FailIn) Tool() string      { return "fail_handoff" }
func (UpdateIn) Tool() string    { return "update_handoff" }
func (ListIn) Tool() string      { return "list_handoffs" }
func (GetIn) Tool() string       { return "get_handoff" }
func (HistoryIn) Tool() string   { return "handoff_history" }
func (RegisterIn) Tool() string  { return "register_agent" }
func (AgentsIn) Tool() string    { return "list_agents" }
func (TokenListIn) Tool() string { return "token_list" }

// ReadAdvice returns the advice of two columns: what a call does, and the call.
func ReadAdvice(say, call string) (a Advice) {
	tool, args, _ := strings.Cut(call, " ")
	a.Say, a.Tool, a.Args = say, tool, []byte(args)
	return a
}

// An AdviceTable is an embedded table of advice, such as tools/next.txt.
type AdviceTable []AdviceRow

// An AdviceRow is advice for some situations, which are words.
type AdviceRow struct {
	Situations []string
	Advice
}

// ReadAdviceTable reads rows with the columns: situations, the words of the advice, and its call, if it has one.
func ReadAdviceTable(text string) (rows AdviceTable) {
	for _, c := range TableRows(text, 2) {
		c = append(c, "")
		rows = append(rows, AdviceRow{strings.Fields(c[0]), ReadAdvice(c[1], c[2])})
	}
	return rows
}

// For returns the advice for a situation, in the order of the table. The pairs are names in braces and what they stand
// for. These are ids and names, which need no quoting in JSON.
func (t AdviceTable) For(situation string, pairs ...string) (next []Advice) {
	fill := strings.NewReplacer(pairs...).Replace
	for _, row := range t {
		if slices.Contains(row.Situations, situation) {
			row.Say, row.Args = fill(row.Say), []byte(fill(string(row.Args)))
			next = append(next, row.Advice)
		}
	}
	return next
}
