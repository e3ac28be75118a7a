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

// Handoff draws one handoff from the view full: sender and recipient, status, context, expectations and results. End
// comes from [EndingEvent].
func Handoff(p *cli.Page, got schemas.GetOut, end *schemas.Event) {
	s := sheet{p}
	h, st, done, failed := *got.Handoff, *got.Standing, got.Completion, got.Failure
	s.line(s.Bold(s.Quote("Handoff "+h.ID.String()+prefixed(": ", oneLine(h.Title)), 0)))
	s.standing(h, st, end)
	if st.Status.Ended() && failed == nil {
		s.paragraph("Reason", st.Reason)
	}
	s.paragraph("Task", h.Task)
	s.section("Context Transferred", contextLines(h))
	s.section("Expectations", expectations(h.Expectations, done))
	s.completion(cmp.Or(done, &schemas.Completion{}))
	s.failure(cmp.Or(failed, &schemas.Failure{}))
	s.section("Open Questions", st.Questions)
	if st.Status == schemas.Waiting {
		s.paragraph("Said with the questions", st.Note)
	}
	s.section("Checkpoint", checkpoints(h, st, failed))
	drawLate(got.Late, func(label, text string) { s.paragraph(capital(label), text) })
}

func (s sheet) standing(h schemas.Handoff, st schemas.Standing, end *schemas.Event) {
	to := cmp.Or(string(h.Target.Agent), prefixed("capability:", h.Target.Capability), prefixed("role:", h.Target.Role))
	s.fact("From", fmt.Sprintf("%s → To: %s", oneLine(schemas.Sender(h.ByRule().String(), h.Source.Agent)), oneLine(to)))
	if st.Holder != "" && string(st.Holder) != to {
		s.fact("Holder", string(st.Holder))
	}
	s.line("Status: " + s.StateLabel(display.State{Status: st.Status, Outcome: st.Outcome, BlockedBy: st.BlockedBy, Reason: st.Reason}))
	if !st.Status.Ended() {
		s.fact("Why", st.Reason)
	}
	s.fact("Held back", st.Refused)
	s.fact("Last sign of life", suffixed(s.Ago(schemas.OrZero(st.LastSign)), " ago"))
	s.fact("Ended by", string(schemas.OrZero(end).Agent))
	s.fact("Accepted", suffixed(s.Ago(schemas.OrZero(st.AcceptedAt)), " ago"))
	switch {
	case st.Percent == 0 || st.Status.Ended():
	case st.Status == schemas.Waiting: // the note belongs to the questions
		s.fact("Progress", fmt.Sprintf("%d%%", st.Percent))
	default:
		s.fact("Progress", fmt.Sprintf("%d%% %s", st.Percent, st.Note))
	}
	s.fact(s.time(h, st))
	if st.Attempt > 1 {
		s.fact("Attempt", fmt.Sprint(st.Attempt))
	}
	s.fact("Blocked by", strings.Join(st.BlockedBy, ", "))
	s.fact("Followed by", st.Successor.String())
	s.fact("Workflow", string(h.Metadata.Workflow))
}

// time returns the duration of the work, or the age of a handoff that was never claimed.
func (s sheet) time(h schemas.Handoff, st schemas.Standing) (label, value string) {
	switch {
	case st.ClaimedAt != nil && st.EndedAt != nil:
		return "Duration", display.Duration(st.EndedAt.Sub(*st.ClaimedAt))
	case st.ClaimedAt != nil:
		return "Duration", suffixed(s.Ago(*st.ClaimedAt), " so far")
	}
	return "Sent", suffixed(s.Ago(h.Metadata.CreatedAt), " ago")
}

// checkpoints returns the checkpoint that this handoff ended with, and the checkpoint from which it began.
func checkpoints(h schemas.Handoff, st schemas.Standing, failed *schemas.Failure) []string {
	left, begun := schemas.OrZero(failed).CheckpointID, schemas.OrZero(h.Rollback).CheckpointID
	return slices.Compact(nonEmpty(st.Checkpoint, left, begun))
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
	c := schemas.OrZero(h.Context)
	add("Original request", c.OriginalRequest)
	for _, a := range c.Artifacts {
		add(capital(cmp.Or(a.Type, "artifact")), cmp.Or(a.Path, a.Content, a.Description))
	}
	add("Decisions", countedList(schemas.Map(c.Decisions, func(d schemas.Decision) string { return d.Decision })))
	add("Files", countedList(schemas.Map(c.Files, func(f schemas.File) string { return f.Path })))
	add("Done before", countedList(c.CompletedSteps))
	add("Known issues", countedList(c.KnownIssues))
	add("Previous failures", countedList(c.PreviousFailures))
	add("References", countedList(schemas.Map(c.References, func(r schemas.Reference) string { return r.URL })))
	project := schemas.OrZero(c.Project)
	add("Project", project.Name+prefixed(", branch ", project.Branch))
	add("Tech Stack", strings.Join(project.TechStack, ", "))
	return items
}

