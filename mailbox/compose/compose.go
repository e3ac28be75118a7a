// Package compose makes what a handoff says: from what its sender said, and later from what amendments change. It knows
// no store and no rules; what may be sent or amended is checked by packages draft and mailbox.
//
// All functions are pure. What they make is the content of an event, so it says nothing that may change later: states,
// claims, attempts and times are on the record of the handoff, and are put beside the content when somebody reads it.
package compose

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/schemas"
)

// maxAttempts is how often work is tried where the sender said nothing.
const maxAttempts = 3

// Handoff is what a caller sends to an address, with what is so by default filled in: the type task_handoff, a title
// from the task, normal priority, three attempts, version 1. It checks nothing and keeps the lists and maps of in,
// which nobody may change afterwards. Id, times and the place in the workflow are filled in when it is read, from its
// record.
func Handoff(by schemas.Caller, in schemas.SendIn, to schemas.Address) schemas.Handoff {
	opt := *cmp.Or(in.Options, &schemas.SendOptions{})
	return schemas.Handoff{
		Schema: schemas.Version,
		Source: schemas.Source{Agent: by.Agent, AgentID: by.AgentID, Trust: by.Trust(), Phase: opt.Phase},
		Target: Target(to, opt.Reason),
		Type:   cmp.Or(in.Type, schemas.TypeHandoff), Title: cmp.Or(in.Title, Title(in.Task)), Task: in.Task, TaskID: opt.TaskID,
		Tags: Tags(in.Tags), Requirements: opt.Requirements, Kind: opt.Kind,
		Version: max(in.Version, 1), Summary: in.Summary, Detail: in.Detail, Data: in.Data,
		Context: in.Context, Expectations: in.Expectations, Rollback: in.Rollback, Origin: in.Origin,
		Metadata: schemas.Metadata{
			Priority:    cmp.Or(in.Priority, schemas.Normal),
			MaxAttempts: cmp.Or(opt.MaxAttempts, maxAttempts), After: opt.After,
			AfterAccepted: opt.AfterAccepted, NeedsApproval: opt.NeedsApproval, NoTakers: opt.NoTakers, Strategy: opt.Strategy, Recall: opt.Recall,
			Limits: opt.Limits, Step: opt.Step, SentBy: by.Rule,
		},
	}
}

// Target is an address in the form of a message, with why the sender chose it. Exactly one of agent, capability and
// role is set.
func Target(to schemas.Address, reason string) schemas.Target {
	t := schemas.Target{Reason: reason}
	switch kind, name := to.Kind(); kind {
	case "capability":
		t.Capability = name
	case "role":
		t.Role = name
	default:
		t.Agent = schemas.Agent(name)
	}
	return t
}

// Title is the first line of a task, at most 80 bytes, without the marks of a Markdown heading. Bytes that are no UTF-8
// are shown as escapes.
func Title(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if heading := strings.TrimLeft(line, "#"); strings.HasPrefix(heading, " ") {
		line = strings.TrimSpace(heading)
	}
	if !utf8.ValidString(line) {
		line = schemas.Visible(line)
	}
	return schemas.Clip(line, 80)
}

