// Package rules decides which handoffs and messages the rules of a project send after an event on a handoff. [Compile]
// checks and compiles rules, and [Set.SendsAfter] returns their sends. Package mailbox collects the [Facts] for the
// rules, and makes the sends in the transaction of the event.
//
// A [schemas.Route] names events, a condition and sends. A [schemas.Plan] is a workflow of several steps, and becomes
// one route for each possible next step. Conditions are expressions of the Common Expression Language (CEL); texts of
// sends may contain expressions in double braces. An expression reads only the facts, and its cost is limited. An
// unknown name is an error when the rule is compiled. Missing data makes a condition false and adds nothing to a text.
//
// Only the process that owns the store compiles rules. No other package imports CEL, because the library slows down the
// start of a program; a test checks the imports.
package rules

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/schemas"
)

// Set holds compiled rules. The zero value has no rules. It may be used concurrently after all files are added.
type Set struct {
	// Disallowed is true if no person has permitted the rules yet. The expressions of these rules are neither compiled
	// nor evaluated.
	Disallowed bool

	routes []route
	plans  map[string]plan
	texts  map[string]template // all that have expressions, as they are written

	file        string // whose rules are read
	expressions int    // wherever they stand, also in texts that are there twice
}

// maxExpressions is the maximum number of expressions in the texts of all rules. With [maxCost] for each, it bounds the
// work after one event.
const maxExpressions = 1_000

type route struct {
	schemas.Route
	file string
	when condition

	// The following fields are set only for a route of a plan. The route applies after step, and sends nothing if one
	// of the conditions in unless holds.
	step          string
	unconditional bool // it comes where the step was done well, and has no condition
	unless        []condition
}

// appliesTo reports whether a route may send something after a handoff: a route of a plan applies only after its own
// step.
func (r route) appliesTo(f *Facts) bool { return r.step == "" || r.step == f.Handoff.Step }

// firesOn reports whether a route sends something after the event on, and if not, why.
func (r route) firesOn(on string, f *Facts) (bool, string) {
	if !slices.Contains(r.On, on) {
		return false, fmt.Sprintf("it is for %s, and this is %s", strings.Join(r.On, ", "), on)
	}
	for _, c := range r.unless {
		if holds, _ := c.holds(f); holds {
			return false, "a step before it goes on"
		}
	}
	return r.when.holds(f)
}

// RuleSends holds the sends of one rule: the parallel handoffs, and a handoff that joins their results. Join is nil if
// there is no such handoff.
type RuleSends struct {
	Route string
	File  string // that has the rule
	Step  string // that ended, where the rule is of a plan
	On    string // the event
	Parts []schemas.SendIn
	Join  *schemas.SendIn
}

// RuleName returns the name of the plan, or of the route if the rule belongs to no plan.
func (s RuleSends) RuleName() string {
	plan, _, _ := strings.Cut(s.Step, "/")
	return cmp.Or(plan, s.Route)
}

// Problem is an error in the route or plan with index At. Path leads to the faulty value in it, such as "when" or
// "steps[1].task".
type Problem struct {
	Plan bool // a plan, not a route
	At   int
	Path string
	What string

	Remedy string // "" for the default help
}

// Compile compiles routes and plans. The caller may use the set only if there are no problems. The routes and plans
// must match their schema.
func Compile(routes []schemas.Route, plans []schemas.Plan) (*Set, []Problem) {
	s := &Set{}
	return s, s.AddFile("", routes, plans)
}

// AddFile compiles the routes and plans of one more file, and returns their problems, see [Compile].
func (s *Set) AddFile(file string, routes []schemas.Route, plans []schemas.Plan) (problems []Problem) {
	if s.file = file; s.plans == nil {
		s.plans, s.texts = map[string]plan{}, map[string]template{}
	}
	for i, r := range routes {
		r.Name = cmp.Or(r.Name, fmt.Sprintf("route %d", i+1))
		path, err := s.addRoute(r)
		if err != nil {
			problems = append(problems, newProblem(false, i, path, err))
		}
	}
	for i, p := range plans {
		path, err := s.addPlan(p)
		if err != nil {
			problems = append(problems, newProblem(true, i, path, err))
		}
	}
	return problems
}

