package compose

import (
	"maps"
	"slices"

	"handoff/schemas"
)

// Merge applies changes to a handoff and names the fields that they touched: lists are extended, maps merged, and the
// rest replaced. What is empty in the changes stays as it was. A deadline is only named: it needs a clock.
func Merge(h *schemas.Handoff, c schemas.Changes) (changed []string) {
	note := func(name string, did bool) {
		if did {
			changed = append(changed, name)
		}
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
	note("context", c.Context != nil)
	note("expectations", c.Expectations != nil)
	note("rollback", c.Rollback != nil)
	h.Context = mergeContext(h.Context, c.Context)
	h.Expectations = mergeExpectations(h.Expectations, c.Expectations)
	if c.Rollback != nil {
		r := valueOf(h.Rollback)
		replace(&r.OnFailure, c.Rollback.OnFailure)
		replace(&r.CheckpointID, c.Rollback.CheckpointID)
		extend(&r.FailureContext, c.Rollback.FailureContext)
		h.Rollback = &r
	}
	return changed
}

func mergeContext(have, more *schemas.Context) *schemas.Context {
	if more == nil {
		return have
	}
	c := valueOf(have)
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
	extend(&c.References, more.References)
	mergeMap(&c.Results, more.Results)
	mergeMap(&c.State, more.State)
	if more.Project != nil {
		c.Project = more.Project
	}
	return &c
}

func mergeExpectations(have, more *schemas.Expectations) *schemas.Expectations {
	if more == nil {
		return have
	}
	e := valueOf(have)
	extend(&e.Deliverables, more.Deliverables)
	extend(&e.SuccessCriteria, more.SuccessCriteria)
	extend(&e.Constraints, more.Constraints)
	extend(&e.IfStuck, more.IfStuck)
	replace(&e.Timeout, more.Timeout)
	replace(&e.EstimatedDuration, more.EstimatedDuration)
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

// extend adds to a list, and tells whether there was anything to add.
func extend[T any](have *[]T, more []T) bool {
	*have = append(slices.Clone(*have), more...)
	return len(more) > 0
}

// mergeMap adds to a map, and tells whether there was anything to add.
func mergeMap[T any](have *map[string]T, more map[string]T) bool {
	if len(more) == 0 {
		return false
	}
	all := maps.Clone(*have)
	if all == nil {
		all = map[string]T{}
	}
	maps.Copy(all, more)
	*have = all
	return true
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
