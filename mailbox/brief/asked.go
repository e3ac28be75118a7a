package brief

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// specificTaskLines returns the lines of the section Specific task: the reason for sending the handoff to this
// recipient, its type and kind, requirements, questions, steps to reproduce and the test command. It omits the type
// "handoff", and kinds that the server sets, such as rollback.
func specificTaskLines(h schemas.Handoff, c *schemas.Context, p pen) []string {
	if h.Type == schemas.TypeHandoff {
		h.Type = ""
	}
	if slices.Contains(serverKinds, h.Kind) {
		h.Kind = ""
	}
	if h.Target.Reason == h.Metadata.SentBy.Reason() { // the line of the sender names the rule
		h.Target.Reason = ""
	}
	return slices.Concat(
		p.labelledText("Sent to you because", h.Target.Reason), p.labelledText("Type", h.Type), p.labelledText("Passed on as", h.Kind),
		p.labelledText("Task id", h.TaskID), p.labelledBullets("Requirements", h.Requirements), p.labelledBullets("Questions for you", c.Questions),
		p.labelledBullets("To reproduce", c.ReproductionSteps), p.labelledText("Test with", c.TestCommand),
	)
}

// serverKinds lists the kinds that the server sets.
var serverKinds = []string{"assignment", "return", "rollback", "escalation"}

// reworkLines returns the lines about a round of rework, or nil if the handoff is no rework. The lines name the agent
// that returned the earlier result, its reason, and the criteria that it added for this round.
func reworkLines(h schemas.Handoff, all []schemas.AnsweredCriterion, p pen) []string {
	r := h.Rework
	if r == nil {
		return nil
	}
	lines := []string{fmt.Sprintf("This is rework of %s, round %d: %s returned the result of round %d.",
		r.Of, r.Round, p.oneLine(string(r.By), 64), r.Round-1)}
	lines = append(lines, p.labelledText("Why", r.Reason)...)
	lines = append(lines, "New criteria, met when that is mended, in addition to the earlier ones:")
	return append(lines, numberedCriterionLines(all, func(a schemas.AnsweredCriterion) bool { return r.HasPoint(a.Criterion) }, p)...)
}

// reviewLines returns the lines of a handoff that reviews another agent's result: one line for each criterion of the
// reviewed work, with the worker's answer and its evidence.
func reviewLines(in Input, p pen) (lines []string) {
	for _, r := range in.Results {
		if of := in.Handoff.Review; of == nil || r.HandoffID != of.Of {
			continue
		}
		for _, a := range r.Criteria {
			met := "not met"
			if a.IsMet() {
				met = "met"
			}
			lines = append(lines, fmt.Sprintf("%d. %s – %s: %s", a.Number, p.oneLine(a.Criterion, maxResult), met, p.oneLine(cmp.Or(r.EvidenceText(a), "claimed"), maxResult)))
		}
	}
	return lines
}

// criteriaLines returns the success criteria with the numbers by which complete_handoff names them. The first line says
// how to answer, whether the holder's word is enough for a check that the server cannot run, and whether all criteria
// must be met. Criteria of a rework are not in these lines, because they stand in the section Rework.
func criteriaLines(all []schemas.AnsweredCriterion, r *schemas.Rework, e *schemas.Expectations, p pen) []string {
	if len(all) == 0 {
		return nil
	}
	how := "Answer each by number in " + schemas.CompleteIn{}.Tool() + "."
	if r != nil {
		how = "Answer each, and those of the rework above, by number in " + schemas.CompleteIn{}.Tool() + "."
	}
	if e.Evidence == schemas.EvidenceClaimed {
		how += " For a check that cannot be run, your word is enough."
	}
	if e.Strict {
		how += " This is strict: all must be met."
	}
	return append([]string{how}, numberedCriterionLines(all, func(a schemas.AnsweredCriterion) bool { return !r.HasPoint(a.Criterion) }, p)...)
}

