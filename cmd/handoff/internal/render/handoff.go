package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/schemas/display"
)

// DrawHandoff prints one handoff: sender and recipient, status, context, expectations and results. The parameter got
// must come from the view full, and the parameter end from [EndingEvent].
func DrawHandoff(p *cli.Page, got schemas.GetOut, end *schemas.Event) {
	s := sheet{p, got.Handoff.ID}
	h, st, done, failed := *got.Handoff, *got.Standing, got.Completion, got.Failure
	s.drawLine(s.Bold(s.Quote("Handoff "+h.ID.String()+withPrefix(": ", oneLine(h.Title)), 0)))
	s.drawStatus(h, st, end)
	if st.Status.HasEnded() && failed == nil {
		s.drawParagraph("Reason", st.Reason)
	}
	s.drawParagraph("Task", h.Task)
	s.drawParagraph("Detail", s.cut(h.Detail, "detail"))
	s.drawSection("Data", s.dataLines(h.Data, "data"))
	s.drawSection("Context Transferred", s.contextLines(h))
	s.drawSection("Expectations", s.criterionLines(h.Expectations, done))
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
	if h.Metadata.Priority != schemas.Normal {
		s.drawFact("Priority", string(h.Metadata.Priority))
	}
	s.drawFact("Deadline", cli.FormatTime(h.Metadata.Deadline))
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
func (s sheet) contextLines(h schemas.Handoff) []string {
	var items []string
	add := func(label, value string) {
		if value != "" {
			items = append(items, label+": "+value)
		}
	}
	add("Summary", s.cut(h.Summary, "summary"))
	c := schemas.ValueOrZero(h.Context)
	add("Original request", s.cut(c.OriginalRequest, "original_request"))
	for i, a := range c.Artifacts {
		part := fmt.Sprintf("artifacts/%d", i)
		add(capitalise(cmp.Or(oneLine(a.Type), "artifact")), s.cut(cmp.Or(a.Path, a.Content, a.Description), part))
	}
	add("Decisions", s.listed(schemas.Map(c.Decisions, func(d schemas.Decision) string { return d.Decision }), "decisions"))
	add("Files", s.listed(schemas.Map(c.Files, func(f schemas.File) string { return f.Path }), "files"))
	add("Done before", s.listed(c.CompletedSteps, "completed_steps"))
	add("Known issues", s.listed(c.KnownIssues, "known_issues"))
	add("Previous failures", s.listed(c.PreviousFailures, "previous_failures"))
	for _, r := range c.References {
		if r.IsKept() {
			r.URL = s.partCommand(r.Name)
		}
		add("Reference", strings.Join(nonEmptyTexts(oneLine(r.Name), oneLine(cmp.Or(r.URL, r.Path))), ": "))
	}
	project := schemas.ValueOrZero(c.Project)
	add("Project", oneLine(project.Name+withPrefix(", branch ", project.Branch)))
	add("Tech Stack", oneLine(strings.Join(project.TechStack, ", ")))
	return items
}

// criterionLines returns a line for each criterion and each check: a box, which is ticked if the criterion was met, and
// the evidence.
func (s sheet) criterionLines(e *schemas.Expectations, done *schemas.Completion) []string {
	var items []string
	e = cmp.Or(e, &schemas.Expectations{})
	for _, d := range e.Deliverables {
		items = append(items, "Deliver "+strings.Join(nonEmptyTexts(d.Type, d.Description, strings.Join(d.Files, ", ")), ": "))
	}
	if done == nil || len(done.Criteria) == 0 {
		done = &schemas.Completion{}
		items = append(items, schemas.Map(contract.NumberedCriteria(e), func(a schemas.AnsweredCriterion) string { return "[ ] " + a.Criterion })...)
	}
	for _, a := range done.Criteria {
		box, mark := "[ ] ", "✗"
		if a.IsMet() {
			box, mark = "[x] ", "✓"
		}
		items = append(items, box+a.Criterion+" "+mark+withPrefix(" ", s.cut(done.EvidenceText(a), "outcome/criteria")))
	}
	items = append(items, schemas.Map(e.Constraints, func(text string) string { return "Constraint: " + text })...)
	return append(items, nonEmptyTexts(withPrefix("Review by: ", oneLine(e.Review)), withPrefix("Output as: ", s.cut(compactJSON(e.OutputSchema), "output_schema")))...)
}

func (s sheet) drawCompletion(c *schemas.Completion) {
	s.drawParagraph("Result", c.Summary)
	s.drawParagraph("Result in Detail", s.cut(c.Detail, "outcome/detail"))
	s.drawSection("Result Data", s.dataLines(c.Data, "outcome/data"))
	s.drawParagraph("Output", s.cut(compactJSON(c.Output), "outcome/output"))
	s.drawSection("Results", resultLines(c))
	s.drawSection("Deliverables", deliverableLines(c))
	s.drawDelivered(c)
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

// deliveredText returns the branch and the commit that a completion delivered, or "" if neither is known. The commit in
// the results wins, because the completion may have been sent from another branch.
func deliveredText(c *schemas.Completion) string {
	branch, _ := c.Results["branch"].(string)
	if t := schemas.ValueOrZero(c.Tree); branch == "" && isSameCommit(t.Commit, c.Commit()) {
		branch = t.Branch
	}
	return strings.Join(nonEmptyTexts(withPrefix("branch ", oneLine(branch)), withPrefix("commit ", c.Commit())), ", ")
}

// isSameCommit reports whether two ids, of which either may be shortened, can be of one commit.
func isSameCommit(a, b string) bool {
	return a == b || a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// drawDelivered draws the delivered branch and commit, and what git showed about the working tree in which the work was
// completed. If this tree was at another commit, it draws the tree apart.
func (s sheet) drawDelivered(c *schemas.Completion) {
	t := schemas.ValueOrZero(c.Tree)
	facts := nonEmptyTexts(
		countedFiles("Changed since "+t.Since, t.Changed), countedFiles("In no commit", t.Uncommitted),
		withPrefix("What changed is not known: ", t.Unknown),
	)
	if isSameCommit(t.Commit, c.Commit()) {
		s.drawSection("Delivered", append(nonEmptyTexts(deliveredText(c), withPrefix("in ", t.Path)), facts...))
		return
	}
	s.drawSection("Delivered", nonEmptyTexts(deliveredText(c)+", as its holder says"))
	place := strings.Join(nonEmptyTexts(t.Path, withPrefix("branch ", t.Branch), withPrefix("commit ", t.Commit)), ", ")
	s.drawSection("Completed From", append(nonEmptyTexts(place), facts...))
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
