package render

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/schemas/display"
)

// DrawHandoff prints one handoff: sender and recipient, status, context, expectations and results. From the view
// outcome it prints only the status and the results. The parameter end comes from [EndingEvent].
func DrawHandoff(p *cli.Page, got schemas.GetOut, end *schemas.Event) {
	s := sheet{p, got.HandoffID}
	h, st := schemas.ValueOrZero(got.Handoff), schemas.ValueOrZero(got.Standing)
	done, failed := cmp.Or(got.Completion, &schemas.Completion{}), cmp.Or(got.Failure, &schemas.Failure{})
	st.Status, st.Outcome = cmp.Or(st.Status, got.Status), cmp.Or(st.Outcome, done.Status)
	st.Holder = cmp.Or(st.Holder, done.Source.Agent, failed.Source.Agent)
	s.drawLine(s.Bold(s.Quote("Handoff "+s.id.String()+schemas.WithPrefix(": ", oneLine(h.Title)), 0)))
	s.drawStatus(h, st, end)
	if st.Status.HasEnded() && got.Failure == nil {
		s.drawParagraph("Reason", st.Reason)
	}
	s.drawParagraph("Task", h.Task)
	s.drawParagraph("Detail", s.cut(h.Detail, s.part("detail")))
	s.drawSection("Data", s.dataLines(h.Data, "data")...)
	s.drawSection("Context Transferred", s.contextLines(h)...)
	s.drawSection("Expectations", s.expectationLines(newComparison(got), schemas.ValueOrZero(h.Expectations))...)
	s.drawCompletion(done)
	s.drawFailure(failed)
	s.drawSection("Open Questions", st.Questions...)
	if st.Status == schemas.Waiting {
		s.drawParagraph("Said with the questions", st.Note)
	}
	left, begun := failed.CheckpointID, schemas.ValueOrZero(h.Rollback).CheckpointID
	s.drawSection("Checkpoint", schemas.NonEmpty(cmp.Or(left, st.Checkpoint), begun)...)
	s.drawLateResults(got.Late)
	s.drawSection("Messages Among the Last Events", schemas.Map(got.Events, func(e schemas.HistoryEvent) string {
		return fmt.Sprintf("%s, %s ago, %s", e.Agent, s.FormatAge(e.At), s.cut(e.Text, s.part(fmt.Sprintf("events/%d/task", e.N))))
	})...)
}

func (s sheet) drawStatus(h schemas.Handoff, st schemas.HandoffState, end *schemas.Event) {
	to := string(h.Target.Address())
	if h.Source.Agent != "" {
		s.drawFact("From", fmt.Sprintf("%s → To: %s", oneLine(schemas.SenderLine(h.ByRule().String(), h.Source.Agent)), oneLine(to)))
	}
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
	if st.Status == schemas.Pending {
		s.drawFact("Not before", cli.FormatTime(h.Metadata.NotBefore))
	}
	s.drawFact("Last sign of life", withSuffix(s.FormatAge(schemas.ValueOrZero(st.LastSign)), " ago"))
	s.drawFact("Ended by", string(schemas.ValueOrZero(end).Agent))
	s.drawFact("Accepted", withSuffix(s.FormatAge(schemas.ValueOrZero(st.AcceptedAt)), " ago"))
	if st.Status == schemas.Waiting { // the note belongs to the questions
		st.Note = ""
	}
	if !st.Status.HasEnded() && (st.Percent > 0 || st.Holder != "") {
		s.drawFact("Progress", strings.TrimPrefix(fmt.Sprintf("%d%% %s", st.Percent, st.Note), "0% "))
	}
	s.drawFact(s.timeFact(h, st))
	if st.Attempt > 1 {
		s.drawFact("Attempt", fmt.Sprint(st.Attempt))
	}
	s.drawFact("Blocked by", strings.Join(st.BlockedBy, ", "))
	s.drawFact("Followed by", st.Successor.String())
	s.drawFact("Workflow", string(h.Metadata.Workflow))
}

// timeFact returns the duration of the work. For an open handoff that nobody holds it returns the age of the handoff.
func (s sheet) timeFact(h schemas.Handoff, st schemas.HandoffState) (label, value string) {
	switch {
	case st.ClaimedAt != nil && st.EndedAt != nil:
		return "Duration", display.FormatDuration(st.EndedAt.Sub(*st.ClaimedAt))
	case st.ClaimedAt != nil && st.Status.IsHeld():
		return "Duration", withSuffix(s.FormatAge(*st.ClaimedAt), " so far")
	}
	return "Sent", withSuffix(s.FormatAge(h.Metadata.CreatedAt), " ago")
}

