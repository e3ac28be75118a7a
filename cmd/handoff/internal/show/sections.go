package show

import (
	"cmp"
	"strings"

	"handoff/schemas"
)

// transferred says in a line each what came along, not all of it.
func transferred(h schemas.Handoff) []string {
	var items []string
	add := func(label, value string) {
		if value != "" {
			items = append(items, label+": "+one(value))
		}
	}
	add("Summary", h.Summary)
	c := h.Context
	if c == nil {
		return items
	}
	add("Original request", c.OriginalRequest)
	for _, a := range c.Artifacts {
		add(capital(cmp.Or(a.Type, "artifact")), cmp.Or(a.Path, a.Content, a.Description))
	}
	add("Decisions", few(c.Decisions, func(d schemas.Decision) string { return d.Decision }))
	add("Files", few(c.Files, func(f schemas.File) string { return f.Path }))
	add("Done before", few(c.CompletedSteps, same))
	add("Known issues", few(c.KnownIssues, same))
	add("Previous failures", few(c.PreviousFailures, same))
	add("References", few(c.References, func(r schemas.Reference) string { return r.URL }))
	if c.Project != nil {
		add("Project", c.Project.Name+prefixed(", branch ", c.Project.Branch))
		add("Tech Stack", strings.Join(c.Project.TechStack, ", "))
	}
	return items
}

// expectations has a box for each criterion, ticked once it was met, with the evidence.
func expectations(e *schemas.Expectations, done *schemas.Completion) []string {
	var items []string
	add := func(text string) { items = append(items, text) }
	if e == nil {
		e = &schemas.Expectations{}
	}
	for _, d := range e.Deliverables {
		add("Deliver " + strings.Join(nonEmpty(d.Type, d.Description, strings.Join(d.Files, ", ")), ": "))
	}
	if done != nil && len(done.Criteria) > 0 {
		for _, a := range done.Criteria {
			add(answered(a))
		}
	} else {
		for _, d := range e.Deliverables {
			for _, text := range d.Criteria {
				add("[ ] " + text)
			}
		}
		for _, text := range e.SuccessCriteria {
			add("[ ] " + text)
		}
	}
	for _, text := range e.Constraints {
		add("Constraint: " + text)
	}
	return items
}

func answered(a schemas.Answered) string {
	box, mark := "[ ] ", "✗"
	if a.Met {
		box, mark = "[x] ", "✓"
	}
	return box + a.Criterion + " " + mark + prefixed(" ", one(a.Evidence))
}
