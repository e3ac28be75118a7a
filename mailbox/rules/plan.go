package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"handoff/schemas"
)

// plan holds the first step of a workflow, its limits, and the index of each step.
type plan struct {
	file   string
	first  schemas.PlanStep
	limits map[string]float64
	at     map[string]int // the places of its steps
}

// endStep as the next step says that there is none.
const endStep = "end"

// endNames are the ways in which a step may end.
var endNames = []string{"completed", "failed", "rejected", "timed_out"}

// addPlan adds the routes of a workflow: one from each step to each step that may follow. The path of an error leads to
// the faulty value in the plan.
//
// After a step ends, the first later step whose condition holds is sent. A step without a condition is sent only if the
// step before it was done well. So a step that handles a failure needs a condition.
func (s *Set) addPlan(p schemas.Plan) (path string, err error) {
	if s.plans[p.Name].first.Step != "" {
		return "name", fmt.Errorf("there are two workflows %s", p.Name)
	}
	at, path, err := stepIndexes(p)
	if err != nil {
		return path, err
	}
	if err := schemas.CheckLimits("limits", p.Limits); err != nil {
		return "", err
	}
	s.plans[p.Name] = plan{s.file, p.Steps[0][0], p.Limits, at}
	conditions := make([]condition, len(p.Steps))
	for i, unit := range p.Steps {
		for k, step := range unit {
			if path, err := s.parseTexts(stepSend(p, step)); err != nil {
				return stepPath(unit, i, k) + path, err
			}
		}
		if conditions[i], err = s.compileCondition(cmp.Or(unit[0].When, "outcome.passed"), endNames); err != nil {
			return stepPath(unit, i, 0) + ".when", err
		}
	}
	for i, unit := range p.Steps {
		if isParallelUnit(unit) {
			continue // the join goes on
		}
		next := i + 1
		if unit[0].Next != "" {
			next = cmp.Or(at[unit[0].Next], len(p.Steps)) // the first step is never the next one
		}
		s.addStepRoutes(p, conditions, unit[0].Step, next)
	}
	return "", nil
}

// stepIndexes returns the index of each step in a plan. The error is about the first step that has no valid name or
// stands in the wrong order; path leads to that step.
func stepIndexes(p schemas.Plan) (at map[string]int, path string, err error) {
	at = map[string]int{}
	if slices.ContainsFunc(p.Steps, func(unit []schemas.PlanStep) bool { return len(unit) == 0 }) || len(p.Steps) == 0 {
		return nil, "steps", errors.New("a workflow has one step at least, and no empty list")
	}
	for i, unit := range p.Steps {
		for k, step := range unit {
			where := stepPath(unit, i, k)
			if _, twice := at[step.Step]; twice || step.Step == endStep || !schemas.IsValidName(step.Step) {
				return nil, where + ".step", fmt.Errorf("%q is not a name for a step, or another step has this name", schemas.EscapeHidden(step.Step))
			}
			if err := checkStepOrder(p.Steps, i, step); err != nil {
				return nil, where, err
			}
			at[step.Step] = i
		}
	}
	for i, unit := range p.Steps {
		for k, step := range unit {
			if err := checkNextStep(p.Steps, at, step.Next); err != nil {
				return nil, stepPath(unit, i, k) + ".next", err
			}
		}
	}
	return at, "", nil
}

// checkStepOrder returns an error if the step may not stand at index i of a plan.
func checkStepOrder(steps [][]schemas.PlanStep, i int, step schemas.PlanStep) error {
	joins := i > 0 && isParallelUnit(steps[i-1])
	switch aside := isParallelUnit(steps[i]); {
	case i == 0 && (aside || step.When != ""):
		return errors.New("the first step is one handoff, without a condition")
	case aside && (step.When != "" || step.Next != ""):
		return errors.New("steps side by side have no condition and no next step")
	case joins && (aside || step.When != ""):
		return errors.New("after steps side by side comes one step without a condition, which waits for them")
	}
	return nil
}

// checkNextStep returns an error if a step may not name `next` as the step that follows it. Allowed are the end of the
// plan, and each step that is not the first one and does not run in parallel with others.
func checkNextStep(steps [][]schemas.PlanStep, at map[string]int, next string) error {
	to, known := at[next]
	if next == "" || next == endStep || known && to != 0 && !isParallelUnit(steps[to]) {
		return nil
	}
	return fmt.Errorf("%q is no single step after the first; there are %v and end",
		schemas.EscapeHidden(next), slices.Sorted(maps.Keys(at)))
}

// isParallelUnit reports whether a unit (one entry in the list of steps of a plan) runs several handoffs in parallel:
// it has several steps, or its step is sent once for each of several texts.
func isParallelUnit(unit []schemas.PlanStep) bool {
	return len(unit) > 1 || unit[0].Options != nil && unit[0].Options.Each != nil
}

func stepPath(unit []schemas.PlanStep, i, k int) string {
	if len(unit) == 1 {
		return fmt.Sprintf("steps[%d]", i)
	}
	return fmt.Sprintf("steps[%d][%d]", i, k)
}