// expectations returns a line for each criterion: a box, which is ticked if the criterion was met, and the evidence.
func expectations(e *schemas.Expectations, done *schemas.Completion) []string {
	var items, criteria []string
	e = cmp.Or(e, &schemas.Expectations{})
	for _, d := range e.Deliverables {
		items = append(items, "Deliver "+strings.Join(nonEmpty(d.Type, d.Description, strings.Join(d.Files, ", ")), ": "))
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
			items = append(items, box+a.Criterion+" "+mark+prefixed(" ", oneLine(done.EvidenceText(a))))
		}
	}
	items = append(items, schemas.Map(criteria, func(text string) string { return "[ ] " + text })...)
	return append(items, schemas.Map(e.Constraints, func(text string) string { return "Constraint: " + text })...)
}

func (s sheet) completion(c *schemas.Completion) {
	s.paragraph("Result", c.Summary)
	s.section("Results", results(c))
	s.section("Deliverables", deliverables(c))
	s.section("Working Tree", treeFacts(c.Tree))
	s.section("Verification", verification(c.Verification))
	s.section("Notes", c.Notes)
	next := schemas.OrZero(c.Continuation)
	s.section("Suggested Next", nonEmpty(strings.Join(nonEmpty(next.SuggestedNext, next.Reason), ": ")))
}

func deliverables(c *schemas.Completion) []string {
	var items []string
	for _, d := range c.Deliverables {
		items = append(items, nonEmpty(strings.Join(nonEmpty(d.Type, d.Description), ": "),
			countedFiles("Created", d.FilesCreated), countedFiles("Modified", d.FilesModified), countedFiles("Tests", d.TestsCreated))...)
	}
	return append(items, c.Outputs...)
}

// countedFiles returns the number of files and the first names, or "" for none.
func countedFiles(label string, files []string) string {
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s (%s)", label, schemas.Counted(len(files), "file"), first(files))
}

// treeFacts returns the facts about the tree that git showed. The holder did not claim them.
func treeFacts(tree *schemas.Tree) []string {
	t := schemas.OrZero(tree)
	return nonEmpty(
		strings.Join(nonEmpty(t.Path, prefixed("branch ", t.Branch), prefixed("commit ", t.Commit)), ", "),
		countedFiles("Changed since "+t.Since, t.Changed), countedFiles("In no commit", t.Uncommitted),
		prefixed("What changed is not known: ", t.Unknown),
	)
}

func verification(given *schemas.Verification) (items []string) {
	v := schemas.OrZero(given)
	check := func(label string, passing *bool, more string) {
		result := ""
		if passing != nil {
			result = map[bool]string{true: "✓ Passing", false: "✗ Failing"}[*passing]
		}
		if said := strings.Join(nonEmpty(result, more), ", "); said != "" {
			items = append(items, label+": "+said)
		}
	}
	counts := nonEmpty(count(v.TestsPassed, "passed"), count(v.TestsFailed, "failed"))
	check("Tests", v.TestsPassing, strings.Join(counts, ", "))
	check("Types", v.TypeCheckPassing, "")
	check("Lint", v.LintPassing, "")
	for _, c := range v.Commands {
		mark := "✓"
		if c.ExitCode != 0 {
			mark = "✗"
		}
		items = append(items, fmt.Sprintf("%s %s, exit %d%s", mark, oneLine(c.Command), c.ExitCode, prefixed("\n", c.Output)))
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
	progress, back := schemas.OrZero(f.Failure.PartialProgress), schemas.OrZero(f.RollbackRequest)
	s.section("Done", progress.Completed)
	s.section("Not Done", progress.Incomplete)
	s.section("Rollback", nonEmpty(strings.Join(nonEmpty(string(back.TargetAgent), back.Reason), ": ")))
	s.section("Questions", back.Questions)
	s.section("Suggested Alternative", nonEmpty(f.Alternative))
}

// count returns a number with its noun, or "" for 0.
func count(n int, of string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, of)
}
