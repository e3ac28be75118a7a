package schemas

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Advice tells the reader of a result or of an error what to do next, and gives the call that does it, where one
// does. It is data, and each edge renders it: the protocol sends it as it is, a text shows the call as a client
// writes it (see [Advice.String]), and the command line shows the command that makes the call.
//
// Say speaks of the call: "waits for the outcome" is what the call does. Where there is no call it is a sentence.
// Neither holds the name of a tool, an argument or a flag. The call is complete and valid by the schema of its tool,
// with [Blank] for a text that only the caller can write. A caller that follows it destroys nothing.
type Advice struct {
	Say  string          `json:"say"`
	Tool string          `json:"tool,omitempty"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Blank stands in a call for a text that only the caller can write. The tools refuse it as a text.
const Blank = "…"

// Input are the arguments of a tool that may be advised.
type Input interface {
	Tool() string // the name of the tool that takes them
}

// Call advises to call a tool with these arguments. Say is what the call does, without a full stop.
func Call(in Input, say string) Advice {
	return Advice{Say: say, Tool: in.Tool(), Args: mustEncode(in)}
}

// As gives the advice with the call in the name of an agent. Subagents of one client share a connection, so the
// calls that one of them is advised to make must say who makes them. No name changes nothing, and a call that says who
// makes it keeps that.
func (a Advice) As(agent Agent) Advice {
	if a.Tool == "" || agent == "" || bytes.Contains(a.Args, []byte(`"agent":`)) {
		return a
	}
	others, comma := bytes.TrimSuffix(a.Args, []byte("}")), ""
	if len(others) > len("{") {
		comma = ","
	}
	a.Args = slices.Concat(others, json.RawMessage(comma+`"agent":`), mustEncode(agent), json.RawMessage("}"))
	return a
}

// AdviceAs gives each advice with its call in the name of an agent, see [Advice.As].
func AdviceAs(agent Agent, next []Advice) []Advice {
	if agent == "" {
		return next
	}
	return Map(next, func(a Advice) Advice { return a.As(agent) })
}

// String renders the advice as a sentence for a model: the call as a client writes it, and what it does.
func (a Advice) String() string {
	if a.Tool == "" {
		return a.Say
	}
	return a.Request() + " " + a.Say + "."
}

// Request renders the call alone, as get_handoff {"handoff_id":"ho_12"}.
func (a Advice) Request() string { return a.Tool + " " + string(a.Args) }

// Sentences renders advice as a text for a model, each as [Advice.String] does.
func Sentences(next []Advice) string {
	return strings.Join(Map(next, Advice.String), " ")
}

func mustEncode(v any) json.RawMessage {
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
