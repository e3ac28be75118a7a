package mailbox

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/store"
)

// ruleSet has the rules that the files of the project declare. The embedded set has the rules that a person has
// allowed. The rules in waiting are not allowed yet and send nothing.
type ruleSet struct {
	*rules.Set
	waiting *rules.Set
}

// ruleCache keeps the rules that were compiled last, so that unchanged rules are not compiled again.
type ruleCache struct {
	mu   sync.Mutex
	rows []store.Row
	set  ruleSet
}

// currentRules returns the rules of all files in a snapshot. It reads one row for each file that has rules. A rule that
// cannot be read is logged once and skipped, so that the other rules still work.
func (e *env) currentRules(v *store.View) (ruleSet, error) {
	var rows []store.Row
	for row, err := range v.DeclaredRuleRows() {
		if err != nil {
			return ruleSet{}, err
		}
		rows = append(rows, store.Row{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
	}
	c := e.compiled
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set.Set == nil || !slices.EqualFunc(c.rows, rows, sameRow) {
		c.rows, c.set = rows, e.compileRules(rows)
	}
	return c.set, nil
}

func sameRow(a, b store.Row) bool { return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) }

// compileRules compiles the rows of files.
func (e *env) compileRules(rows []store.Row) ruleSet {
	all := ruleSet{&rules.Set{}, &rules.Set{Disallowed: true}}
	for _, row := range rows {
		var of store.DeclaredRules
		if err := schemas.Decode(row.Value, &of); err != nil {
			e.Logger.Error("the rules of a file were passed over", slog.Any("error", err))
			continue
		}
		set := all.Set
		if of.Unallowed {
			set = all.waiting
		}
		problems := append(all.waiting.AddFile(string(row.Key), nil, of.Earlier), set.AddFile(string(row.Key), of.Routes, of.Plans)...)
		for _, p := range problems { // a newer version may have stored rules that this one does not know
			e.Logger.Error("a rule was passed over", slog.String("problem", p.What))
		}
	}
	return all
}

// firstStepOfWorkflow returns the first step of the workflow that a send addresses, with the rule and the file of the
// step. The error is not_found for a workflow that no file declares, and denied for a workflow that no person has
// allowed yet.
func (s *Service) firstStepOfWorkflow(
	ctx context.Context, in schemas.SendIn, name string,
) (first schemas.SendIn, words *schemas.SendingRule, err error) {
	set, err := operation.Read(ctx, s.engine, s.currentRules)
	if err != nil {
		return in, nil, err
	}
	if file := set.FileOfPlan(name); file != "" {
		if first, err = set.FirstStepSend(name, in); err != nil {
			return in, nil, err
		}
		first.Title = schemas.Clip(first.Title, s.Limits.Title)
		return first, &schemas.SendingRule{Rule: first.Options.Step, File: file}, nil
	}
	if file := set.unallowedFileOfWorkflow(name); file != "" {
		return in, nil, schemas.Errorf(schemas.Denied, "the workflow %s of %s waits for a person's leave", name, schemas.EscapeHidden(file)).
			WithField("to").WithHint("A person gives it on the command line: handoff allow. Nothing was sent.")
	}
	known := append(set.PlanNames(), set.waiting.PlanNames()...)
	e := schemas.Errorf(schemas.NotFound, "there is no workflow %q", schemas.EscapeHidden(schemas.Clip(name, 80))).WithField("to").
		WithChoices(schemas.Map(known, func(plan string) string { return "workflow:" + plan })...)
	if meant := closest.LikelyNames(name, known); len(meant) > 0 {
		return in, nil, e.WithHint("Closest: workflow:%s. Nothing was sent.", meant[0])
	}
	return in, nil, e.WithHint("Files declare them under workflows: in .handoff/agents.yaml. Nothing was sent.").
		WithNext(schemas.AdviseCall(schemas.AgentsIn{}, "tells what is wrong with such a file"))
}

// warnOfWorkflowName warns a sender whose option workflow is the name of a workflow that a file declares. The option
// does not begin the declared workflow. It only names the workflow to which the new handoff belongs.
func (o *op) warnOfWorkflowName(in schemas.SendIn, out *schemas.SendOut) error {
	begun := in.Options != nil && in.Options.Step != ""
	if in.Workflow == "" || out.Parent != 0 || begun {
		return nil
	}
	set, err := o.currentRules(o.View)
	if err == nil && slices.Contains(set.PlanNames(), in.Workflow) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("this is not a step of the workflow %s: a send to workflow:%s begins that",
			in.Workflow, in.Workflow))
	}
	return err
}

// TryRules returns the handoffs that rules would send because of the last change of a handoff, and the reasons why
// other rules send nothing. If the call has no rules, TryRules tries the declared rules of the project. It changes
// nothing. The error is not_found for an unknown handoff, and invalid for a rule that cannot be read.
func (s *Service) TryRules(ctx context.Context, by schemas.Caller, in schemas.RulesTryIn) (schemas.RulesTryOut, error) {
	if err := rules.Check("", in.Routes, in.Plans); err != nil {
		return schemas.RulesTryOut{}, err
	}
	return operation.Read(ctx, s.engine, func(v *store.View) (out schemas.RulesTryOut, err error) {
		r, err := reading.FindHandoff(v, in.HandoffID, by.Agent)
		if err != nil {
			return out, err
		}
		set := ruleSet{waiting: &rules.Set{}}
		set.Set, _ = rules.Compile(in.Routes, in.Plans)
		if len(in.Routes)+len(in.Plans) == 0 {
			if set, err = s.currentRules(v); err != nil {
				return out, err
			}
		}
		facts, err := factsForRules(v, r)
		if err != nil {
			return out, err
		}
		out = schemas.RulesTryOut{HandoffID: r.ID, On: string(r.Status)}
		if !r.Status.HasEnded() {
			out.On = triggers[life.Send]
		}
		out.Routes = append(set.TryRules(out.On, facts), set.waiting.TryRules(out.On, facts)...)
		return out, nil
	})
}

