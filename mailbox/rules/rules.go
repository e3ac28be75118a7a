// Package rules decides what the rules of files send when something happens to a handoff.
//
// A [schemas.Route] says: on this, when that holds, send this. A [schemas.Plan] is a workflow under a name, whose steps
// become routes, see plan.go, so there is one mechanism. Conditions are expressions of the Common Expression Language
// (CEL) over [Facts]; the texts of what is sent may have such expressions in double braces. An expression reads nothing
// but the facts, always ends, and may cost only so much.
//
// [Compile] reads rules and finds what is wrong with them. [Set.Fire] is pure: package mailbox gathers the facts, and
// sends what comes of them in the transaction of what happened. The library is touched only where there are rules.
//
// Texts have expressions in the language of conditions, so there is one language to learn. A name that does not exist
// is an error when the file is read; data that is missing leaves a text empty and a condition false.
//
// CEL is linked, because a Go program cannot load a library later. Its initialisers, and those of the protocol
// buffers below it, run at each start of the program; a test lets nothing else bring those in. The language itself is
// made when the first rule is read. Only the owner of the store compiles rules: those of a file that changed, and all
// of them when something happens to which they may apply. The process beside a file reads it without its expressions.
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

// Set is rules that were read. Its zero value has none. It may be used concurrently.
type Set struct {
	// Unread rules are those of which nothing is evaluated, since nobody allowed them: their expressions are not read.
	Disallowed bool

	routes []route
	plans  map[string]plan
	texts  map[string]text // all that have expressions, as they are written

	file        string // whose rules are read
	expressions int    // wherever they stand, also in texts that are there twice
}

// maxExpressions is how many expressions the texts of all rules have: as each costs no more than [maxCost], it bounds
// what may follow from one handoff.
const maxExpressions = 1_000

type route struct {
	schemas.Route
	file string
	when condition

	// Of a plan: the step after which it comes, "" for a route of a file, and the conditions of those that come first.
	step          string
	unconditional bool // it comes where the step was done well, and has no condition
	unless        []condition
}

// appliesTo tells whether a route may come after a handoff: one of a plan only comes after its step.
func (r route) appliesTo(f *Facts) bool { return r.step == "" || r.step == f.Handoff.Step }

// fires tells whether a route that concerns the handoff sends something, or why not.
func (r route) fires(on string, f *Facts) (bool, string) {
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

// Sends is what one rule sends: handoffs side by side, and one that waits for them, nil for none.
type Sends struct {
	Route string
	File  string // that has the rule
	Step  string // that ended, where the rule is of a plan
	On    string // what happened
	Parts []schemas.SendIn
	Join  *schemas.SendIn
}

// Name is the plan that goes on, or the route.
func (s Sends) Name() string {
	plan, _, _ := strings.Cut(s.Step, "/")
	return cmp.Or(plan, s.Route)
}

// Problem is what is wrong with a rule. Path leads to the value, as "when" or "steps[1].task", within the route or plan
// with the index At.
type Problem struct {
	Plan bool // a plan, not a route
	At   int
	Path string
	What string

	Remedy string // "" for what the help says
}

// Compile reads routes and plans. The set is of use only where there are no problems. The shape of both was checked
// before by their schema.
func Compile(routes []schemas.Route, plans []schemas.Plan) (*Set, []Problem) {
	s := &Set{}
	return s, s.Add("", routes, plans)
}

// Add reads the routes and plans of one more file, see [Compile].
func (s *Set) Add(file string, routes []schemas.Route, plans []schemas.Plan) (problems []Problem) {
	if s.file = file; s.plans == nil {
		s.plans, s.texts = map[string]plan{}, map[string]text{}
	}
	for i, r := range routes {
		r.Name = cmp.Or(r.Name, fmt.Sprintf("route %d", i+1))
		path, err := s.addRoute(r)
		if err != nil {
			problems = append(problems, problem(false, i, path, err))
		}
	}
	for i, p := range plans {
		path, err := s.addPlan(p)
		if err != nil {
			problems = append(problems, problem(true, i, path, err))
		}
	}
	return problems
}

// Check refuses rules that cannot be read. The error is invalid, for the first problem. Its field is at, followed by the
// path of what is wrong.
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

// problem is what is wrong at a path. An error about a limit names it, and says what to do.
func problem(plan bool, at int, path string, err error) Problem {
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		return Problem{plan, at, strings.TrimPrefix(path+"."+e.Field, "."), e.Message, e.Hint}
	}
	return Problem{plan, at, path, err.Error(), ""}
}

// addRoute reads one route. The path of an error leads into the route.
func (s *Set) addRoute(r schemas.Route) (path string, err error) {
	if len(r.On) == 0 || len(r.Send) == 0 {
		return "", errors.New("it has nothing in on, or nothing in send")
	}
	when, err := s.readCondition(r.When)
	if err != nil {
		return "when", err
	}
	for i, send := range r.Send {
		if path, err := s.readTexts(send); err != nil {
			return fmt.Sprintf("send[%d]%s", i, path), err
		}
	}
	if r.Join != nil {
		if path, err := s.readTexts(*r.Join); err != nil {
			return "join" + path, err
		}
	}
	s.routes = append(s.routes, route{Route: r, file: s.file, when: when})
	return "", nil
}

