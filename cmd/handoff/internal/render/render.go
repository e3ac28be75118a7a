// Package render draws one handoff for people: as far as the caller read it ([DrawHandoff]), and what came of it
// ([Compare]).
//
// It makes control characters in texts of agents visible, so that none of them can repaint a terminal.
package render

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// A sheet is a page about a handoff, with lines in sections. Its methods make control characters in texts of agents
// visible.
type sheet struct {
	*cli.Page
	id schemas.ID
}

func (s sheet) drawLine(text string) { s.WriteString(strings.TrimRight(text, " ") + "\n") }

// draw prints a heading, and each item behind a bullet. It skips empty items. If all are empty, it prints nothing.
func (s sheet) draw(heading, bullet string, items ...string) {
	for i, item := range schemas.NonEmpty(items...) {
		if i == 0 {
			s.drawLine("\n" + s.Bold(heading))
		}
		before := bullet
		for _, l := range s.SplitLines(item, len(bullet)) {
			s.drawLine(before + l)
			before = "  "
		}
	}
}

// drawSection prints a heading and a list. If there are no items, it prints nothing.
func (s sheet) drawSection(heading string, items ...string) { s.draw(heading, "- ", items...) }

// drawParagraph prints a heading and a text. If the text is empty, it prints nothing.
func (s sheet) drawParagraph(heading, written string) {
	s.draw(heading, "  ", strings.TrimSpace(written))
}

// drawFact prints a label and a text. If the text is empty, it prints nothing.
func (s sheet) drawFact(label, value string) {
	if value = s.cut(oneLine(value), s.command("--events")); value != "" {
		s.drawLine(label + ": " + s.Quote(value, len(label)+2))
	}
}

// maxPart is the number of bytes of a long text that a page shows.
const maxPart = 600

// cut cuts a text after [maxPart] bytes. Then a line follows with the number of characters that are left out, and the
// command that prints the whole text.
func (s sheet) cut(written, command string) string {
	written = strings.TrimSpace(written)
	shown := strings.TrimSuffix(schemas.Shorten(written, maxPart), " …")
	if shown == written {
		return written
	}
	left := utf8.RuneCountInString(written) - utf8.RuneCountInString(shown)
	return fmt.Sprintf("%s\n… %s: %s", shown, schemas.CountNoun(left, "more character"), command)
}

// command returns the command that prints more of the handoff.
func (s sheet) command(flags string) string {
	return fmt.Sprintf("handoff show %s %s%s", s.id, flags, s.Flags)
}

// part returns the command that prints a part of the handoff.
func (s sheet) part(name string) string { return s.command("--part " + cli.ShellWord(name)) }

// maxNames is the number of members of a list that a page shows.
const maxNames = 5

// listed returns a label, the length of a list and its first members. If it leaves text out, it adds the command that
// prints the whole list. It returns "" for an empty list.
func (s sheet) listed(label string, names []string, command string) string {
	if len(names) == 0 {
		return ""
	}
	text := s.cut(fmt.Sprintf("%s%d (%s)", label, len(names), schemas.JoinFirst(schemas.Map(names, oneLine), maxNames)), command)
	if len(names) > maxNames && !strings.Contains(text, "\n… ") {
		text += "\n… all: " + command
	}
	return text
}

// dataLines returns a line for each text of data. Path is the part of the handoff that holds the data.
func (s sheet) dataLines(data map[string]string, path string) (items []string) {
	for _, name := range slices.Sorted(maps.Keys(data)) {
		items = append(items, oneLine(name)+": "+s.cut(data[name], s.part(path+"/"+name)))
	}
	return items
}

// oneLine puts a text on one line and makes its control characters visible.
func oneLine(written string) string {
	return schemas.EscapeHidden(strings.Join(strings.Fields(written), " "))
}

func withSuffix(text, suffix string) string {
	if text == "" {
		return ""
	}
	return text + suffix
}

// capitalise makes the first letter of a word a capital.
func capitalise(word string) string {
	r, n := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[n:]
}

// joined joins the texts that are not empty with colons.
func joined(texts ...string) string { return strings.Join(schemas.NonEmpty(texts...), ": ") }

// EndingEvent returns the event that ended a handoff if the handoff was cancelled, refused, returned or timed out.
// Otherwise it returns nil, because the completion or failure says how the handoff ended.
func EndingEvent(ctx context.Context, a *cli.App, out schemas.GetOut) (*schemas.Event, error) {
	if a.JSON || !out.Status.HasEnded() || out.Status == schemas.Completed || out.Failure != nil {
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

// drawLateResults draws late results, which came after the claim was lost.
func (s sheet) drawLateResults(results []schemas.LateResult) {
	for _, l := range results {
		done, failed := schemas.ValueOrZero(l.Completion), schemas.ValueOrZero(l.Failure)
		s.drawParagraph("Late result from "+oneLine(string(done.Source.Agent)), done.Summary)
		s.drawParagraph("Late failure from "+oneLine(string(failed.Source.Agent)), failed.Failure.Description)
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

// judgingSteps returns the commands that judge a result. Work that was done again has none, and content that is no
// longer kept cannot be sent again.
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

// resultLines returns one line for each named result (branch, commit, cost).
func resultLines(results map[string]any) (items []string) {
	for _, name := range slices.Sorted(maps.Keys(results)) {
		if value := results[name]; value != nil {
			items = append(items, name+": "+schemas.ValueText(value))
		}
	}
	return items
}
