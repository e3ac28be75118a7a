package schemas

import (
	"cmp"
	"fmt"
	"strings"
)

// Route is a rule that a file declares: it says which handoffs to send when an event happens to a handoff. The field On
// lists one or more of these events: sent, completed, accepted, returned, failed, rejected, timed_out, cancelled. The
// field When is a condition in CEL; an empty condition is true. Each text of Send and Join may contain expressions,
// such as {{outcome.summary}}. Package mailbox/rules documents the variables of these expressions.
//
// Join is one more handoff. It is sent together with the handoffs in Send, and waits for all of them.
type Route struct {
	Name string   `json:"name,omitempty" jsonschema:"maxLength=64"`
	On   []string `json:"on" jsonschema:"minItems=1,maxItems=8,enum=sent,enum=completed,enum=accepted,enum=returned,enum=failed,enum=rejected,enum=timed_out,enum=cancelled"`
	When string   `json:"when,omitempty" jsonschema:"maxLength=2000"`
	Send []SendIn `json:"send" jsonschema:"minItems=1,maxItems=16"`
	Join *SendIn  `json:"join,omitempty"`
}

// Plan is a workflow that a file declares under a name; a handoff to the address "workflow:NAME" starts it with its
// first step. An entry of Steps is one step, or a list of parallel steps. The step after parallel steps waits for all
// of them.
type Plan struct {
	Name   string             `json:"name" jsonschema:"minLength=1,maxLength=64"`
	Steps  [][]PlanStep       `json:"steps" jsonschema:"minItems=1,maxItems=32"`
	Limits map[string]float64 `json:"limits,omitempty"` // like options.limits of a send
}

// PlanStep is one step of a plan. Without When, the step is sent if the previous step was done well. With When, the
// step is sent if this condition is true when the previous step ends, well or not. Next names the step that follows
// this one, or is "end" if none follows. By default the next step in the file follows.
type PlanStep struct {
	Step string `json:"step" jsonschema:"minLength=1,maxLength=64"`
	When string `json:"when,omitempty" jsonschema:"maxLength=2000"`
	Next string `json:"next,omitempty" jsonschema:"maxLength=64"`
	SendIn
}

// SendingRule names the rule of a file that sent a handoff, or that wrote the first step of the handoff's workflow. The
// texts in its fields come from files and agents, so they are shown as data and never as instructions.
type SendingRule struct {
	Rule  string `json:"rule"`            // its name, or WORKFLOW/STEP
	File  string `json:"file"`            // as people know it
	On    string `json:"on,omitempty"`    // the event
	After ID     `json:"after,omitempty"` // the handoff of the event
	Of    Agent  `json:"of,omitempty"`    // the sender of this handoff
}

// String returns one line with the name of the rule and of its file, or "" for nil. Both names are in quotation marks,
// and marks within a name are replaced, so that a name cannot end its own quotation. A file name that looks like a path
// has no quotation marks.
func (s *SendingRule) String() string {
	if s == nil {
		return ""
	}
	file := s.File
	if len(file) > 200 || strings.ContainsFunc(file, func(r rune) bool { return IsForbiddenInName(r) && r != '/' && r != '~' }) {
		file = quoteShortened(file)
	}
	return "rule " + quoteShortened(s.Rule) + " of " + file
}

// Reason returns the reason why a handoff of the rule has its recipient, before a reason that the rule gives itself.
func (s *SendingRule) Reason() string { return "by the " + s.String() }

func quoteShortened(s string) string {
	return `"` + strings.ReplaceAll(Clip(strings.Join(strings.Fields(EscapeHidden(s)), " "), 200), `"`, "'") + `"`
}

// Sentence returns a text with the rule, its file, and the event that triggered the rule.
func (s *SendingRule) Sentence() string {
	if s.After == 0 {
		return "the " + s.String()
	}
	return fmt.Sprintf("the %s (after %s of %s: %s)", s, s.After, s.Of, strings.ReplaceAll(s.On, "_", " "))
}

// SenderLine returns one line that tells people the sender of a handoff or a notice: the rule if a rule of a file sent
// it, else the agent.
func SenderLine(rule string, from Agent) string {
	return cmp.Or(strings.Join(strings.Fields(EscapeHidden(Clip(rule, 500))), " "), string(from))
}

// RulesTryIn holds the arguments of the administrative tool rules_try. The call tells which handoffs the routes and
// plans of a file would send for a handoff in its present state. It sends nothing.
type RulesTryIn struct {
	HandoffID string  `json:"handoff_id" jsonschema:"minLength=1"`
	Routes    []Route `json:"routes,omitempty" jsonschema:"maxItems=200"`
	Plans     []Plan  `json:"plans,omitempty" jsonschema:"maxItems=50"`
}

// RulesTryOut is the result of rules_try.
type RulesTryOut struct {
	HandoffID ID          `json:"handoff_id"`
	On        string      `json:"on"` // its last event
	Routes    []RuleTrial `json:"routes"`
}

// RuleTrial is the result of rules_try for one rule: the handoffs that the rule would send, or why it would send none.
type RuleTrial struct {
	Route string   `json:"route"`
	File  string   `json:"file,omitempty"` // the file of the rule
	Fires bool     `json:"fires"`
	Why   string   `json:"why,omitempty"`
	Sends []SendIn `json:"sends,omitempty"`
}
