package schemas

import (
	"cmp"
	"fmt"
	"strings"
)

// Route is a rule that a file declares: the handoffs to send when something happens to a handoff. When is an
// expression in CEL; an empty one is true. Each text of Send and Join may contain expressions, such as
// {{outcome.summary}}. Package mailbox/rules documents the variables of an expression.
//
// On lists the events: sent, completed, accepted, returned, failed, rejected, timed_out, cancelled. Join is sent with
// the others and waits for them.
type Route struct {
	Name string   `json:"name,omitempty" jsonschema:"maxLength=64"`
	On   []string `json:"on" jsonschema:"minItems=1,maxItems=8,enum=sent,enum=completed,enum=accepted,enum=returned,enum=failed,enum=rejected,enum=timed_out,enum=cancelled"`
	When string   `json:"when,omitempty" jsonschema:"maxLength=2000"`
	Send []SendIn `json:"send" jsonschema:"minItems=1,maxItems=16"`
	Join *SendIn  `json:"join,omitempty"`
}

// Plan is a workflow that a file declares under a name: "workflow:NAME" is the address of its first step. An entry of
// Steps is one step, or several parallel steps that the next step joins.
type Plan struct {
	Name   string             `json:"name" jsonschema:"minLength=1,maxLength=64"`
	Steps  [][]PlanStep       `json:"steps" jsonschema:"minItems=1,maxItems=32"`
	Limits map[string]float64 `json:"limits,omitempty"` // like options.limits of a send
}

// PlanStep is one step of a plan. It is sent when the step before it was done well, or when When is true. When is
// judged at any end of the previous step. Next names the following step, "end" for none; by default it is the next
// one in the file.
type PlanStep struct {
	Step string `json:"step" jsonschema:"minLength=1,maxLength=64"`
	When string `json:"when,omitempty" jsonschema:"maxLength=2000"`
	Next string `json:"next,omitempty" jsonschema:"maxLength=64"`
	SendIn
}

// SentBy is the rule of a file that sent a handoff, or that wrote the first step of its workflow. All its fields are
// data.
type SentBy struct {
	Rule  string `json:"rule"`            // its name, or WORKFLOW/STEP
	File  string `json:"file"`            // as people know it
	On    string `json:"on,omitempty"`    // the event
	After ID     `json:"after,omitempty"` // the handoff of the event
	Of    Agent  `json:"of,omitempty"`    // the sender of this handoff
}

// String names rule and file on one line, "" for nil. Both stand in quotes that they cannot close; a file whose name
// looks like a path stands without quotes.
func (s *SentBy) String() string {
	if s == nil {
		return ""
	}
	file := s.File
	if len(file) > 200 || strings.ContainsFunc(file, func(r rune) bool { return NotInWords(r) && r != '/' && r != '~' }) {
		file = quoted(file)
	}
	return "rule " + quoted(s.Rule) + " of " + file
}

func quoted(s string) string {
	return `"` + strings.ReplaceAll(Clip(strings.Join(strings.Fields(Visible(s)), " "), 200), `"`, "'") + `"`
}

// Sentence names the rule, the event that triggered it, and the file of the rule.
func (s *SentBy) Sentence() string {
	if s.After == 0 {
		return "the " + s.String()
	}
	return fmt.Sprintf("the %s (after %s of %s: %s)", s, s.After, s.Of, strings.ReplaceAll(s.On, "_", " "))
}

// Sender returns the sender of a handoff or a notice for people, on one line: the rule of a file if one sent it, else
// the agent.
func Sender(rule string, from Agent) string {
	return cmp.Or(strings.Join(strings.Fields(Visible(Clip(rule, 500))), " "), string(from))
}

// RulesTryIn holds the arguments of the administrative tool rules_try. It asks for the effects of a file's routes and
// plans on a handoff in its present state. Nothing is sent.
type RulesTryIn struct {
	HandoffID string  `json:"handoff_id" jsonschema:"minLength=1"`
	Routes    []Route `json:"routes,omitempty" jsonschema:"maxItems=200"`
	Plans     []Plan  `json:"plans,omitempty" jsonschema:"maxItems=50"`
}

// RulesTryOut is the result of rules_try.
type RulesTryOut struct {
	HandoffID ID      `json:"handoff_id"`
	On        string  `json:"on"` // its last event
	Routes    []Tried `json:"routes"`
}

// Tried is the result of one rule: the handoffs that it sends, or why it sends none.
type Tried struct {
	Route string   `json:"route"`
	File  string   `json:"file,omitempty"` // the file of the rule
	Fires bool     `json:"fires"`
	Why   string   `json:"why,omitempty"`
	Sends []SendIn `json:"sends,omitempty"`
}