// contextLines returns one line for each kind of context, shortened.
func (s sheet) contextLines(h schemas.Handoff) []string {
	c := schemas.ValueOrZero(h.Context)
	items := []string{
		schemas.WithPrefix("Summary: ", s.cut(h.Summary, s.part("summary"))),
		schemas.WithPrefix("Original request: ", s.cut(c.OriginalRequest, s.part("original_request"))),
	}
	for i, a := range c.Artifacts {
		text := s.cut(cmp.Or(a.Path, a.Content, a.Description), s.part(fmt.Sprintf("artifacts/%d", i)))
		items = append(items, schemas.WithPrefix(capitalise(cmp.Or(oneLine(a.Type), "artifact"))+": ", text))
	}
	items = append(items,
		s.listed("Decisions: ", schemas.Map(c.Decisions, func(d schemas.Decision) string { return d.Decision }), s.part("decisions")),
		s.listed("Files: ", schemas.Map(c.Files, func(f schemas.File) string { return f.Path }), s.part("files")),
		s.listed("Done before: ", c.CompletedSteps, s.part("completed_steps")),
		s.listed("Known issues: ", c.KnownIssues, s.part("known_issues")),
		s.listed("Previous failures: ", c.PreviousFailures, s.part("previous_failures")),
	)
	for _, r := range c.References {
		if r.IsKept() {
			r.URL = s.part(r.Name)
		}
		items = append(items, "Reference: "+joined(oneLine(r.Name), oneLine(cmp.Or(r.URL, r.Path))))
	}
	project := schemas.ValueOrZero(c.Project)
	return append(items, schemas.WithPrefix("Project: ", oneLine(project.Name+schemas.WithPrefix(", branch ", project.Branch))),
		schemas.WithPrefix("Tech Stack: ", oneLine(strings.Join(project.TechStack, ", "))))
}

// expectationLines returns a line for each deliverable with its files, for each criterion, and for each other
// expectation.
func (s sheet) expectationLines(c Comparison, e schemas.Expectations) []string {
	var items []string
	all := fmt.Sprintf("handoff diff %s --asked --json%s", s.id, s.Flags)
	for _, d := range c.Deliverables {
		text := cmp.Or(s.listed("Deliver "+d.Asked+" → ", d.Files, all), "Deliver "+d.Asked)
		if c.done != nil {
			text += schemas.WithPrefix("; missing: ", strings.Join(d.Missing, ", "))
		}
		items = append(items, text)
	}
	items = append(append(items, s.listed("Not asked for: ", c.Unasked, all)), s.criterionLines(c.Criteria, c.done)...)
	items = append(items, schemas.Map(e.Constraints, func(text string) string { return "Constraint: " + text })...)
	return append(items, schemas.WithPrefix("Review by: ", oneLine(e.Review)),
		schemas.WithPrefix("Output as: ", s.cut(compactJSON(e.OutputSchema), s.part("output_schema"))))
}

// criterionLines returns a line for each criterion and each check: a box, which is ticked if the criterion was met, and
// the evidence.
func (s sheet) criterionLines(all []schemas.AnsweredCriterion, done *schemas.Completion) []string {
	return schemas.Map(all, func(a schemas.AnsweredCriterion) string {
		if done == nil || len(done.Criteria) == 0 {
			return "[ ] " + a.Criterion
		}
		evidence := schemas.WithPrefix(" ", s.cut(done.EvidenceText(a), s.part("outcome/criteria")))
		if a.IsMet() {
			return "[x] " + a.Criterion + " ✓" + evidence
		}
		return "[ ] " + a.Criterion + " ✗" + evidence
	})
}

func (s sheet) drawCompletion(c *schemas.Completion) {
	s.drawParagraph("Result", c.Summary)
	s.drawParagraph("Result in Detail", s.cut(c.Detail, s.part("outcome/detail")))
	s.drawSection("Result Data", s.dataLines(c.Data, "outcome/data")...)
	s.drawParagraph("Output", s.cut(compactJSON(c.Output), s.part("outcome/output")))
	s.drawSection("Results", resultLines(c.Results)...)
	s.drawSection("Deliverables", s.deliverableLines(c)...)
	s.drawDelivered(c)
	s.drawSection("Verification", verificationLines(c.Verification)...)
	s.drawSection("Notes", c.Notes...)
	next := schemas.ValueOrZero(c.Continuation)
	s.drawSection("Suggested Next", append(schemas.Map(c.Suggested, schemas.RoutingCandidate.String), joined(next.SuggestedNext, next.Reason))...)
}

