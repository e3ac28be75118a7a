package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/schemas/display"
)

// DrawHandoff prints one handoff: sender and recipient, status, context, expectations and results. The parameter got
// must come from the view full, and the parameter end from [EndingEvent].
func DrawHandoff(p *cli.Page, got schemas.GetOut, end *schemas.Event) {
	s := sheet{p}
	h, st, done, failed := *got.Handoff, *got.Standing, got.Completion, got.Failure
	s.drawLine(s.Bold(s.Quote("Handoff "+h.ID.String()+withPrefix(": ", oneLine(h.Title)), 0)))
	s.drawStatus(h, st, end)
	if st.Status.HasEnded() && failed == nil {
		s.drawParagraph("Reason", st.Reason)
	}
	s.drawParagraph("Task", h.Task)
	s.drawSection("Context Transferred", contextLines(h))
	s.drawSection("Expectations", criterionLines(h.Expectations, done))
	s.drawCompletion(cmp.Or(done, &schemas.Completion{}))
	s.drawFailure(cmp.Or(failed, &schemas.Failure{}))
	s.drawSection("Open Questions", st.Questions)
	if st.Status == schemas.Waiting {
		s.drawParagraph("Said with the questions", st.Note)
	}
	s.drawSection("Checkpoint", checkpointLines(h, st, failed))
	drawLateResults(got.Late, func(label, text string) { s.drawParagraph(capitalise(label), text) })
}

func (s sheet) drawStatus(h schemas.Handoff, st schemas.HandoffState, end *schemas.Event) {
	to := cmp.Or(string(h.Target.Agent), withPrefix("capability:", h.Target.Capability), withPrefix("role:", h.Target.Role))
	s.drawFact("From", fmt.Sprintf("%s → To: %s", oneLine(schemas.SenderLine(h.ByRule().String(), h.Source.Agent)), oneLine(to)))
	if st.Holder != "" && string(st.Holder) != to {
		s.drawFact("Holder", string(st.Holder))
	}
	s.drawLine("Status: " + s.StateLabel(display.StateFacts{Status: st.Status, Outcome: st.Outcome, BlockedBy: st.BlockedBy, Reason: st.Reason}))
	if !st.Status.HasEnded() {
		s.drawFact("Why", st.Reason)
	}
	s.drawFact("Held back", st.Refused)
	s.drawFact("Last sign of life", withSuffix(s.FormatAge(schemas.ValueOrZero(st.LastSign)), " ago"))
	s.drawFact("Ended by", string(schemas.ValueOrZero(end).Agent))
	s.drawFact("Accepted", withSuffix(s.FormatAge(schemas.ValueOrZero(st.AcceptedAt)), " ago"))
	switch {
	case st.Percent == 0 || st.Status.HasEnded():
	case st.Status == schemas.Waiting: // the note belongs to the questions
		s.drawFact("Progress", fmt.Sprintf("%d%%", st.Percent))
	default:
		s.drawFact("Progress", fmt.Sprintf("%d%% %s", st.Percent, st.Note))
	}
	s.drawFact(s.timeFact(h, st))
	if st.Attempt > 1 {
		s.drawFact("Attempt", fmt.Sprint(st.Attempt))
	}
	s.drawFact("Blocked by", strings.Join(st.BlockedBy, ", "))
	s.drawFact("Followed by", st.Successor.String())
	s.drawFact("Workflow", string(h.Metadata.Workflow))
}

// timeFact returns the duration of the work. For a handoff that was never claimed it returns the age of the handoff.
func (s sheet) timeFact(h schemas.Handoff, st schemas.HandoffState) (label, value string) {
	switch {
	case st.ClaimedAt != nil && st.EndedAt != nil:
		return "Duration", display.FormatDuration(st.EndedAt.Sub(*st.ClaimedAt))
	case st.ClaimedAt != nil:
		return "Duration", withSuffix(s.FormatAge(*st.ClaimedAt), " so far")
	}
	return "Sent", withSuffix(s.FormatAge(h.Metadata.CreatedAt), " ago")
}

// checkpointLines returns the ids of three checkpoints: the last one of the handoff, the one at its failure, and the
// one from which it began. It leaves out missing and repeated ids.
func checkpointLines(h schemas.Handoff, st schemas.HandoffState, failed *schemas.Failure) []string {
	left, begun := schemas.ValueOrZero(failed).CheckpointID, schemas.ValueOrZero(h.Rollback).CheckpointID
	return slices.Compact(nonEmptyTexts(st.Checkpoint, left, begun))
}

// contextLines returns one line for each kind of context, shortened.
func contextLines(h schemas.Handoff) []string {
	var items []string
	add := func(label, value string) {
		if value != "" {
			items = append(items, label+": "+oneLine(value))
		}
	}
	add("Summary", h.Summary)
	c := schemas.ValueOrZero(h.Context)
	add("Original request", c.OriginalRequest)
	for _, a := range c.Artifacts {
		add(capitalise(cmp.Or(a.Type, "artifact")), cmp.Or(a.Path, a.Content, a.Description))
	}
	add("Decisions", countedList(schemas.Map(c.Decisions, func(d schemas.Decision) string { return d.Decision })))
	add("Files", countedList(schemas.Map(c.Files, func(f schemas.File) string { return f.Path })))
	add("Done before", countedList(c.CompletedSteps))
	add("Known issues", countedList(c.KnownIssues))
	add("Previous failures", countedList(c.PreviousFailures))
	add("References", countedList(schemas.Map(c.References, func(r schemas.Reference) string { return r.URL })))
	project := schemas.ValueOrZero(c.Project)
	add("Project", project.Name+withPrefix(", branch ", project.Branch))
	add("Tech Stack", strings.Join(project.TechStack, ", "))
	return items
}