// Check returns an error about the first problem in routes and plans, or nil. The error is invalid. The field that it
// names is `at` with the path of the problem appended.
func Check(at string, routes []schemas.Route, plans []schemas.Plan) error {
	_, problems := Compile(routes, plans)
	if len(problems) == 0 {
		return nil
	}
	p, list := problems[0], "routes"
	if p.Plan {
		list = "plans"
	}
	return schemas.Invalidf(strings.TrimSuffix(fmt.Sprintf("%s%s[%d].%s", at, list, p.At, p.Path), "."), "%s", p.What)
}

// newProblem returns the problem for an error at a path. If the error names a field and a remedy, the problem has both.
func newProblem(plan bool, at int, path string, err error) Problem {
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		return Problem{plan, at, strings.TrimPrefix(path+"."+e.Field, "."), e.Message, e.Hint}
	}
	return Problem{plan, at, path, err.Error(), ""}
}

// addRoute compiles one route. The path of an error leads to the faulty value in the route.
func (s *Set) addRoute(r schemas.Route) (path string, err error) {
	if len(r.On) == 0 || len(r.Send) == 0 {
		return "", errors.New("it has nothing in on, or nothing in send")
	}
	when, err := s.compileCondition(r.When, r.On)
	if err != nil {
		return "when", err
	}
	for i, send := range r.Send {
		if path, err := s.parseTexts(send); err != nil {
			return fmt.Sprintf("send[%d]%s", i, path), err
		}
	}
	if r.Join != nil {
		if path, err := s.parseTexts(*r.Join); err != nil {
			return "join" + path, err
		}
	}
	s.routes = append(s.routes, route{Route: r, file: s.file, when: when})
	return "", nil
}

// checkFixedFields checks the fields of a send that contain no expressions: its limits and addresses. It refuses parent
// and workflow, because a rule does not choose them.
func checkFixedFields(send schemas.SendIn) error {
	if err := schemas.CheckLimits("options.limits", schemas.ValueOrZero(send.Options).Limits); err != nil {
		return err
	}
	for _, written := range [][2]string{
		{"to", send.To},
		{"expectations.review", schemas.ValueOrZero(send.Expectations).Review},
		{"rollback.on_failure", string(schemas.ValueOrZero(send.Rollback).OnFailure)},
	} {
		field, to := written[0], written[1]
		if strings.Contains(to, "{{") || to == "" && field != "to" {
			continue
		}
		if _, err := schemas.ParseAddress(field, to); err != nil {
			return err
		}
	}
	for _, place := range [][2]string{{"parent", send.Parent}, {"workflow", send.Workflow}} {
		if place[1] != "" { // limits count along the chain and in the workflow
			return schemas.Invalidf(place[0], "a rule cannot choose it: handoff sends the work as a child of the handoff that started the rule, in the same workflow").
				WithHint("Leave it out.")
		}
	}
	return nil
}

// parseTexts compiles the expressions in the texts of a send, and checks its other fields. The path of an error leads
// to the faulty text.
func (s *Set) parseTexts(send schemas.SendIn) (path string, err error) {
	if err := checkFixedFields(send); err != nil || s.Disallowed {
		return "", err
	}
	_, path, err = mapTexts(send, func(written string) (string, error) {
		if s.expressions += strings.Count(written, "{{"); s.expressions > maxExpressions {
			return written, fmt.Errorf("with it all rules together have more than %d expressions in their texts", maxExpressions)
		}
		if _, read := s.texts[written]; read {
			return written, nil
		}
		t, err := parseTemplate(written)
		if err == nil {
			s.texts[written] = t
		}
		return written, err
	})
	return path, err
}