func (s sheet) deliverableLines(c *schemas.Completion) []string {
	var items []string
	all := s.part("outcome/deliverables")
	for _, d := range c.Deliverables {
		items = append(items, joined(d.Type, d.Description),
			s.listed("Created: ", d.FilesCreated, all), s.listed("Modified: ", d.FilesModified, all), s.listed("Tests: ", d.TestsCreated, all))
	}
	return append(items, c.Outputs...)
}

// deliveredText returns the branch and the commit that a completion delivered, or "" if neither is known. The commit in
// the results wins, because the completion may have been sent from another branch.
func deliveredText(c *schemas.Completion) string {
	branch, _ := c.Results["branch"].(string)
	if t := schemas.ValueOrZero(c.Tree); branch == "" && isSameCommit(t.Commit, c.Commit()) {
		branch = t.Branch
	}
	return strings.Join(schemas.NonEmpty(schemas.WithPrefix("branch ", oneLine(branch)), schemas.WithPrefix("commit ", c.Commit())), ", ")
}

// isSameCommit reports whether two ids, of which either may be shortened, can be of one commit.
func isSameCommit(a, b string) bool {
	return a == b || a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// drawDelivered draws the delivered branch and commit, and what git showed about the working tree in which the work was
// completed. If this tree was at another commit, it says so.
func (s sheet) drawDelivered(c *schemas.Completion) {
	t := schemas.ValueOrZero(c.Tree)
	delivered, place := deliveredText(c), schemas.WithPrefix("in ", t.Path)
	isTrimmed := c.HandoffID == 0 && t.Commit == "" // by the view outcome
	if !isSameCommit(t.Commit, c.Commit()) && !isTrimmed {
		delivered += ", as its holder says"
		tree := schemas.NonEmpty(t.Path, schemas.WithPrefix("branch ", t.Branch), schemas.WithPrefix("commit ", t.Commit))
		place = schemas.WithPrefix("completed from ", strings.Join(tree, ", "))
	}
	s.drawSection("Delivered", delivered, place,
		s.listed("Changed since "+cmp.Or(t.Since, "its claim")+": ", t.Changed, s.part("outcome/tree/changed")),
		s.listed("In no commit: ", t.Uncommitted, s.part("outcome/tree/uncommitted")),
		schemas.WithPrefix("What changed is not known: ", t.Unknown))
}

func verificationLines(given *schemas.Verification) (items []string) {
	v := schemas.ValueOrZero(given)
	check := func(label string, passing *bool, more string) {
		result := ""
		if passing != nil {
			result = map[bool]string{true: "✓ Passing", false: "✗ Failing"}[*passing]
		}
		items = append(items, schemas.WithPrefix(label+": ", strings.Join(schemas.NonEmpty(result, more), ", ")))
	}
	counts := schemas.NonEmpty(pluralCount(v.TestsPassed, "passed"), pluralCount(v.TestsFailed, "failed"))
	check("Tests", v.TestsPassing, strings.Join(counts, ", "))
	check("Types", v.TypeCheckPassing, "")
	check("Lint", v.LintPassing, "")
	for _, c := range v.Commands {
		mark := "✓"
		if c.ExitCode != 0 {
			mark = "✗"
		}
		items = append(items, fmt.Sprintf("%s %s, exit %d%s", mark, oneLine(c.Command), c.ExitCode, schemas.WithPrefix("\n", c.Output)))
	}
	return items
}

func (s sheet) drawFailure(f *schemas.Failure) {
	kind := f.Failure.Type
	if f.TypeComputed {
		kind += " (computed)"
	}
	s.drawSection("Failure", joined(kind, f.Failure.Description))
	s.drawSection("Blockers", schemas.Map(f.Failure.Blockers, func(b schemas.Blocker) string {
		if b.RequiredToProceed {
			b.Description += " (required to proceed)"
		}
		return joined(b.Type, b.Description)
	})...)
	progress, back := schemas.ValueOrZero(f.Failure.PartialProgress), schemas.ValueOrZero(f.RollbackRequest)
	s.drawSection("Done", progress.Completed...)
	s.drawSection("Not Done", progress.Incomplete...)
	s.drawSection("To Reproduce", f.Failure.ReproductionSteps...)
	s.drawSection("Test Results", resultLines(f.Failure.Results)...)
	s.drawSection("Logs", f.Failure.Detail)
	s.drawSection("Rollback", joined(string(back.TargetAgent), back.Reason))
	s.drawSection("Questions", back.Questions...)
	s.drawSection("Suggested Alternative", f.AlternativeText())
}

// pluralCount returns a number with its noun, or "" for 0.
func pluralCount(n int, of string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, of)
}
