package schemas

import (
	"cmp"
	"fmt"
	"strings"
)

// Route is a rule that a file declares: what is sent when something happens to a handoff. When is an expression in CEL,
// true where there is none, and each text of Send and Join may have expressions in it, as {{outcome.summary}}. Package
// mailbox/rules says what an expression knows.
//
// On lists what happens: sent, completed, accepted, returned, failed, rejected, timed_out, cancelled. Join is sent with
// the others and waits for them.
type Route struct {
	Name string   `json:"name,omitempty" jsonschema:"maxLength=64"`
	On   []string `json:"on" jsonschema:"minItems=1,maxItems=8,enum=sent,enum=completed,enum=accepted,enum=returned,enum=failed,enum=rejected,enum=timed_out,enum=cancelled"`
	When string   `json:"when,omitempty" jsonschema:"maxLength=2000"`
	Send []SendIn `json:"send" jsonschema:"minItems=1,maxItems=16"`
	Join *SendIn  `json:"join,omitempty"`
}

// Plan is a workflow that a file declares under a name: "workflow:NAME" is the address of its first step. An entry of
// Steps is one step, or several that are done side by side and that the step after them joins.
type Plan struct {
	Name   string             `json:"name" jsonschema:"minLength=1,maxLength=64"`
	Steps  [][]PlanStep       `json:"steps" jsonschema:"minItems=1,maxItems=32"`
	Limits map[string]float64 `json:"limits,omitempty"` // as options.limits of a send
}

// PlanStep is one step of a plan. It is sent when the step before it was done well, or where When is true, which is
// then judged for any end of that step. Next names the step after it, "end" for none; by default it is the one that
// follows in the file.
type PlanStep struct {
	Step string `json:"step" jsonschema:"minLength=1,maxLength=64"`
	When string `json:"when,omitempty" jsonschema:"maxLength=2000"`
	Next string `json:"next,omitempty" jsonschema:"maxLength=64"`
	SendIn
}

// SentBy is the rule of a file that sent a handoff, or that words the first step of its workflow. All in it is data.
type SentBy struct {
	Rule  string `json:"rule"`            // its name, or WORKFLOW/STEP
	File  string `json:"file"`            // as people know it
	On    string `json:"on,omitempty"`    // what happened
	After ID     `json:"after,omitempty"` // to which handoff
	Of    Agent  `json:"of,omitempty"`    // who sent that
}

// String names rule and file on one line, "" for none. Both stand in quotes that they cannot close, but for a file whose
// name is like a path.
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

// Sentence says what sent a handoff, why, and where the rule stands.
func (s *SentBy) Sentence() string {
	if s.After == 0 {
		return "the " + s.String()
	}
	return fmt.Sprintf("the %s (after %s of %s: %s)", s, s.After, s.Of, strings.ReplaceAll(s.On, "_", " "))
}

// Sender is who sent a handoff or a notice as people read it, on one line: the rule of a file, where one did, and not the
// server.
func Sender(rule string, from Agent) string {
	return cmp.Or(strings.Join(strings.Fields(Visible(Clip(rule, 500))), " "), string(from))
}

// RulesTryIn are the arguments of the administrative tool rules_try: what the routes and plans of a file would do about
// a handoff, as it stands. Nothing is sent.
type RulesTryIn struct {
	HandoffID string  `json:"handoff_id" jsonschema:"minLength=1"`
	Routes    []Route `json:"routes,omitempty" jsonschema:"maxItems=200"`
	Plans     []Plan  `json:"plans,omitempty" jsonschema:"maxItems=50"`
}

// RulesTryOut is the result of rules_try.
type RulesTryOut struct {
	HandoffID ID      `json:"handoff_id"`
	On        string  `json:"on"` // what happened to it last
	Routes    []Tried `json:"routes"`
}

// Tried is what became of one rule: what it sends, or why it sends nothing.
type Tried struct {
	Route string   `json:"route"`
	File  string   `json:"file,omitempty"` // that declares it
	Fires bool     `json:"fires"`
	Why   string   `json:"why,omitempty"`
	Sends []SendIn `json:"sends,omitempty"`
}
