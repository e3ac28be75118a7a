package draw

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/schemas"
)

// Show draws one handoff as the view full has it: from whom to whom, where it stands, what came along, what
// was asked, and what came of it. End is the event that ended it, for what no completion or failure tells,
// else nil.
func Show(got schemas.GetOut, end *schemas.Event, style Style) string {
	p := &page{Style: style}
	h, st, done, failed := *got.Handoff, *got.Standing, got.Completion, got.Failure
	p.title(h)
	p.standing(h, st, end)
	if end != nil && end.Said != "" {
		p.paragraph("Reason", st.Note)
	}
	p.paragraph("Task", h.Task)
	p.section("Context Transferred", p.context(h))
	p.section("Expectations", p.expectations(h.Expectations, done))
	if done != nil {
		p.completion(done)
	}
	if failed != nil {
		p.failure(failed)
	}
	p.section("Open Questions", st.Questions)
	p.section("Checkpoint", checkpoints(h, st, failed))
	p.late(got.Late)
	return p.String()
}

// A page collects lines. Whatever is given to its methods may come from agents and is made visible.
type page struct {
	Style
	strings.Builder
}

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

// section draws a heading and items, or nothing when there are none.
func (p *page) section(heading string, items []string) {
	for i, item := range items {
		if i == 0 {
			p.line("\n" + p.paint(bold, heading))
		}
		bullet := "- "
		for _, l := range p.lines(item) {
			p.line(bullet + l)
			bullet = "  "
		}
	}
}

// paragraph draws a heading and a text, or nothing when there is none.
func (p *page) paragraph(heading, written string) {
	if strings.TrimSpace(written) == "" {
		return
	}
	p.line("\n" + p.paint(bold, heading))
	for _, l := range p.lines(written) {
		p.line("  " + l)
	}
}

// fact draws a labelled text on one line, or nothing when there is none.
func (p *page) fact(label, value string) {
	if value = p.one(value); value != "" {
		p.line(label + ": " + value)
	}
}

// one puts a text on one line that is not much longer than most terminals.
func (p *page) one(written string) string { return p.text(written, 200) }

func (p *page) title(h schemas.Handoff) {
	title := "Handoff " + h.ID.String()
	if h.Title != "" {
		title += ": " + p.one(h.Title)
	}
	p.line(p.paint(bold, title))
}

func (p *page) standing(h schemas.Handoff, st schemas.Standing, end *schemas.Event) {
	to := cmp.Or(string(h.Target.Agent), prefixed("capability:", h.Target.Capability), prefixed("role:", h.Target.Role))
	p.line(fmt.Sprintf("From: %s %s To: %s", p.one(string(h.Source.Agent)), p.glyph("→"), p.one(to)))
	if st.Holder != "" && string(st.Holder) != to {
		p.fact("Holder", string(st.Holder))
	}
	p.line("Status: " + p.status(st.Status, st.Outcome))
	if end != nil {
		p.fact("Ended by", string(end.Agent))
	}
	if st.Percent > 0 && !st.Status.Ended() {
		p.fact("Progress", fmt.Sprintf("%d%% %s", st.Percent, st.Note))
	}
	p.fact(p.time(h, st))
	if st.Attempt > 1 {
		p.fact("Attempt", fmt.Sprint(st.Attempt))
	}
	p.fact("Blocked by", strings.Join(st.BlockedBy, ", "))
	p.fact("Followed by", st.Successor.String())
	p.fact("Workflow", string(h.Metadata.Workflow))
}

// time says how long it was worked on, or when it was sent.
func (p *page) time(h schemas.Handoff, st schemas.Standing) (label, value string) {
	switch {
	case st.ClaimedAt != nil && st.EndedAt != nil:
		return "Duration", Duration(st.EndedAt.Sub(*st.ClaimedAt))
	case st.ClaimedAt != nil:
		return "Duration", suffixed(p.ago(*st.ClaimedAt), " so far")
	}
	return "Sent", suffixed(p.ago(h.Metadata.CreatedAt), " ago")
}

func suffixed(text, suffix string) string {
	if text == "" {
		return ""
	}
	return text + suffix
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// checkpoints are those that this handoff ended with and began from.
func checkpoints(h schemas.Handoff, st schemas.Standing, failed *schemas.Failure) []string {
	ids := []string{st.Checkpoint}
	if failed != nil {
		ids = append(ids, failed.CheckpointID)
	}
	if h.Rollback != nil {
		ids = append(ids, h.Rollback.CheckpointID)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	return slices.Compact(ids)
}