// Tags are the tags that were said, without spaces around them and without empty ones. It takes "a,b" for two: models
// write lists as text. Sends, amendments, claims and lists read tags with it, so that they mean the same.
func Tags(said []string) (tags []string) {
	for _, s := range said {
		for tag := range strings.SplitSeq(s, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// HasTag tells whether one of the wanted tags is there; wanting none is always met. Case matters.
func HasTag(tags, wanted []string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(t string) bool { return slices.Contains(tags, t) })
}

// Merge applies changes to a handoff and names the fields that they touched: lists are extended, maps merged, and the
// rest replaced. What is empty in the changes stays as it was, so nothing can be emptied by an amendment but the lists
// of handoffs to wait for, see [None]. Times are only named: they need a clock.
//
// A title that was made of the task is made of the new one.
//
// It changes h, but no list or map that h had before: those are copied, because what was said earlier is kept. A field
// that already had the given value is not named, and a list gets nothing that it has. So merging the same changes twice
// changes nothing the second time.
func Merge(h *schemas.Handoff, c schemas.Changes) (changed []string) {
	note := func(name string, did bool) {
		if did {
			changed = append(changed, name)
		}
	}
	if c.Title == "" && h.Title == Title(h.Task) {
		c.Title = Title(cmp.Or(c.Task, h.Task)) // nobody chose it
	}
	note("task", replace(&h.Task, c.Task))
	note("title", replace(&h.Title, c.Title))
	note("type", replace(&h.Type, c.Type))
	note("summary", replace(&h.Summary, c.Summary))
	note("detail", replace(&h.Detail, c.Detail))
	note("data", mergeMap(&h.Data, c.Data))
	note("priority", replace(&h.Metadata.Priority, c.Priority))
	note("deadline", c.Deadline != "")
	note("tags", extend(&h.Tags, Tags(c.Tags)))
	note("requirements", extend(&h.Requirements, c.Requirements))
	mergeOptions(h, c.Options, note)
	note("context", put(&h.Context, mergeContext(h.Context, c.Context)))
	note("expectations", put(&h.Expectations, mergeExpectations(h.Expectations, c.Expectations)))
	note("rollback", put(&h.Rollback, mergeRollback(h.Rollback, c.Rollback)))
	return changed
}

// put puts a part in the place of another, and tells whether it says something else.
func put[T any](have **T, with *T) bool {
	changed := !reflect.DeepEqual(*have, with)
	*have = with
	return changed
}

func mergeRollback(have, more *schemas.Rollback) *schemas.Rollback {
	if more == nil {
		return have
	}
	r := *cmp.Or(have, &schemas.Rollback{})
	replace(&r.OnFailure, more.OnFailure)
	replace(&r.CheckpointID, more.CheckpointID)
	extend(&r.FailureContext, more.FailureContext)
	return &r
}

// Note adds a remark to what is known. It changes no list that h had before.
func Note(h *schemas.Handoff, remark schemas.Remark) {
	c := *cmp.Or(h.Context, &schemas.Context{})
	c.Remarks = append(slices.Clone(c.Remarks), remark)
	h.Context = &c
}

// mergeContext adds to the context. Answers, questions and checkpoints are not among what an amendment changes: the rules
// add those. A reference takes the place of content that was kept under its name; any other is added.
func mergeContext(have, more *schemas.Context) *schemas.Context {
	if more == nil {
		return have
	}
	c := *cmp.Or(have, &schemas.Context{})
	replace(&c.OriginalRequest, more.OriginalRequest)
	replace(&c.TestCommand, more.TestCommand)
	extend(&c.CompletedSteps, more.CompletedSteps)
	extend(&c.Decisions, more.Decisions)
	extend(&c.Files, more.Files)
	extend(&c.Artifacts, more.Artifacts)
	extend(&c.Memories, more.Memories)
	extend(&c.PreviousFailures, more.PreviousFailures)
	extend(&c.KnownIssues, more.KnownIssues)
	extend(&c.ReproductionSteps, more.ReproductionSteps)
	c.References = slices.DeleteFunc(slices.Clone(c.References), func(r schemas.Reference) bool {
		return r.Kept() && slices.ContainsFunc(more.References, func(now schemas.Reference) bool { return now.Name == r.Name })
	})
	extend(&c.References, more.References)
	mergeMap(&c.Results, more.Results)
	mergeMap(&c.State, more.State)
	if more.Project != nil {
		c.Project = more.Project
	}
	return &c
}

// mergeExpectations adds to what is expected. It can make a handoff strict, and not take that back. A schema of the
// output is replaced as a whole: two schemas cannot be joined.
func mergeExpectations(have, more *schemas.Expectations) *schemas.Expectations {
	if more == nil {
		return have
	}
	e := *cmp.Or(have, &schemas.Expectations{})
	extend(&e.Deliverables, more.Deliverables)
	extend(&e.SuccessCriteria, more.SuccessCriteria)
	extend(&e.Constraints, more.Constraints)
	extend(&e.IfStuck, more.IfStuck)
	extend(&e.Checks, more.Checks)
	replace(&e.Timeout, more.Timeout)
	replace(&e.EstimatedDuration, more.EstimatedDuration)
	replace(&e.Evidence, more.Evidence)
	replace(&e.Review, more.Review)
	replace(&e.MaxRounds, more.MaxRounds)
	replace(&e.Base, more.Base)
	if len(more.OutputSchema) > 0 {
		e.OutputSchema = more.OutputSchema
	}
	e.Strict = e.Strict || more.Strict
	return &e
}

// replace puts a value in the place of another, unless it is zero, and tells whether that changed anything.
func replace[T comparable](have *T, with T) bool {
	var zero T
	if with == zero || with == *have {
		return false
	}
	*have = with
	return true
}

// extend adds to a copy of a list what is not in it, and tells whether there was anything to add.
func extend[T any](have *[]T, more []T) bool {
	all := slices.Clone(*have)
	for _, item := range more {
		if !slices.ContainsFunc(all, func(other T) bool { return reflect.DeepEqual(item, other) }) {
			all = append(all, item)
		}
	}
	changed := len(all) > len(*have)
	*have = all
	return changed
}

// mergeMap adds to a copy of a map, and tells whether that changed anything. A key that is there already gets the new
// value.
func mergeMap[T any](have *map[string]T, more map[string]T) bool {
	all := maps.Clone(*have)
	if all == nil && len(more) > 0 {
		all = map[string]T{}
	}
	maps.Copy(all, more)
	changed := !reflect.DeepEqual(all, *have)
	*have = all
	return changed
}

// WithContext adds to the state of a context what a holder says that the next one is to know. C is not changed.
func WithContext(c *schemas.Context, more map[string]any) *schemas.Context {
	if len(more) == 0 {
		return c
	}
	have := *cmp.Or(c, &schemas.Context{})
	mergeMap(&have.State, more)
	return &have
}
