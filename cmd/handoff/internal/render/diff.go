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

	got   schemas.GetOut
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
	h, st, done := schemas.ValueOrZero(got.Handoff), schemas.ValueOrZero(got.Standing), got.Completion
	e := schemas.ValueOrZero(h.Expectations)
	came := cmp.Or(done, &schemas.Completion{})
	c := Comparison{
		HandoffID: got.HandoffID, Status: got.Status, Outcome: st.Outcome, Reason: st.Reason, Task: h.Task,
		Delivered: deliveredText(came), Summary: came.Summary, Criteria: came.Criteria, OutputSchema: e.OutputSchema, Output: came.Output,
		got: got, done: done, files: filesOfCompletion(came),
	}
	if len(c.Criteria) == 0 { // no criterion was answered
		c.Criteria = contract.NumberedCriteria(&e)
	}
	c.assignFiles(e.Deliverables)
	return c
}

// filesOfCompletion returns the files that a completion names, and the files that changed according to git.
func filesOfCompletion(done *schemas.Completion) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(schemas.ValueOrZero(done.Tree).Changed, done.Files()))))
}

// assignFiles gives each deliverable its delivered files.
func (c *Comparison) assignFiles(deliverables []schemas.Deliverable) {
	asked, left := false, c.files
	for _, d := range deliverables {
		one := Deliverable{Asked: joined(d.Type, d.Description, strings.Join(d.Files, ", "))}
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

// Draw prints the request with its result, the changes since the round before, and the changes by git.
func (c Comparison) Draw(p *cli.Page) {
	h := *c.got.Handoff
	h.Context, h.Detail, h.Data, h.Summary = nil, "", nil, ""
	c.got.Handoff = &h
	DrawHandoff(p, c.got, nil)
	s := sheet{p, c.HandoffID}
	if c.Since != nil {
		all := fmt.Sprintf("handoff diff %s %s --asked --json%s", c.Since.Of, s.id, s.Flags)
		s.drawLine("\n" + s.Bold(fmt.Sprintf("Since %s", c.Since.Of)))
		s.drawSection("New", s.criterionLines(c.Since.Points, c.done)...)
		s.drawSection("Changed", s.criterionLines(c.Since.Changed, c.done)...)
		s.drawSection("Files", s.listed("also: ", c.Since.Added, all), s.listed("no more: ", c.Since.Gone, all))
	}
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

// compactJSON writes JSON on one line, and other text unchanged.
func compactJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return oneLine(string(raw))
	}
	return oneLine(b.String())
}
