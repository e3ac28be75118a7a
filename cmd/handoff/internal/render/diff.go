package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/contract"
	"handoff/schemas"
)

// Comparison compares the expectations of a handoff with its results, and with the results of the previous round.
type Comparison struct {
	HandoffID    schemas.ID                  `json:"handoff_id"`
	Status       schemas.Status              `json:"status"`
	Outcome      schemas.Outcome             `json:"outcome,omitempty"`
	Reason       string                      `json:"reason,omitempty"`
	Task         string                      `json:"task"`
	Summary      string                      `json:"summary,omitempty"`
	Criteria     []schemas.AnsweredCriterion `json:"criteria,omitempty"`
	Deliverables []Deliverable               `json:"deliverables,omitempty"`
	Unasked      []string                    `json:"unasked_files,omitempty"` // files that no deliverable names
	OutputSchema json.RawMessage             `json:"output_schema,omitempty"`
	Output       json.RawMessage             `json:"output,omitempty"`
	Since        *RoundChanges               `json:"since,omitempty"`
	Delivered    string                      `json:"delivered,omitempty"` // branch and commit
	Base         string                      `json:"base,omitempty"`      // commit before the changes
	Changes      string                      `json:"changes,omitempty"`   // patch, or numbers of lines, by git

	done  *schemas.Completion
	files []string
}

// Deliverable is an expected deliverable, with its delivered files.
type Deliverable struct {
	Asked   string   `json:"asked"`
	Files   []string `json:"files,omitempty"`
	Missing []string `json:"missing,omitempty"` // paths or globs without a file
}

// RoundChanges holds the changes since the previous round: the points of the new round, earlier criteria whose answer
// changed, and files.
type RoundChanges struct {
	Of      schemas.ID                  `json:"handoff_id"`
	Points  []schemas.AnsweredCriterion `json:"points,omitempty"`
	Changed []schemas.AnsweredCriterion `json:"changed,omitempty"` // with the new answer
	Added   []string                    `json:"files_added,omitempty"`
	Gone    []string                    `json:"files_gone,omitempty"`
}

// Compare compares a handoff with the previous round of its work. The parameter got must come from the view full. The
// parameter before is nil if there was no previous round.
func Compare(got schemas.GetOut, before *schemas.GetOut) Comparison {
	c := newComparison(got)
	if before == nil {
		return c
	}
	was := newComparison(*before)
	since := RoundChanges{
		Of: before.HandoffID, Added: withoutNames(c.files, was.files...), Gone: withoutNames(was.files, c.files...),
	}
	for _, a := range c.Criteria {
		i := slices.IndexFunc(was.Criteria, func(b schemas.AnsweredCriterion) bool { return b.Criterion == a.Criterion })
		switch {
		case i < 0:
			since.Points = append(since.Points, a)
		case was.done != nil && c.done != nil && was.Criteria[i].IsMet() != a.IsMet():
			since.Changed = append(since.Changed, a)
		}
	}
	c.Since = &since
	return c
}

func newComparison(got schemas.GetOut) Comparison {
	h, done := got.Handoff, got.Completion
	e := schemas.ValueOrZero(h.Expectations)
	came := cmp.Or(done, &schemas.Completion{})
	c := Comparison{
		HandoffID: got.HandoffID, Status: got.Status, Outcome: got.Standing.Outcome, Reason: got.Standing.Reason, Task: h.Task,
		Delivered: deliveredText(came), Summary: came.Summary, Criteria: came.Criteria, OutputSchema: e.OutputSchema, Output: came.Output,
		done: done, files: filesOfCompletion(came),
	}
	if len(c.Criteria) == 0 { // no criterion was answered
		c.Criteria = contract.NumberedCriteria(&e)
	}
	c.assignFiles(e.Deliverables)
	return c
}

// filesOfCompletion returns the files that a completion names, and the files that changed according to git.
func filesOfCompletion(done *schemas.Completion) []string {
	files := slices.Concat(schemas.ValueOrZero(done.Tree).Changed, done.Files())
	slices.Sort(files)
	return slices.Compact(files)
}

// assignFiles gives each deliverable its delivered files.
func (c *Comparison) assignFiles(deliverables []schemas.Deliverable) {
	asked, left := false, c.files
	for _, d := range deliverables {
		one := Deliverable{Asked: strings.Join(nonEmptyTexts(d.Type, d.Description, strings.Join(d.Files, ", ")), ": ")}
		for _, glob := range d.Files {
			asked = true
			came := slices.DeleteFunc(slices.Clone(c.files), func(file string) bool { return !matchesGlob(glob, file) })
			if one.Files = append(one.Files, came...); len(came) == 0 {
				one.Missing = append(one.Missing, glob)
			}
		}
		left = withoutNames(left, one.Files...)
		c.Deliverables = append(c.Deliverables, one)
	}
	if asked {
		c.Unasked = left
	}
}

