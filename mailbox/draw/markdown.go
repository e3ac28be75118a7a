package draw

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/schemas/display"
)

// Markdown draws a workflow as a page for a pull request: the overall result, each step (handoff) with its agent and
// status, each result with its checks, and the open points for a reviewer. Text of agents is escaped, so that it cannot
// add links or mentions. The page has the first steps, as many as the parameter shown says. The overall result counts
// all steps, and the last line says how many are shown and which command shows all.
func Markdown(workflow string, steps []schemas.HistoryStep, shown int) string {
	m := markdownPage{}
	title, completed := workflow, 0
	var open []string
	for i, s := range steps {
		if i == 0 {
			title = cmp.Or(s.Title, title)
		}
		if s.Status == schemas.Completed {
			completed++
		}
		if i < shown {
			open = append(open, openPoints(s, steps)...)
		}
	}
	m.writeLine("# %s", escapeMarkdown(title))
	m.writeLine("\n%d of %s completed, in workflow `%s`: %s.", completed, schemas.CountNoun(len(steps), "handoff"), workflow,
		escapeMarkdown(SumsText(*SumSteps(steps))))
	all := len(steps)
	steps = steps[:shown]
	m.writeLine("\n| Handoff | Who | What | Outcome | Time |\n|---|---|---|---|---|")
	for _, s := range steps {
		time := ""
		if s.Seconds > 0 {
			time = formatWorkTime(s.Seconds)
		}
		m.writeLine("| %s | %s → %s | %s | %s | %s |", s.HandoffID, escapeMarkdown(schemas.SenderLine(s.Rule, s.From)), escapeMarkdown(holderOrAddress(s)), escapeMarkdown(titleOf(s)),
			display.Style{}.StateLabel(displayState(s)), time)
	}
	for _, s := range steps {
		if s.Done != nil {
			m.writeResult(s)
		}
	}
	m.writeList("\n## Open points\n", open)
	if shown < all {
		m.writeLine("\n%d of %d shown: `handoff history %s --markdown --limit %d`", shown, all, workflow, min(all, schemas.MaxHistory))
	}
	return m.String()
}

// formatWorkTime formats a number of seconds as a duration.
func formatWorkTime(seconds int) string {
	return display.FormatDuration(time.Duration(seconds) * time.Second)
}

// markdownPage is a page under construction.
type markdownPage struct{ strings.Builder }

// writeLine writes a line. A text of an agent must not be part of the format, because it may contain a percent sign.
func (m *markdownPage) writeLine(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// writeList writes items below a heading, and nothing if there are none.
func (m *markdownPage) writeList(heading string, items []string) {
	for i, item := range items {
		if i == 0 {
			m.writeLine("%s", heading)
		}
		m.writeLine("- %s", item)
	}
}

// writeResult writes the result of one handoff.
func (m *markdownPage) writeResult(s schemas.HistoryStep) {
	c := s.Done
	m.writeLine("\n## %s: %s", s.HandoffID, escapeMarkdown(s.Title))
	m.writeLine("\n%s: %s", escapeMarkdown(holderOrAddress(s)), escapeMarkdown(c.Summary))
	var items []string
	for _, a := range c.Criteria {
		box := "[ ] "
		if a.IsMet() {
			box = "[x] "
		}
		items = append(items, box+appendReason(a.Criterion, c.EvidenceText(a)))
	}
	for _, cmd := range schemas.ValueOrZero(c.Verification).Commands {
		items = append(items, fmt.Sprintf("checked: %s, exit %d", escapeMarkdown(cmd.Command), cmd.ExitCode))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Results)) {
		items = append(items, escapeMarkdown(name)+": "+escapeMarkdown(schemas.ValueText(c.Results[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Data)) {
		items = append(items, escapeMarkdown("data "+name+": "+c.Data[name]))
	}
	if detail := escapeMarkdown(c.Detail); detail != "" {
		if strings.HasSuffix(detail, "…") {
			detail += fmt.Sprintf(" (`handoff show %s --part outcome/detail` has all)", s.HandoffID)
		}
		items = append(items, "detail: "+detail)
	}
	for _, made := range []struct{ what, counts string }{{"files", fileCounts(s)}, {"tests", testCounts(s)}} {
		if made.counts != "" {
			items = append(items, made.what+": "+made.counts)
		}
	}
	m.writeList("", items)
}

// openPoints returns the unfinished points of a step for a reviewer: unmet criteria, notes, open work and a failure. It
// omits a failure if another step repeats the failed work.
func openPoints(s schemas.HistoryStep, steps []schemas.HistoryStep) (points []string) {
	add := func(text string) { points = append(points, s.HandoffID.String()+": "+text) }
	if c := s.Done; c != nil && s.Status != schemas.Returned { // its rework lists the open points
		for _, a := range c.Criteria {
			if !a.IsMet() {
				add("not met: " + appendReason(a.Criterion, c.EvidenceText(a)))
			}
		}
		for _, note := range c.Notes {
			add(escapeMarkdown(note))
		}
	}
	again := slices.ContainsFunc(steps, func(o schemas.HistoryStep) bool {
		return o.RetryOf == s.HandoffID || o.ReworkOf == s.HandoffID || o.Parent == s.HandoffID && (s.RollbackTo != "" || o.From == schemas.System)
	})
	switch {
	case !s.Status.HasEnded():
		add(appendReason(s.Title+" is "+strings.ToLower(display.StateWord(displayState(s))), s.Reason))
	case s.Status != schemas.Completed && s.Status != schemas.Cancelled && !again:
		add(appendReason(s.Title+" "+strings.ToLower(display.StateWord(displayState(s))), s.Reason))
	}
	return points
}

// appendReason appends an explanation to a text.
func appendReason(text, why string) string {
	if why == "" {
		return escapeMarkdown(text)
	}
	return escapeMarkdown(text) + " (" + escapeMarkdown(why) + ")"
}

// titleOf returns the title of a step. If the step repeats another step, the title ends with the id of that step.
func titleOf(s schemas.HistoryStep) string {
	switch {
	case s.RetryOf != 0:
		return s.Title + " (retry of " + s.RetryOf.String() + ")"
	case s.ReworkOf != 0:
		return s.Title + " (rework of " + s.ReworkOf.String() + ")"
	}
	return s.Title
}

// markdownEscapes escapes the characters that have a meaning in Markdown or on sites such as GitHub, for example @ in a
// mention.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "~", `\~`,
	"#", `\#`, "@", "&#64;", "&", "&amp;", "!", `\!`, "://", "&#58;//",
)

// escapeMarkdown escapes text of an agent and puts it on one line of at most 600 columns.
func escapeMarkdown(written string) string {
	return markdownEscapes.Replace(display.FitOneLine(written, 600))
}