// addStepRoutes adds the routes from a step to the steps that may follow, from index next on. conditions has the
// conditions of all steps. A route sends its step only if the condition of the step holds and the conditions of the
// skipped steps do not.
func (s *Set) addStepRoutes(p schemas.Plan, conditions []condition, step string, next int) {
	for i := next; i < len(p.Steps); i++ {
		unit := p.Steps[i]
		r := route{
			Route: schemas.Route{Name: fmt.Sprintf("%s: %s, then %s", p.Name, step, unit[0].Step), On: endNames},
			file:  s.file, when: conditions[i], step: p.Name + "/" + step, unconditional: unit[0].When == "", unless: conditions[next:i],
		}
		r.Send = schemas.Map(unit, func(part schemas.PlanStep) schemas.SendIn { return stepSend(p, part) })
		if isParallelUnit(unit) && i+1 < len(p.Steps) {
			r.Join = new(stepSend(p, p.Steps[i+1][0]))
		}
		s.routes = append(s.routes, r)
		if unit[0].When == "" {
			return
		}
	}
}

// stepSend returns the send of a step, marked with the names of the plan and the step.
func stepSend(p schemas.Plan, step schemas.PlanStep) schemas.SendIn {
	send := step.SendIn
	options := *cmp.Or(send.Options, &schemas.SendOptions{})
	options.Step = p.Name + "/" + step.Step
	send.Options, send.Title = &options, cmp.Or(send.Title, step.Step+": "+rootTaskText)
	return send
}

// rootTaskText is the text in the title of a step without a title.
const rootTaskText = "{{root.task}}"

// PlanNames returns the names of all plans, sorted.
func (s *Set) PlanNames() []string { return slices.Sorted(maps.Keys(s.plans)) }

// FileOfPlan returns the file that declares a plan, or "" if no file does.
func (s *Set) FileOfPlan(plan string) string { return s.plans[plan].file }

// HasStep reports whether a plan has the step; step has the form PLAN/STEP.
func (s *Set) HasStep(step string) bool {
	plan, name, _ := strings.Cut(step, "/")
	_, has := s.plans[plan].at[name]
	return has
}

// mergeLimits returns the limits of a plan together with the requested limits. If both limit the same amount, the lower
// limit counts.
func mergeLimits(limits, asked map[string]float64) map[string]float64 {
	if limits == nil {
		return asked
	}
	all := maps.Clone(limits)
	for name, most := range asked {
		if now, limited := all[name]; !limited || most < now {
			all[name] = most
		}
	}
	return all
}

// FirstStepSend returns the send of a plan's first step, completed with the fields of the caller's send. A list has the
// entries of both sends. The caller may only lower the limits of the plan. The error is limit if the expressions in the
// step take too long.
func (s *Set) FirstStepSend(name string, asked schemas.SendIn) (first schemas.SendIn, err error) {
	p := s.plans[name]
	root := HandoffFacts(schemas.Handoff{
		Task: asked.Task, Title: asked.Title, Summary: asked.Summary, Detail: asked.Detail, Data: asked.Data, Tags: asked.Tags,
		Expectations: asked.Expectations, Context: asked.Context,
	}, "", "", "")
	facts := &Facts{Handoff: root, Root: root, Budget: &Budget{}}
	step := s.fillTexts(stepSend(schemas.Plan{Name: name}, p.first), facts)
	if facts.Budget.IsSpent() {
		return asked, schemas.Errorf(schemas.Limit, "the texts of the first step of %s take too long", name).WithField("to").
			WithHint("Give it shorter expressions. Nothing was sent.")
	}
	if first, err = fillOpenFields(step, asked); err != nil {
		return asked, err
	}
	first.Summary = cmp.Or(asked.Summary, step.Summary)
	if step.Detail != "" && !strings.Contains(step.Detail, asked.Detail) {
		first.Detail = step.Detail + "\n\n" + asked.Detail
	}
	first.Options.Limits = mergeLimits(mergeLimits(p.limits, step.Options.Limits), schemas.ValueOrZero(asked.Options).Limits)
	first.Context = cmp.Or(first.Context, &schemas.Context{})
	first.Context.OriginalRequest = cmp.Or(first.Context.OriginalRequest, asked.Task)
	return first, nil
}

// fillOpenFields returns the send of a step, with the values of asked in the fields that the step leaves empty. It
// merges both as JSON, because JSON omits empty fields.
func fillOpenFields(step, asked schemas.SendIn) (whole schemas.SendIn, err error) {
	var one, other any
	if err := cmp.Or(schemas.Convert(step, &one), schemas.Convert(asked, &other)); err != nil {
		return whole, err
	}
	err = schemas.Convert(mergeValues(one, other), &whole)
	return whole, err
}

// mergeValues returns one with the additional entries of other. Both are objects or lists of JSON. If one is nil, the
// result is other.
func mergeValues(one, other any) any {
	switch one := one.(type) {
	case nil:
		return other
	case []any:
		more, _ := other.([]any)
		for _, v := range more {
			if !slices.ContainsFunc(one, func(has any) bool { return reflect.DeepEqual(has, v) }) {
				one = append(one, v)
			}
		}
		return one
	case map[string]any:
		more, _ := other.(map[string]any)
		for name, v := range more {
			one[name] = mergeValues(one[name], v)
		}
	}
	return one
}
