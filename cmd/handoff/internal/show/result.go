package show

import (
	"fmt"
	"strings"

	"handoff/schemas"
)

func (s sheet) completion(c *schemas.Completion) {
	s.paragraph("Result", c.Summary)
	s.section("Deliverables", delivered(c))
	s.section("Verification", verification(c.Verification))
	s.section("Notes", c.Notes)
	if c.Continuation != nil {
		s.section("Suggested Next", nonEmpty(strings.Join(nonEmpty(c.Continuation.SuggestedNext, c.Continuation.Reason), ": ")))
	}
}

func delivered(c *schemas.Completion) []string {
	var items []string
	count := func(label string, files []string) {
		unit := "files"
		if len(files) == 1 {
			unit = "file"
		}
		if len(files) > 0 {
			items = append(items, fmt.Sprintf("%s: %d %s (%s)", label, len(files), unit, names(files, same)))
		}
	}
	for _, d := range c.Deliverables {
		items = append(items, nonEmpty(strings.Join(nonEmpty(d.Type, d.Description), ": "))...)
		count("Created", d.FilesCreated)
		count("Modified", d.FilesModified)
		count("Tests", d.TestsCreated)
	}
	return append(items, c.Outputs...)
}

func verification(v *schemas.Verification) []string {
	if v == nil {
		return nil
	}
	var items []string
	check := func(label string, passing *bool, more string) {
		switch {
		case passing != nil && *passing:
			items = append(items, label+": ✓ Passing"+prefixed(", ", more))
		case passing != nil:
			items = append(items, label+": ✗ Failing"+prefixed(", ", more))
		case more != "":
			items = append(items, label+": "+more)
		}
	}
	check("Tests", v.TestsPassing, strings.Join(nonEmpty(count(v.TestsPassed, "passed"), count(v.TestsFailed, "failed")), ", "))
	check("Types", v.TypeCheckPassing, "")
	check("Lint", v.LintPassing, "")
	for _, c := range v.Commands {
		mark := "✓"
		if c.ExitCode != 0 {
			mark = "✗"
		}
		items = append(items, fmt.Sprintf("%s %s, exit %d%s", mark, one(c.Command), c.ExitCode, prefixed("\n", c.Output)))
	}
	return items
}

func (s sheet) failure(f *schemas.Failure) {
	s.section("Failure", nonEmpty(strings.Join(nonEmpty(f.Failure.Type, f.Failure.Description), ": ")))
	var blockers []string
	for _, b := range f.Failure.Blockers {
		text := strings.Join(nonEmpty(b.Type, b.Description), ": ")
		if b.RequiredToProceed {
			text += " (required to proceed)"
		}
		blockers = append(blockers, text)
	}
	s.section("Blockers", blockers)
	if pp := f.Failure.PartialProgress; pp != nil {
		s.section("Done", pp.Completed)
		s.section("Not Done", pp.Incomplete)
	}
	if r := f.RollbackRequest; r != nil {
		s.section("Rollback", nonEmpty(strings.Join(nonEmpty(string(r.TargetAgent), r.Reason), ": ")))
		s.section("Questions", r.Questions)
	}
	s.section("Suggested Alternative", nonEmpty(f.Alternative))
}

// count is a number of what is counted, or nothing for none.
func count(n int, of string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, of)
}