// criterionLines returns a line for each criterion: a box, which is ticked if the criterion was met, and the evidence.
func criterionLines(e *schemas.Expectations, done *schemas.Completion) []string {
	var items, criteria []string
	e = cmp.Or(e, &schemas.Expectations{})
	for _, d := range e.Deliverables {
		items = append(items, "Deliver "+strings.Join(nonEmptyTexts(d.Type, d.Description, strings.Join(d.Files, ", ")), ": "))
		criteria = append(criteria, d.Criteria...)
	}
	criteria = append(criteria, e.SuccessCriteria...)
	if done != nil && len(done.Criteria) > 0 {
		criteria = nil // the answered ones follow
		for _, a := range done.Criteria {
			box, mark := "[ ] ", "✗"
			if a.IsMet() {
				box, mark = "[x] ", "✓"
			}
			items = append(items, box+a.Criterion+" "+mark+withPrefix(" ", oneLine(done.EvidenceText(a))))
		}
	}
	items = append(items, schemas.Map(criteria, func(text string) string { return "[ ] " + text })...)
	return append(items, schemas.Map(e.Constraints, func(text string) string { return "Constraint: " + text })...)
}

func (s sheet) drawCompletion(c *schemas.Completion) {
	s.drawParagraph("Result", c.Summary)
	s.drawSection("Results", resultLines(c))
	s.drawSection("Deliverables", deliverableLines(c))
	s.drawSection("Working Tree", treeFacts(c.Tree))
	s.drawSection("Verification", verificationLines(c.Verification))
	s.drawSection("Notes", c.Notes)
	next := schemas.ValueOrZero(c.Continuation)
	s.drawSection("Suggested Next", nonEmptyTexts(strings.Join(nonEmptyTexts(next.SuggestedNext, next.Reason), ": ")))
}

func deliverableLines(c *schemas.Completion) []string {
	var items []string
	for _, d := range c.Deliverables {
		items = append(items, nonEmptyTexts(strings.Join(nonEmptyTexts(d.Type, d.Description), ": "),
			countedFiles("Created", d.FilesCreated), countedFiles("Modified", d.FilesModified), countedFiles("Tests", d.TestsCreated))...)
	}
	return append(items, c.Outputs...)
}

// countedFiles returns the number of files and the names of the first files. It returns "" if there are no files.
func countedFiles(label string, files []string) string {
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s (%s)", label, schemas.CountNoun(len(files), "file"), firstNames(files))
}

// treeFacts returns the facts about the working tree that git showed. These facts are no claims of the holder.
func treeFacts(tree *schemas.Tree) []string {
	t := schemas.ValueOrZero(tree)
	return nonEmptyTexts(
		strings.Join(nonEmptyTexts(t.Path, withPrefix("branch ", t.Branch), withPrefix("commit ", t.Commit)), ", "),
		countedFiles("Changed since "+t.Since, t.Changed), countedFiles("In no commit", t.Uncommitted),
		withPrefix("What changed is not known: ", t.Unknown),
	)
}

func verificationLines(given *schemas.Verification) (items []string) {
	v := schemas.ValueOrZero(given)
	check := func(label string, passing *bool, more string) {
		result := ""
		if passing != nil {
			result = map[bool]string{true: "✓ Passing", false: "✗ Failing"}[*passing]
		}
		if said := strings.Join(nonEmptyTexts(result, more), ", "); said != "" {
			items = append(items, label+": "+said)
		}
	}
	counts := nonEmptyTexts(pluralCount(v.TestsPassed, "passed"), pluralCount(v.TestsFailed, "failed"))
	check("Tests", v.TestsPassing, strings.Join(counts, ", "))
	check("Types", v.TypeCheckPassing, "")
	check("Lint", v.LintPassing, "")
	for _, c := range v.Commands {
		mark := "✓"
		if c.ExitCode != 0 {
			mark = "✗"
		}
		items = append(items, fmt.Sprintf("%s %s, exit %d%s", mark, oneLine(c.Command), c.ExitCode, withPrefix("\n", c.Output)))
	}
	return items
}

func (s sheet) drawFailure(f *schemas.Failure) {
	s.drawSection("Failure", nonEmptyTexts(strings.Join(nonEmptyTexts(f.Failure.Type, f.Failure.Description), ": ")))
	var blockers []string
	for _, b := range f.Failure.Blockers {
		text := strings.Join(nonEmptyTexts(b.Type, b.Description), ": ")
		if b.RequiredToProceed {
			text += " (required to proceed)"
		}
		blockers = append(blockers, text)
	}
	s.drawSection("Blockers", blockers)
	progress, back := schemas.ValueOrZero(f.Failure.PartialProgress), schemas.ValueOrZero(f.RollbackRequest)
	s.drawSection("Done", progress.Completed)
	s.drawSection("Not Done", progress.Incomplete)
	s.drawSection("Rollback", nonEmptyTexts(strings.Join(nonEmptyTexts(string(back.TargetAgent), back.Reason), ": ")))
	s.drawSection("Questions", back.Questions)
	s.drawSection("Suggested Alternative", nonEmptyTexts(f.Alternative))
}

// pluralCount returns a number with its noun, or "" for 0.
func pluralCount(n int, of string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, of)
}
