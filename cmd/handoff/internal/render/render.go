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

// A sheet is a page about a handoff, with lines in sections. Its methods make control characters in texts of agents
// visible.
type sheet struct {
	*cli.Page
	id schemas.ID
}

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

// maxPart is the number of bytes of a long text that a page shows.
const maxPart = 600

// cut cuts a text after [maxPart] bytes. Then a line follows with the number of characters that are left out, and the
// command that prints the part of the handoff with the whole text.
func (s sheet) cut(written, part string) string {
	written = strings.TrimSpace(written)
	shown := strings.TrimSuffix(schemas.Shorten(written, maxPart), " …")
	if shown == written {
		return written
	}
	left := utf8.RuneCountInString(written) - utf8.RuneCountInString(shown)
	return fmt.Sprintf("%s\n… %s: %s", shown, schemas.CountNoun(left, "more character"), s.partCommand(part))
}

// partCommand returns the command that prints a part of the handoff.
func (s sheet) partCommand(part string) string {
	return fmt.Sprintf("handoff show %s --part %s%s", s.id, cli.ShellWord(part), s.Flags)
}

// listed returns the length of a list and its first members. If it leaves text out, it adds the command that prints the
// part of the handoff with the whole list.
func (s sheet) listed(names []string, part string) string {
	oneLiners := schemas.Map(names, func(name string) string { return strings.Join(strings.Fields(name), " ") })
	text := s.cut(countedList(oneLiners), part)
	if len(names) > maxNames && !strings.Contains(text, "\n… ") {
		text += "\n… all: " + s.partCommand(part)
	}
	return text
}

// dataLines returns a line for each text of data. Path is the part of the handoff that holds the data.
func (s sheet) dataLines(data map[string]string, path string) (items []string) {
	for _, name := range slices.Sorted(maps.Keys(data)) {
		items = append(items, oneLine(name)+": "+s.cut(data[name], path+"/"+name))
	}
	return items
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

// maxNames is the number of members of a list that a page shows.
const maxNames = 5

// firstNames returns the first members of a list.
func firstNames(names []string) string { return schemas.JoinFirst(names, maxNames) }

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
	s := sheet{p, out.HandoffID}
	p.AddField("detail", s.cut(c.Detail, "outcome/detail"))
	for _, data := range s.dataLines(c.Data, "outcome/data") {
		p.AddField("data", data)
	}
	p.AddField("output", s.cut(compactJSON(c.Output), "outcome/output"))
	p.AddField("delivered", deliveredText(c))
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
		steps = judgingSteps(id, st)
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

// judgingSteps returns the commands that judge a result. Work that was done again has none, and content that is no longer
// kept cannot be sent again.
func judgingSteps(id schemas.ID, st schemas.HandoffState) (steps []Step) {
	if st.Successor != 0 {
		return nil
	}
	if st.AcceptedAt == nil {
		steps = append(steps, Step{Line: fmt.Sprintf("accept %s", id), Does: "accepts the result"})
	}
	if !st.NotKept {
		steps = append(steps, Step{Line: fmt.Sprintf("update %s --return --reason '…'", id), Does: "gives it back if it is not good enough"})
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
