package draw

import (
	"fmt"
	"strings"

	"handoff/schemas"
)

func (p *page) completion(c *schemas.Completion) {
	p.paragraph("Result", c.Summary)
	p.section("Deliverables", delivered(c))
	p.section("Verification", p.verification(c.Verification))
	p.section("Notes", c.Notes)
	if c.Continuation != nil {
		p.section("Suggested Next", nonEmpty(strings.Join(nonEmpty(c.Continuation.SuggestedNext, c.Continuation.Reason), ": ")))
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

func (p *page) verification(v *schemas.Verification) []string {
	if v == nil {
		return nil
	}
	var items []string
	check := func(label string, passing *bool, more string) {
		switch {
		case passing != nil && *passing:
			items = append(items, label+": "+p.glyph("✓")+" Passing"+prefixed(", ", more))
		case passing != nil:
			items = append(items, label+": "+p.glyph("✗")+" Failing"+prefixed(", ", more))
		case more != "":
			items = append(items, label+": "+more)
		}
	}
	check("Tests", v.TestsPassing, counts(v.TestsPassed, "passed", v.TestsFailed, "failed"))
	check("Types", v.TypeCheckPassing, "")
	check("Lint", v.LintPassing, "")
	for _, c := range v.Commands {
		mark := p.glyph("✓")
		if c.ExitCode != 0 {
			mark = p.glyph("✗")
		}
		items = append(items, fmt.Sprintf("%s %s, exit %d%s", mark, p.one(c.Command), c.ExitCode, prefixed("\n", c.Output)))
	}
	return items
}

func (p *page) failure(f *schemas.Failure) {
	p.section("Failure", nonEmpty(strings.Join(nonEmpty(f.Failure.Type, f.Failure.Description), ": ")))
	var blockers []string
	for _, b := range f.Failure.Blockers {
		text := strings.Join(nonEmpty(b.Type, b.Description), ": ")
		if b.RequiredToProceed {
			text += " (required to proceed)"
		}
		blockers = append(blockers, text)
	}
	p.section("Blockers", blockers)
	if pp := f.Failure.PartialProgress; pp != nil {
		p.section("Done", pp.Completed)
		p.section("Not Done", pp.Incomplete)
	}
	if r := f.RollbackRequest; r != nil {
		p.section("Rollback", nonEmpty(strings.Join(nonEmpty(string(r.TargetAgent), r.Reason), ": ")))
		p.section("Questions", r.Questions)
	}
	p.section("Suggested Alternative", nonEmpty(f.Alternative))
}

// late tells what came back when the claim was lost already.
func (p *page) late(results []schemas.Late) {
	for _, l := range results {
		switch {
		case l.Completion != nil:
			p.paragraph("Late result from "+p.one(string(l.Completion.Source.Agent)), l.Completion.Summary)
		case l.Failure != nil:
			p.paragraph("Late failure from "+p.one(string(l.Failure.Source.Agent)), l.Failure.Failure.Description)
		}
	}
}