// numberedCriterionLines returns a numbered line for each criterion for which wanted is true.
func numberedCriterionLines(all []schemas.AnsweredCriterion, wanted func(schemas.AnsweredCriterion) bool, p pen) (lines []string) {
	for _, a := range all {
		if wanted(a) {
			line := fmt.Sprintf("%d. %s", a.Number, p.oneLine(a.Criterion, 4096))
			if a.Check != "" {
				line += " (run at your commit; answer it only if it is not met, or if it could not be run)"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// constraintLines returns the limits of the work. If no agent may claim the handoff yet, the first lines say why. The
// deadline and the sender's estimate follow. A normal priority has no line.
func constraintLines(h schemas.Handoff, e *schemas.Expectations, st schemas.HandoffState, p pen) []string {
	var lines []string
	if len(st.BlockedBy) > 0 {
		text := "it waits for " + strings.Join(st.BlockedBy, ", ") + schemas.WithPrefix("; ", p.oneLine(st.Reason, 200))
		lines = append(lines, "- Nobody may claim it yet: "+text)
	}
	if from := h.Metadata.NotBefore; from != nil && st.Status == schemas.Pending {
		lines = append(lines, "- Nobody may claim it before "+from.UTC().Format(time.RFC3339))
	}
	switch { // the mailbox converts a timeout to a deadline
	case h.Metadata.Deadline != nil:
		lines = append(lines, "- Deadline: "+h.Metadata.Deadline.UTC().Format(time.RFC3339))
	case e.Timeout != "":
		lines = append(lines, "- Timeout: "+p.oneLine(e.Timeout, 64)+" from when it was sent")
	}
	estimate := e.EstimatedDuration
	if strings.Trim(estimate, "0123456789") == "" && estimate != "" {
		estimate += " minutes"
	}
	lines = append(lines, p.labelledText("Estimated", estimate)...)
	if h.Metadata.Priority != "" && h.Metadata.Priority != schemas.Normal {
		lines = append(lines, p.labelledText("Priority", string(h.Metadata.Priority))...)
	}
	if e.Review != "" {
		lines = append(lines, fmt.Sprintf("- Your result counts once it was reviewed by %s", p.oneLine(e.Review, 128)))
	}
	return append(lines, p.bullets("", e.Constraints)...)
}

// deliverableLines returns one line for each expected deliverable, with its files. The line does not have the
// acceptance criteria of the deliverable, because the brief numbers all criteria together. The last line asks a reader
// with other products to reject the work before it begins, if the reader cannot deliver it.
func deliverableLines(all []schemas.Deliverable, products []string, p pen) []string {
	texts := schemas.Map(all, func(d schemas.Deliverable) string {
		text := strings.Join(schemas.NonEmpty(d.Type, d.Description), ": ")
		if len(d.Files) > 0 {
			text += " (" + strings.Join(d.Files, ", ") + ")"
		}
		return text
	})
	if len(products) > 0 {
		texts = append(texts, fmt.Sprintf("You declared that you produce %s: if you cannot deliver this, reject it before you begin, by %s with outcome rejected",
			schemas.JoinFirst(products, schemas.MaxNamed), schemas.FailIn{}.Tool()))
	}
	return p.bullets("", schemas.NonEmpty(texts...))
}

// outputSchemaLines returns the JSON Schema of the output on one quoted line. It never shortens the schema, because
// half a schema would mislead. It returns nil for a schema that is not JSON, and for a review, whose task has the
// verdicts.
func outputSchemaLines(h schemas.Handoff, e *schemas.Expectations, p pen) []string {
	var compact bytes.Buffer
	if h.Review != nil || len(e.OutputSchema) == 0 || json.Compact(&compact, e.OutputSchema) != nil {
		return nil
	}
	return append([]string{"- output, as JSON that meets this schema:"}, p.quoteLines("  ", compact.String())...)
}

// ifStuckLines returns advice for a holder that cannot go on: the sender's advice, another agent that answers questions
// or takes failed work, and the facts to give that agent. It omits the two usual calls (ask the sender, give the work
// back to the sender), because every claim already shows these calls. If the reader is human, the lines say that human
// decides.
func ifStuckLines(in Input, e *schemas.Expectations, p pen) []string {
	h, reader := in.Handoff, cmp.Or(in.Standing.Holder, in.Handoff.Target.Agent)
	rollback := cmp.Or(h.Rollback, &schemas.Rollback{})
	answers, back := cmp.Or(in.Answers, h.Source.Agent), cmp.Or(in.TakesBack, rollback.OnFailure, h.Source.Agent)
	lines := p.bullets("", e.IfStuck)
	usual := answers == h.Source.Agent && back == h.Source.Agent && len(rollback.FailureContext) == 0
	if usual && reader != schemas.Human {
		return lines
	}
	if lines == nil && answers != reader {
		lines = append(lines, fmt.Sprintf("- Ask %s: %s with action ask.", p.oneLine(string(answers), 64), schemas.UpdateIn{}.Tool()))
	}
	if back != reader {
		giveUp := "- Give up with %s: the work goes to %s."
		lines = append(lines, fmt.Sprintf(giveUp, schemas.FailIn{}.Tool(), p.oneLine(string(back), 64)))
	}
	tell := schemas.Map(rollback.FailureContext, func(text string) string { return "Tell: " + text })
	lines = append(lines, p.bullets("  ", tell)...)
	switch {
	case reader == schemas.Human:
		lines = append(lines, "- You decide: send the next work with "+schemas.SendIn{}.Tool()+
			", and complete this one with your decision.")
	case back != schemas.Human && answers != schemas.Human:
		lines = append(lines, "- Last, "+schemas.SendIn{}.Tool()+" to human.")
	}
	return lines
}