// matchesGlob reports whether a file matches a path or a glob. In a glob, ** matches all files below a directory.
func matchesGlob(glob, file string) bool {
	glob, file = strings.TrimPrefix(glob, "/"), strings.TrimPrefix(file, "/")
	if dir, below, deep := strings.Cut(glob, "**"); deep {
		ok, err := path.Match(strings.TrimPrefix(below, "/"), path.Base(file))
		return strings.HasPrefix(file, dir) && (ok && err == nil || strings.Trim(below, "/*") == "")
	}
	ok, err := path.Match(glob, file)
	return ok && err == nil || glob == file
}

// withoutNames returns the list without the others.
func withoutNames(list []string, others ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// Draw prints the comparison: each expectation with its result.
func (c Comparison) Draw(p *cli.Page) {
	s := sheet{p, c.HandoffID}
	s.drawLine(s.Bold(c.HandoffID.String()) + " " + s.ColourStatus(c.Status) + withPrefix(", ", string(c.Outcome)))
	s.drawFact("Reason", c.Reason)
	s.drawFact("Asked", c.Task)
	s.drawFact("Result", c.Summary)
	s.drawAnswers("Criteria", c.Criteria, c.done)
	var items []string
	for _, d := range c.Deliverables {
		text := d.Asked + withPrefix(" → ", countedList(d.Files))
		if c.done != nil {
			text += withPrefix("; missing: ", strings.Join(d.Missing, ", "))
		}
		items = append(items, text)
	}
	s.drawSection("Deliverables", append(items, nonEmptyTexts(withPrefix("not asked for: ", countedList(c.Unasked)))...))
	if c.Deliverables == nil {
		s.drawSection("Files", nonEmptyTexts(countedList(c.files)))
	}
	if len(c.OutputSchema) > 0 {
		s.drawSection("Output", nonEmptyTexts("asked: "+compactJSON(c.OutputSchema), withPrefix("given: ", compactJSON(c.Output))))
	}
	s.drawDelivered(cmp.Or(c.done, &schemas.Completion{}))
	s.drawSince(c)
	switch {
	case c.Base != "" && c.Changes == "":
		s.drawLine("\nNo commit changed anything since " + c.Base)
	case c.Base != "":
		s.drawLine("\n" + s.Bold("Changes") + " since " + c.Base + "\n")
		s.drawChanges(c.Changes)
	}
}

// drawChanges draws a patch. For a terminal it paints the lines, and makes their control characters visible. Other
// programs get the patch as git wrote it.
func (s sheet) drawChanges(patch string) {
	if !s.Terminal {
		s.WriteString(patch)
		return
	}
	for line := range strings.Lines(schemas.EscapeHidden(patch)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			line = s.Bold(line)
		case strings.HasPrefix(line, "+"):
			line = s.Green(line)
		case strings.HasPrefix(line, "-"):
			line = s.Red(line)
		case strings.HasPrefix(line, "@@"):
			line = s.Faint(line)
		}
		s.WriteString(line + "\n")
	}
}

// drawSince draws the changes since the previous round, if there was one.
func (s sheet) drawSince(c Comparison) {
	if c.Since == nil {
		return
	}
	s.drawLine("\n" + s.Bold(fmt.Sprintf("Since %s", c.Since.Of)))
	s.drawAnswers("New", c.Since.Points, c.done)
	s.drawAnswers("Changed", c.Since.Changed, c.done)
	s.drawSection("Files", nonEmptyTexts(withPrefix("also: ", countedList(c.Since.Added)), withPrefix("no more: ", countedList(c.Since.Gone))))
}

// drawAnswers draws criteria, with their answers if there is a completion.
func (s sheet) drawAnswers(heading string, all []schemas.AnsweredCriterion, done *schemas.Completion) {
	for i, a := range all {
		if i == 0 {
			s.drawLine("\n" + s.Bold(heading))
		}
		if done == nil {
			s.drawLine(fmt.Sprintf("  %d. %s", a.Number, s.Quote(oneLine(a.Criterion), 5)))
			continue
		}
		s.AddCriterion(a.IsMet(), a.Number, oneLine(a.Criterion), oneLine(done.EvidenceText(a)))
	}
}

// compactJSON writes JSON on one line, and other text unchanged.
func compactJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return oneLine(string(raw))
	}
	return oneLine(b.String())
}
