// Package render draws one handoff for people: the whole of it ([DrawHandoff]), or only its end ([DrawOutcome]).
//
// It makes control characters in texts of agents visible, so that none of them can repaint a terminal.
package render

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/schemas/display"
)

// A sheet is a page with lines in sections. Its methods make control characters in texts of agents visible.
type sheet struct{ *cli.Page }

func (s sheet) drawLine(text string) { s.WriteString(strings.TrimRight(text, " ") + "\n") }

// drawSection prints a heading and items. If there are no items, it prints nothing.
func (s sheet) drawSection(heading string, items []string) {
	for i, item := range items {
		if i == 0 {
			s.drawLine("\n" + s.Bold(heading))
		}
		bullet := "- "
		for _, l := range s.SplitLines(item, len(bullet)) {
			s.drawLine(bullet + l)
			bullet = "  "
		}
	}
}

// drawParagraph prints a heading and a text. If the text is empty, it prints nothing.
func (s sheet) drawParagraph(heading, written string) {
	if strings.TrimSpace(written) == "" {
		return
	}
	s.drawLine("\n" + s.Bold(heading))
	for _, l := range s.SplitLines(written, 2) {
		s.drawLine("  " + l)
	}
}

// drawFact prints a label and a text on one line. If the text is empty, it prints nothing.
func (s sheet) drawFact(label, value string) {
	if value = oneLine(value); value != "" {
		s.drawLine(label + ": " + s.Quote(value, len(label)+2))
	}
}

// oneLine puts a text on one line and cuts the text after 200 columns.
func oneLine(written string) string { return display.FitOneLine(written, 200) }

func withSuffix(text, suffix string) string {
	if text == "" {
		return ""
	}
	return text + suffix
}

func withPrefix(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// capitalise makes the first letter of a word a capital.
func capitalise(word string) string {
	r, n := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[n:]
}

// countedList returns the length of a list and its first members.
func countedList(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%d (%s)", len(names), firstNames(names))
}

// firstNames returns the first members of a list.
func firstNames(names []string) string { return schemas.JoinFirst(names, 5) }

func nonEmptyTexts(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// EndingEvent returns the event that ended a handoff if the handoff was cancelled, refused, returned or timed out.
// Otherwise it returns nil, because the completion or failure says how the handoff ended.
func EndingEvent(ctx context.Context, a *cli.App, out schemas.GetOut) (*schemas.Event, error) {
	if !out.Status.HasEnded() || out.Status == schemas.Completed || out.Failure != nil {
		return nil, nil
	}
	asked := cli.Arguments{"handoff_id": out.HandoffID, "view": "audit"}
	got, _, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", asked)
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(got.Audit) {
		if e.To.HasEnded() && e.From != e.To {
			return &e, nil
		}
	}
	return nil, nil
}

// DrawOutcome prints the end of a handoff: the actor and the reason, the criteria, the checks, and the results. For
// each criterion it prints the evidence, or the reason why the criterion is not met. The parameter end comes from
// [EndingEvent].
func DrawOutcome(p *cli.Page, out schemas.GetOut, end *schemas.Event) {
	p.AddLine("%s %s", p.Bold(out.HandoffID.String()), p.ColourStatus(out.Status))
	p.AddField("ended by", string(schemas.ValueOrZero(end).Agent))
	p.AddField("reason", schemas.ValueOrZero(out.Standing).Reason)
	c := cmp.Or(out.Completion, &schemas.Completion{})
	p.AddField("outcome", string(c.Status))
	p.AddField("by", string(c.Source.Agent))
	p.AddField("summary", c.Summary)
	for _, answered := range c.Criteria {
		p.AddCriterion(answered.IsMet(), answered.Number, answered.Criterion, c.EvidenceText(answered))
	}
	for _, result := range resultLines(c) {
		p.AddField("result", result)
	}
	for _, checked := range verificationLines(c.Verification) {
		p.AddField("checked", checked)
	}
	for _, note := range c.Notes {
		p.AddField("note", note)
	}
	failed := schemas.ValueOrZero(out.Failure)
	p.AddField("by", string(failed.Source.Agent))
	p.AddField("reason", failed.Failure.Description)
	drawLateResults(out.Late, p.AddField)
}

// drawLateResults draws late results, which came after the claim was lost.
func drawLateResults(results []schemas.LateResult, draw func(label, text string)) {
	for _, l := range results {
		switch {
		case l.Completion != nil:
			draw("late result from "+oneLine(string(l.Completion.Source.Agent)), l.Completion.Summary)
		case l.Failure != nil:
			draw("late failure from "+oneLine(string(l.Failure.Source.Agent)), l.Failure.Failure.Description)
		}
	}
}

// A Step is a command that a person may type next, with its effect. The words of the command begin after the program's
// name. Human marks a command that only the person called human may use.
type Step struct {
	Line, Does string
	Human      bool
}

// NextSteps returns the commands that fit the status of a handoff, the most likely command first. A … in a command
// stands for a text that the person must write.
func NextSteps(got schemas.GetOut) (steps []Step) {
	id, st := got.HandoffID, *got.Standing
	add := func(does, line string, words ...any) {
		steps = append(steps, Step{Line: fmt.Sprintf(line, words...), Does: does})
	}
	switch st.Status {
	case schemas.Pending:
		for _, other := range st.BlockedBy[:min(len(st.BlockedBy), 5)] { // approval is first
			if other == schemas.NeedsApproval {
				add("lets it go on", "approve %s", id)
				add("ends it", "refuse %s --reason '…'", id)
				steps[0].Human, steps[1].Human = true, true
				continue
			}
			add("shows what it waits for", "show %s", other)
		}
		add("ends it", "cancel %s --reason '…'", id)
	case schemas.Accepted, schemas.Working:
		if st.Reason != "" {
			add("lets others claim it now", "update %s --release", id)
		}
		add("waits for the outcome", "wait %s", id)
	case schemas.Waiting:
		add("answers, and its holder goes on", "answer %s '…'", id)
	case schemas.Completed:
		if st.Successor == 0 && !st.NotKept {
			add("gives it back if it is not good enough", "update %s --return --reason '…'", id)
		}
	case schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled:
		if !st.NotKept {
			add("does it again with the known facts", "retry %s", id)
		}
	case schemas.Returned:
	}
	if st.Successor != 0 {
		add("shows the handoff that continues the work", "show %s", st.Successor)
	}
	return steps
}

// resultLines returns one line for each named result of a completion (branch, commit, cost).
func resultLines(c *schemas.Completion) (items []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Results)) {
		if value := c.Results[name]; value != nil {
			items = append(items, name+": "+schemas.ValueText(value))
		}
	}
	return items
}