// checkFixed checks what is known of a send before its texts are filled in: its limits, and its addresses.
func checkFixed(send schemas.SendIn) error {
	if err := schemas.CheckLimits("options.limits", schemas.OrZero(send.Options).Limits); err != nil {
		return err
	}
	for _, written := range [][2]string{
		{"to", send.To},
		{"expectations.review", schemas.OrZero(send.Expectations).Review},
		{"rollback.on_failure", string(schemas.OrZero(send.Rollback).OnFailure)},
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
			return schemas.Invalidf(place[0], "no rule chooses it: what a rule sends is a child of the handoff that it is about, in its workflow").
				WithHint("Leave it out.")
		}
	}
	return nil
}

// readTexts reads the texts of what is to be sent that have expressions in them, and checks the rest of it.
func (s *Set) readTexts(send schemas.SendIn) (path string, err error) {
	if err := checkFixed(send); err != nil || s.Disallowed {
		return "", err
	}
	_, path, err = mapTexts(send, func(written string) (string, error) {
		if s.expressions += strings.Count(written, "{{"); s.expressions > maxExpressions {
			return written, fmt.Errorf("with it all rules together have more than %d expressions in their texts", maxExpressions)
		}
		if _, read := s.texts[written]; read {
			return written, nil
		}
		t, err := readText(written)
		if err == nil {
			s.texts[written] = t
		}
		return written, err
	})
	return path, err
}

// Empty tells whether there is no rule for what happens.
func (s *Set) Empty(on string) bool {
	return !slices.ContainsFunc(s.routes, func(r route) bool { return slices.Contains(r.On, on) })
}

// Fire gives what the rules send, in their order. It gives nothing where the budget of the facts is spent.
func (s *Set) Fire(on string, f *Facts) (sends []Sends) {
	for _, r := range s.routes {
		if !r.appliesTo(f) {
			continue
		}
		if fires, _ := r.fires(on, f); fires {
			one := s.sendsOf(r, f)
			one.On = on
			sends = append(sends, one)
		}
	}
	if f.Budget.Spent() {
		return nil
	}
	return sends
}

// MayFollow is the file of a rule that may send something after a step, "" for none. Nothing is evaluated: one with a
// condition may.
func (s *Set) MayFollow(on string, f *Facts) string {
	for _, r := range s.routes {
		if r.step != "" && r.step == f.Handoff.Step && slices.Contains(r.On, on) && (f.Outcome.Passed || !r.unconditional) {
			return r.file
		}
	}
	return ""
}

// Try says of each rule what [Set.Fire] does, or why it does nothing. The routes from other steps are left out.
func (s *Set) Try(on string, f *Facts) (tried []schemas.Tried) {
	for _, r := range s.routes {
		if !r.appliesTo(f) {
			continue
		}
		t := schemas.Tried{Route: r.Name, File: r.file, Why: "it waits for a person's leave: handoff allow"}
		if s.Disallowed {
			tried = append(tried, t)
			continue
		}
		if t.Fires, t.Why = r.fires(on, f); t.Fires {
			sends := s.sendsOf(r, f)
			if t.Sends = sends.Parts; sends.Join != nil {
				t.Sends = append(t.Sends, *sends.Join)
			}
		}
		tried = append(tried, t)
	}
	return tried
}

// sendsOf is what a route sends, with the texts as the facts make them.
func (s *Set) sendsOf(r route, f *Facts) Sends {
	fill := func(send schemas.SendIn) schemas.SendIn { return s.fill(send, f) }
	sends := Sends{Route: r.Name, File: r.file, Step: r.step, Parts: schemas.Map(r.Send, fill)}
	if r.Join != nil {
		sends.Join = new(fill(*r.Join))
	}
	return sends
}

func (s *Set) fill(send schemas.SendIn, f *Facts) schemas.SendIn {
	filled, _, err := mapTexts(send, func(written string) (string, error) { return s.texts[written].fill(f), nil })
	if err != nil {
		return send // it was read before, so this does not happen
	}
	return filled
}

// mapTexts gives what is to be sent with another text for each that has braces in it. The first error ends it, with the
// path of the text.
func mapTexts(send schemas.SendIn, fn func(string) (string, error)) (_ schemas.SendIn, path string, err error) {
	b, err := json.Marshal(send)
	if err != nil || !strings.Contains(string(b), "{{") {
		return send, "", err
	}
	var whole any
	if err := json.Unmarshal(b, &whole); err != nil {
		return send, "", err
	}
	if whole, path, err = mapValue(whole, fn); err != nil {
		return send, path, err
	}
	b, _ = json.Marshal(whole) // it came as JSON
	send = schemas.SendIn{}
	err = json.Unmarshal(b, &send)
	return send, "", err
}

func mapValue(v any, fn func(string) (string, error)) (_ any, path string, err error) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "{{") {
			v, err = fn(v)
		}
		return v, "", err
	case []any:
		for i := range v {
			if v[i], path, err = mapValue(v[i], fn); err != nil {
				return v, fmt.Sprintf("[%d]%s", i, path), err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name], path, err = mapValue(v[name], fn); err != nil {
				return v, "." + name + path, err
			}
		}
	}
	return v, "", nil
}