// LacksRulesFor reports whether no rule is for an event.
func (s *Set) LacksRulesFor(on string) bool {
	return !slices.ContainsFunc(s.routes, func(r route) bool { return slices.Contains(r.On, on) })
}

// SendsAfter returns the sends of all rules after the event on, in the order of the rules. It returns nothing if the
// budget of the facts is spent. It is pure.
func (s *Set) SendsAfter(on string, f *Facts) (sends []RuleSends) {
	for _, r := range s.routes {
		if !r.appliesTo(f) {
			continue
		}
		if fires, _ := r.firesOn(on, f); fires {
			one := s.sendsOfRoute(r, f)
			one.On = on
			sends = append(sends, one)
		}
	}
	if f.Budget.IsSpent() {
		return nil
	}
	return sends
}

// FileOfNextStep returns the file of a plan that may send a next step after the handoff, or "". It evaluates no
// condition, so the plan may send nothing after all.
func (s *Set) FileOfNextStep(on string, f *Facts) string {
	for _, r := range s.routes {
		if r.step != "" && r.step == f.Handoff.Step && slices.Contains(r.On, on) && (f.Outcome.Passed || !r.unconditional) {
			return r.file
		}
	}
	return ""
}

// TryRules returns what each rule would send after the event on, or why the rule would send nothing. It omits routes of
// other steps.
func (s *Set) TryRules(on string, f *Facts) (tried []schemas.RuleTrial) {
	for _, r := range s.routes {
		if !r.appliesTo(f) {
			continue
		}
		t := schemas.RuleTrial{Route: r.Name, File: r.file, Why: "it waits for a person's leave: handoff allow"}
		if s.Disallowed {
			tried = append(tried, t)
			continue
		}
		if t.Fires, t.Why = r.firesOn(on, f); t.Fires {
			sends := s.sendsOfRoute(r, f)
			if t.Sends = sends.Parts; sends.Join != nil {
				t.Sends = append(t.Sends, *sends.Join)
			}
		}
		tried = append(tried, t)
	}
	return tried
}

// sendsOfRoute returns the sends of a route, with the values of the expressions in its texts.
func (s *Set) sendsOfRoute(r route, f *Facts) RuleSends {
	fill := func(send schemas.SendIn) schemas.SendIn { return s.fillTexts(send, f) }
	sends := RuleSends{Route: r.Name, File: r.file, Step: r.step, Parts: schemas.Map(r.Send, fill)}
	if r.Join != nil {
		sends.Join = new(fill(*r.Join))
	}
	return sends
}

func (s *Set) fillTexts(send schemas.SendIn, f *Facts) schemas.SendIn {
	filled, _, err := mapTexts(send, func(written string) (string, error) { return s.texts[written].fill(f), nil })
	if err != nil {
		return send // it was read before, so this does not happen
	}
	return filled
}

// mapTexts returns a copy of a send in which fn has replaced each text with braces. It stops at the first error, and
// returns the path of that text.
func mapTexts(send schemas.SendIn, fn func(string) (string, error)) (mapped schemas.SendIn, path string, err error) {
	b, err := json.Marshal(send)
	if err != nil || !strings.Contains(string(b), "{{") {
		return send, "", err
	}
	var whole any
	if err := json.Unmarshal(b, &whole); err != nil {
		return send, "", err
	}
	if whole, path, err = mapValueTexts(whole, fn); err != nil {
		return send, path, err
	}
	err = schemas.Convert(whole, &mapped)
	return mapped, "", err
}

func mapValueTexts(v any, fn func(string) (string, error)) (_ any, path string, err error) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "{{") {
			v, err = fn(v)
		}
		return v, "", err
	case []any:
		for i := range v {
			if v[i], path, err = mapValueTexts(v[i], fn); err != nil {
				return v, fmt.Sprintf("[%d]%s", i, path), err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name], path, err = mapValueTexts(v[name], fn); err != nil {
				return v, "." + name + path, err
			}
		}
	}
	return v, "", nil
}