// fileToAllowAfter returns the file that a person must allow before the workflow of an ended step goes on. It returns
// [reading.NoFile] if no file has the step now. It returns "" if the workflow need not wait, and for failed work, which
// goes back as if there were no workflow.
func (s ruleSet) fileToAllowAfter(on string, f *rules.Facts) string {
	plan, _, _ := strings.Cut(f.Handoff.Step, "/")
	switch {
	case s.unallowedFileOfWorkflow(plan) != "" && s.waiting.HasStep(f.Handoff.Step):
		return s.waiting.FileOfNextStep(on, f)
	case f.Handoff.Step != "" && on == triggers[life.Complete] && !s.HasStep(f.Handoff.Step):
		return reading.NoFile
	}
	return ""
}

// recordWaitForPermission records on an ended step that its next steps wait for a person to allow the workflow.
// [op.resumeAllowedWorkflows] finds the step by this record. The owner of the workflow and human are told of the first
// waiting step of each workflow. A workspace has at most [reading.MaxScanned] waiting steps.
func (o *op) recordWaitForPermission(h *operation.RecordChange) error {
	r, err := o.Record(h.Now.ID)
	if err != nil || r.FileAwaitingPermission() != "" {
		return err
	}
	waiting, told := 0, false
	for id, err := range o.HandoffsAwaitingPermission() {
		if err != nil {
			return err
		}
		other := reading.RecordOrNil(o.View, id)
		told = told || other != nil && other.Workflow == r.Workflow
		if waiting++; waiting >= reading.MaxScanned {
			full := schemas.Errorf(schemas.Limit, "%d ended steps wait for leave, the limit", reading.MaxScanned)
			return o.tellOwnerOfUnsent(r, "The workflow cannot wait behind "+r.ID.String(), full.WithHint("Send what is left."))
		}
	}
	return o.RunAs(operation.ClockCaller, func() error {
		err := o.ChangeRecord(&operation.RecordChange{Action: life.Defer}, r, func(now *store.Record) {
			now.Owes = append(now.Owes, store.OpenConsequence{Do: string(life.SendByRules), Leave: h.FileToPermit, Opened: h.Opened && r.Reviewer == ""})
		})
		if told || err != nil {
			return err
		}
		return o.tellOwnerAndHuman(r, operation.NoticeOf(noticePermissionNeeded, r, fmt.Sprintf("The workflow %s waits: %s", r.Workflow, reading.PermissionReason(h.FileToPermit))))
	})
}

// resumeAllowedWorkflows finds the ended steps that wait for permission and whose workflow a person has allowed now. It
// makes the consequences of these steps due, so the clock sends the next steps by the current rules. A step that no
// file has goes on waiting, because the file may come back, for example with another branch.
func (o *op) resumeAllowedWorkflows() error {
	set, err := o.currentRules(o.View)
	ids, unread := reading.Collect(o.HandoffsAwaitingPermission())
	if err = cmp.Or(err, unread); err != nil {
		return err
	}
	for _, id := range ids {
		r := reading.RecordOrNil(o.View, id)
		if r == nil || !set.HasStep(stepOf(o.View, r)) {
			continue
		}
		err := o.RunAs(operation.ClockCaller, func() error {
			return o.ChangeRecord(&operation.RecordChange{Action: life.Defer}, r, func(now *store.Record) {
				for i := range now.Owes {
					now.Owes[i].Leave = ""
				}
			})
		})
		if err != nil {
			return err
		}
		o.ResumeConsequencesLater()
	}
	return nil
}

// unallowedFileOfWorkflow returns the file of a workflow that a person must still allow, or "" for any other workflow.
func (s ruleSet) unallowedFileOfWorkflow(plan string) string {
	if s.FileOfPlan(plan) != "" {
		return ""
	}
	return s.waiting.FileOfPlan(plan)
}

// stepOf returns the step of a handoff, as PLAN/STEP. It returns "" if the handoff is no step or cannot be read.
func stepOf(v *store.View, r *store.Record) string {
	h, _ := reading.ReadHandoff(v, r) // empty then
	return h.Metadata.Step
}

// BeforeResume runs for an ended step whose workflow was allowed only after the step ended. It finds the
// handoffs that the rules of the workflow send after that step. It finds none if the step was continued or dismissed
// meanwhile.
func (o *op) BeforeResume(h *operation.RecordChange, debt store.OpenConsequence) error {
	if life.Consequence(debt.Do) != life.SendByRules {
		return nil
	}
	o.Timed = false // a person caused it, and [reading.MaxScanned] bounds it
	set, err := o.currentRules(o.View)
	if err != nil || h.Now.Successor != 0 || h.Now.Dismissed != 0 {
		return err
	}
	facts, err := factsForRules(o.View, h.Now)
	if err != nil {
		return err
	}
	on := string(h.Now.Status)
	h.FileToPermit = set.fileToAllowAfter(on, facts)
	if h.Opened = debt.Opened; h.Opened {
		on = ""
	}
	sends, err := o.evaluateRules(h, set, on, facts)
	h.Sends = slices.DeleteFunc(sends, func(s rules.RuleSends) bool { return s.Step == "" })
	return err
}
