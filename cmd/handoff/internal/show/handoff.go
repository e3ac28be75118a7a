package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/draw"
	"handoff/schemas"
)

// Handoff draws one handoff as the view full has it: from whom to whom, where it stands, what came along, what was
// asked, and what came of it. End is what [Ending] gave.
func Handoff(p *cli.Page, got schemas.GetOut, end *schemas.Event) {
	s := sheet{p}
	h, st, done, failed := *got.Handoff, *got.Standing, got.Completion, got.Failure
	s.title(h)
	s.standing(h, st, end)
	if st.Status.Ended() && failed == nil {
		s.paragraph("Reason", st.Reason)
	}
	s.paragraph("Task", h.Task)
	s.section("Context Transferred", transferred(h))
	s.section("Expectations", expectations(h.Expectations, done))
	if done != nil {
		s.completion(done)
	}
	if failed != nil {
		s.failure(failed)
	}
	s.section("Open Questions", st.Questions)
	if st.Status == schemas.Waiting {
		s.paragraph("Said with the questions", st.Note)
	}
	s.section("Checkpoint", checkpoints(h, st, failed))
	for _, l := range lateResults(got.Late) {
		s.paragraph(capital(l.label), l.text)
	}
}

func (s sheet) title(h schemas.Handoff) {
	title := "Handoff " + h.ID.String()
	if h.Title != "" {
		title += ": " + one(h.Title)
	}
	s.line(s.Bold(s.Quote(title, 0)))
}

func (s sheet) standing(h schemas.Handoff, st schemas.Standing, end *schemas.Event) {
	to := cmp.Or(string(h.Target.Agent), prefixed("capability:", h.Target.Capability), prefixed("role:", h.Target.Role))
	s.fact("From", fmt.Sprintf("%s → To: %s", one(string(h.Source.Agent)), one(to)))
	if st.Holder != "" && string(st.Holder) != to {
		s.fact("Holder", string(st.Holder))
	}
	s.line("Status: " + s.Standing(draw.State{Status: st.Status, Outcome: st.Outcome, BlockedBy: st.BlockedBy, Reason: st.Reason}))
	if !st.Status.Ended() {
		s.fact("Why", st.Reason)
	}
	if st.LastSign != nil {
		s.fact("Last sign of life", suffixed(s.Ago(*st.LastSign), " ago"))
	}
	if end != nil {
		s.fact("Ended by", string(end.Agent))
	}
	if st.AcceptedAt != nil {
		s.fact("Accepted", suffixed(s.Ago(*st.AcceptedAt), " ago"))
	}
	switch {
	case st.Percent == 0 || st.Status.Ended():
	case st.Status == schemas.Waiting: // the note is that of the questions
		s.fact("Progress", fmt.Sprintf("%d%%", st.Percent))
	default:
		s.fact("Progress", fmt.Sprintf("%d%% %s", st.Percent, st.Note))
	}
	s.fact(s.time(h, st))
	if st.Attempt > 1 {
		s.fact("Attempt", fmt.Sprint(st.Attempt))
	}
	s.fact("Blocked by", strings.Join(st.BlockedBy, ", "))
	s.fact("Followed by", st.Successor.String())
	s.fact("Workflow", string(h.Metadata.Workflow))
}

// time says how long it was worked on, or when it was sent.
func (s sheet) time(h schemas.Handoff, st schemas.Standing) (label, value string) {
	switch {
	case st.ClaimedAt != nil && st.EndedAt != nil:
		return "Duration", draw.Duration(st.EndedAt.Sub(*st.ClaimedAt))
	case st.ClaimedAt != nil:
		return "Duration", suffixed(s.Ago(*st.ClaimedAt), " so far")
	}
	return "Sent", suffixed(s.Ago(h.Metadata.CreatedAt), " ago")
}

// checkpoints are those that this handoff ended with and began from.
func checkpoints(h schemas.Handoff, st schemas.Standing, failed *schemas.Failure) []string {
	var left, begun string
	if failed != nil {
		left = failed.CheckpointID
	}
	if h.Rollback != nil {
		begun = h.Rollback.CheckpointID
	}
	return slices.Compact(nonEmpty(st.Checkpoint, left, begun))
}
