// Package draw draws the handoffs of a workflow for people. [Tree] draws them as text for a terminal, [Mermaid] as a
// chart for documents, and [Markdown] as a page for pull requests. Text of agents is escaped, so that it cannot add
// anything to the picture. All functions are pure.
package draw

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/schemas/display"
)

// agentColumns is the width of the line with an agent's name. It is the same for all agents, so that the arrows end in
// the same column.
const agentColumns = 32 // columns of the line after an agent's name

// Tree draws the handoffs of a workflow from top to bottom. Each handoff is below its parent, or below the handoff that
// it retries. Several children of a handoff are indented branches. A handoff whose parent is not among the steps begins
// a separate picture.
//
// The heading has the title, if there is one, and the name of the workflow. No line is wider than the style allows.
// Deeply nested branches are an exception, because their text needs 24 columns.
func Tree(workflow, title string, steps []schemas.HistoryStep, style display.Style) string {
	d := treeDrawing{Style: style, width: max(cmp.Or(style.Width, 80), 40), children: groupByParent(steps)}
	const label = "Handoff Chain: "
	name := display.FitOneLine(workflow, 70)
	if title != "" {
		name = " (" + name + ")"
		name = display.FitOneLine(title, max(d.width-display.CountColumns(label+name), 20)) + name
	}
	d.writeLine(style.Bold(display.Clip(label+name, d.width)))
	for _, root := range d.children[0] {
		d.writeLine("")
		d.drawStep(root, "", "")
	}
	return d.String()
}

// groupByParent groups the steps. The key of a group is the handoff above its steps in the picture: the retried handoff
// or the parent. Each group is in the order of sends. Steps that begin a picture are in the group 0. Each step is in
// exactly one group, even if steps contains it twice.
func groupByParent(steps []schemas.HistoryStep) map[schemas.ID][]schemas.HistoryStep {
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b schemas.HistoryStep) int { return cmp.Compare(a.HandoffID, b.HandoffID) })
	seen := map[schemas.ID]bool{}
	grouped := map[schemas.ID][]schemas.HistoryStep{}
	for _, s := range steps {
		if seen[s.HandoffID] {
			continue
		}
		above := cmp.Or(s.RetryOf, s.Parent)
		if !seen[above] { // not among the steps, or with a higher number, which no real parent has
			above = 0
		}
		seen[s.HandoffID] = true
		grouped[above] = append(grouped[above], s)
	}
	return grouped
}

// treeDrawing is a picture under construction.
type treeDrawing struct {
	display.Style
	strings.Builder
	width    int // columns
	children map[schemas.ID][]schemas.HistoryStep
}

// writeLine writes a line without blanks at its end.
func (d *treeDrawing) writeLine(text string) {
	d.WriteString(strings.TrimRight(text, " ") + "\n")
}

// drawStep draws one handoff and all its descendants. The first line begins with head, the others with margin. It draws
// a single child in a loop and several children by recursion, so only branches make the recursion deeper.
func (d *treeDrawing) drawStep(s schemas.HistoryStep, head, margin string) {
	for {
		d.drawAgent(s, head)
		stem := margin + "    │"
		d.writeLine(stem)
		for _, text := range d.stepLines(s, d.width-display.CountColumns(stem)-1) {
			d.writeLine(stem + " " + text)
		}
		next := d.children[s.HandoffID]
		if len(next) != 1 {
			d.drawBranches(next, margin)
			return
		}
		d.writeLine(margin + "    ▼")
		s, head = next[0], margin
	}
}

// drawAgent draws the line with the names of the sender and the holder.
func (d *treeDrawing) drawAgent(s schemas.HistoryStep, head string) {
	name := display.FitOneLine(holderOrAddress(s), 40)
	if s.From != "" && string(s.From) != holderOrAddress(s) {
		name = display.FitOneLine(schemas.SenderLine(s.Rule, s.From), 40) + " → " + name
	}
	fill := min(agentColumns, d.width) - display.CountColumns(head) - display.CountColumns(name) - 2
	d.writeLine(head + d.Bold(name) + " " + strings.Repeat("─", max(fill, 4)) + "▶")
}

// drawBranches draws several children of one handoff, or none.
func (d *treeDrawing) drawBranches(next []schemas.HistoryStep, margin string) {
	for i, s := range next {
		d.writeLine(margin + "    │")
		if i < len(next)-1 {
			d.drawStep(s, margin+"    ├─▶ ", margin+"    │   ")
		} else {
			d.drawStep(s, margin+"    └─▶ ", margin+"        ")
		}
	}
}

// holderOrAddress returns the holder of a handoff, or its address while it is unclaimed.
func holderOrAddress(s schemas.HistoryStep) string {
	return cmp.Or(string(s.Holder), string(s.To))
}

// displayState returns the state of a step for package display.
func displayState(s schemas.HistoryStep) display.StateFacts {
	return display.StateFacts{Status: s.Status, Outcome: s.Outcome, BlockedBy: s.BlockedBy, Reason: s.Reason}
}

