package brief

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/schemas"
)

// How much of an earlier result a brief tells. The rest is in the outcome of that handoff.
const (
	mostSummary = 1000 // bytes
	mostResult  = 300  // bytes of a value or a note
	mostListed  = 10   // values, notes, files
)

// results are what earlier handoffs handed in that this one builds on: the summary, unless the brief has it elsewhere,
// the results by name, the notes and the files. Where there is more, the last line says how to read it. Like progress
// they count as asked: a strategy chooses among what the sender knows, and this the sender may not know.
func results(in Input, p pen) (lines []string) {
	for _, c := range in.Results {
		short := len(c.Output) <= mostResult
		more := len(c.Detail)+len(c.Data)+len(c.Outputs) > 0 || !short
		var texts []string
		add := func(label, separator string, some []string) {
			if more = more || len(some) > mostListed; len(some) > 0 {
				texts = append(texts, label+strings.Join(some[:min(len(some), mostListed)], separator))
			}
		}
		brief := func(s string) string {
			more = more || len(s) > mostResult
			return p.line(s, mostResult)
		}
		named := named(c.Results, brief)
		more = more || len(named) > mostListed
		var notes, files []string
		for _, note := range c.Notes {
			notes = append(notes, brief(note))
		}
		for _, d := range c.Deliverables {
			files = slices.Concat(files, d.FilesCreated, d.FilesModified, d.TestsCreated)
		}
		if short && len(c.Output) > 0 {
			add("Output: ", "", []string{p.line(string(c.Output), mostResult)})
		}
		add("Notes: ", "; ", notes)
		add("Files: ", ", ", unique(files))
		summary := c.Summary
		if more = more || len(summary) > mostSummary; in.tells(c) {
			summary = ""
		}
		if summary == "" && len(texts)+len(named) == 0 && !more {
			continue
		}
		head := nonEmpty(strings.Join(named[:min(len(named), mostListed)], ", "), p.line(summary, mostSummary))
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("- Result of %s: %s", c.HandoffID, strings.Join(head, ". "))))
		if lines = append(lines, p.items("  ", texts)...); more {
			lines = append(lines, "  - More "+outcomeOf(c.HandoffID.String()))
		}
	}
	return lines
}

// tells tells whether the brief has the summary of a result as its own, or whole in the line of an earlier handoff.
func (in Input) tells(c schemas.Completion) bool {
	return c.Summary == in.Handoff.Summary || slices.ContainsFunc(in.Ancestors, func(s schemas.Step) bool {
		return s.HandoffID == c.HandoffID && s.Reason == c.Summary && len(c.Summary) <= mostReason
	})
}

// named are values with their names, in the order of the names.
func named(m map[string]any, brief func(string) string) (texts []string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		texts = append(texts, brief(key)+" "+brief(value(m[key])))
	}
	return texts
}

// unique leaves out what was said before, and keeps the order.
func unique(texts []string) (once []string) {
	for _, s := range texts {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// outcomeOf is the call that reads the outcome of a handoff, for the end of a line.
func outcomeOf(id string) string {
	return "from " + schemas.Call(schemas.GetIn{HandoffID: id, View: "outcome"}, "").Request()
}
