package brief

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/schemas"
)

// Limits for the extract of an earlier handoff's result in a brief. The model reads the whole result with get_handoff
// and the view outcome.
const (
	maxSummary = 1000 // bytes
	maxResult  = 300  // bytes of a value or a note
	maxStep    = 1200 // the same for a handoff of a rule: no agent chose what it needs to know
	maxListed  = 10   // values, notes, files
)

// resultsPart returns the part with the results of earlier handoffs that this handoff builds on. If the results do not
// fit, the first line of each result stays. The part belongs to the request, so the sender's transfer strategy never
// removes the part: the sender may not know these results.
func resultsPart(in Input, p pen) briefPart {
	all := briefPart{name: earlierResultsPart, section: ofContext, clipEach: true, foreign: true}
	for _, r := range in.Results {
		if review := in.Handoff.Review; review != nil && review.Of == r.HandoffID {
			r.Tree = nil // the task has the diff
		}
		if lines := in.resultLines(r, p); len(lines) > 0 {
			all.lines = append(all.lines, lines...)
			all.short = append(all.short, lines[0])
		}
	}
	return all
}

// resultLines returns the lines of one handoff's result: the results by name, the summary, the output, the data, the
// notes and the files. It omits a summary that another part of the brief shows. If content is left out, the last line
// has the call that returns the whole result. It returns nil if the brief shows the whole result elsewhere.
func (in Input) resultLines(r EarlierResult, p pen) []string {
	e := resultExcerpt{pen: p, most: maxResult, more: len(r.Detail)+len(r.Outputs) > 0 || len(r.Summary) > maxSummary}
	if in.Root.ID != 0 {
		if e.most = maxStep; r.NamesWork() && r.Results["branch"] == nil {
			e.addLine("Branch, by git: ", "", schemas.NonEmpty(schemas.ValueOrZero(r.Tree).Branch))
		}
	}
	named := e.limitTexts(nameValueTexts(r.Results, e.clipText))
	e.addCompletion(r.Completion)
	summary, of := r.Summary, r.HandoffID.String()
	earlier := slices.ContainsFunc(in.Ancestors, func(s schemas.HistoryStep) bool { return s.HandoffID == r.HandoffID })
	if !earlier && r.HandoffID != in.Handoff.Metadata.Parent { // the title of an earlier one stands in its line under ancestors
		of += fmt.Sprintf(", %s, %s by %s", p.oneLine(r.Title, 100), r.Status, p.oneLine(string(r.Source.Agent), 64))
	} else if in.showsSummary(r.Completion) {
		summary = ""
	}
	head := schemas.NonEmpty(strings.Join(named, ", "), p.oneLine(summary, maxSummary))
	if len(head)+len(e.texts) == 0 && !e.more {
		return nil
	}
	lines := []string{strings.TrimSpace(fmt.Sprintf("- Result of %s: %s", of, strings.Join(head, ". ")))}
	if lines = append(lines, p.bullets("  ", e.texts)...); e.more {
		lines = append(lines, "  - More from "+getHandoffCall(r.HandoffID, schemas.GetIn{View: "outcome"}))
	}
	return lines
}

// resultExcerpt collects the lines of a result below its first line.
type resultExcerpt struct {
	pen
	texts []string
	most  int  // bytes of a value or a note
	more  bool // the result has content that the excerpt omits
}

func (e *resultExcerpt) addCompletion(c schemas.Completion) {
	var text string
	switch {
	case json.Unmarshal(c.Output, &text) == nil:
		e.addLine("Output: ", "", []string{e.clipText(text)})
	case len(c.Output) > e.most:
		e.more = true
	case len(c.Output) > 0:
		e.addLine("Output: ", "", []string{e.oneLine(string(c.Output), e.most)})
	}
	e.addLine("Attention: ", "; ", schemas.Map(c.UnobservedReasons(), e.clipText))
	e.addLine("Data: ", ", ", nameValueTexts(c.Data, e.clipText))
	e.addLine("Notes: ", "; ", schemas.Map(c.Notes, e.clipText))
	e.addLine("Files: ", ", ", schemas.Unique(c.Files()))
	e.addLine("Changed since its claim, by git: ", ", ", schemas.ValueOrZero(c.Tree).Changed)
}

// addLine adds a line with the joined texts, if there are texts.
func (e *resultExcerpt) addLine(label, separator string, some []string) {
	if len(some) > 0 {
		e.texts = append(e.texts, label+strings.Join(e.limitTexts(some), separator))
	}
}

// limitTexts returns the first [maxListed] texts, and sets the field more if it drops texts.
func (e *resultExcerpt) limitTexts(some []string) []string {
	e.more = e.more || len(some) > maxListed
	return some[:min(len(some), maxListed)]
}

// clipText returns a value or a note on one line, and sets the field more if it shortens the text.
func (e *resultExcerpt) clipText(s string) string {
	e.more = e.more || len(s) > e.most
	return e.oneLine(s, e.most)
}

// showsSummary reports whether the brief already shows the summary of a result: as the summary of this handoff, or
// unshortened in the line of an earlier handoff.
func (in Input) showsSummary(c schemas.Completion) bool {
	return c.Summary == in.Handoff.Summary || slices.ContainsFunc(in.Ancestors, func(s schemas.HistoryStep) bool {
		return s.HandoffID == c.HandoffID && s.Reason == c.Summary && len(c.Summary) <= maxReason
	})
}

// nameValueTexts returns the names and values of a map in the order of the names.
func nameValueTexts[V any](m map[string]V, brief func(string) string) []string {
	return schemas.Map(slices.Sorted(maps.Keys(m)), func(key string) string { return brief(key) + " " + brief(schemas.ValueText(m[key])) })
}