// stepLines returns the lines below the name of a handoff: its id, title, status and so on. It omits facts that the
// step does not have. width is the number of columns for these lines, at least 24.
func (d *treeDrawing) stepLines(s schemas.HistoryStep, width int) []string {
	width = max(width, 24)
	title := fmt.Sprintf("%s: %s", s.HandoffID, s.Title)
	if s.RetryOf != 0 {
		title = fmt.Sprintf("%s (retry of %s): %s", s.HandoffID, s.RetryOf, s.Title)
	}
	lines := append(wrapText(title, width), "Status: "+d.StateLabel(displayState(s)))
	add := func(label, value string) {
		if value != "" {
			lines = append(lines, wrapText(label+": "+schemas.Shorten(value, maxMoment), width)...)
		}
	}
	add("After", strings.Join(schemas.FormatAll(s.After), ", "))
	if s.Attempt > 1 {
		add("Attempt", fmt.Sprint(s.Attempt))
	}
	add(d.timeLine(s))
	if s.Earlier > 0 {
		lines = append(lines, fmt.Sprintf("- %d earlier", s.Earlier))
	}
	for _, m := range s.Story {
		lines = append(lines, wrapText("- "+momentText(m), width)...)
	}
	add("Files", fileCounts(s))
	add("Tests", testCounts(s))
	add("Criteria", countText(s.Unmet, "unmet"))
	add("Git", strings.Join(s.Trees, "; "))
	add("Attention", strings.Join(s.Unseen, "; "))
	for _, name := range slices.Sorted(maps.Keys(s.Results)) {
		add(display.FitOneLine(name, 30), schemas.ValueText(s.Results[name]))
	}
	add("Waits for", strings.Join(s.BlockedBy, ", "))
	add("Summary", s.Summary)
	add("Reason", s.Reason)
	if s.RollbackTo != "" {
		lines = append(lines, "", display.FitOneLine("[ROLLBACK to "+string(s.RollbackTo)+"]", width))
	}
	return lines
}

// timeLine returns the time for which agents have worked on a handoff, with the time that the handoff waited. For a
// handoff that no agent has claimed, it returns the time since the send.
func (d *treeDrawing) timeLine(s schemas.HistoryStep) (label, value string) {
	worked, waited := time.Duration(s.Seconds)*time.Second, time.Duration(s.Waited)*time.Second
	value = display.FormatDuration(worked)
	if waited > 0 {
		value += ", and " + display.FormatDuration(waited) + " waiting"
	}
	switch {
	case s.Status == schemas.Completed, s.Status.HasEnded() && worked+waited > 0:
		return "Duration", value
	case s.Status.HasEnded():
	case worked+waited > 0:
		return "Duration", value + " so far"
	case d.FormatAge(s.SentAt) != "":
		return "Sent", d.FormatAge(s.SentAt) + " ago"
	}
	return "", ""
}

// fileCounts counts the files of a step. It returns "" if there are none.
func fileCounts(s schemas.HistoryStep) string {
	return countText(s.FilesCreated, "created", s.FilesModified, "modified")
}

// testCounts returns the numbers of passed, failed and new tests in the result of a step, such as "3 passed, 1 failed".
// It returns "not passing" if the result says only that tests fail, and "" if the result does not mention tests.
func testCounts(s schemas.HistoryStep) string {
	text := countText(s.TestsPassed, "passed", s.TestsFailed, "failed", s.TestsCreated, "created")
	if s.Done == nil || s.Done.Verification == nil || s.TestsFailed > 0 {
		return text
	}
	if passing := s.Done.Verification.TestsPassing; passing != nil && !*passing {
		text = strings.TrimPrefix(text+", not passing", ", ")
	}
	return text
}

// countText returns a text such as "3 passed, 1 failed". pairs has a number and its word in turn. Zeros are omitted.
func countText(pairs ...any) string {
	var texts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != 0 {
			texts = append(texts, fmt.Sprintf("%d %s", pairs[i], pairs[i+1]))
		}
	}
	return strings.Join(texts, ", ")
}

// momentFormats has a sentence for some actions of events that the picture shows. For any other action, the sentence
// contains the name of the action: "lead amended it".
//
//go:embed moments.txt
var momentFormats string

// maxMoment is the maximum length of the text of an event in a picture, in bytes.
const maxMoment = 300

// momentText returns the sentence for an event that the picture shows, followed by the text of the event.
func momentText(m schemas.HistoryEvent) string {
	saying := "%s " + strings.ReplaceAll(m.Action, "_", " ") + " it"
	for row := range strings.Lines(momentFormats) {
		if action, known, _ := strings.Cut(strings.TrimSpace(row), ": "); action == m.Action {
			saying = known
		}
	}
	if m.PassedTo != "" {
		saying = "%s passed it to " + string(m.PassedTo)
	}
	text := strings.Replace(saying, "%s", cmp.Or(string(m.Agent), "somebody"), 1)
	if m.Text == "" {
		return text
	}
	return text + ": " + schemas.Shorten(m.Text, maxMoment)
}

// wrapText breaks a text of an agent between words into lines of at most width columns. It shows hidden characters, and
// indents all lines except the first.
func wrapText(written string, width int) (lines []string) {
	const indent = "  "
	lines = display.BreakLine(strings.Join(strings.Fields(schemas.EscapeHidden(written)), " "), width-len(indent))
	for i := range lines[1:] {
		lines[i+1] = indent + lines[i+1]
	}
	return lines
}
