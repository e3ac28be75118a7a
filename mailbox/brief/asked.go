package brief

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"handoff/schemas"
)

// specific is what is asked of this receiver beyond the task itself.
func specific(h schemas.Handoff, c *schemas.Context, p pen) []string {
	var lines []string
	add := func(more []string) { lines = append(lines, more...) }
	add(p.field("Why you", h.Target.Reason))
	if h.Type != schemas.TypeHandoff {
		add(p.field("Type", h.Type))
	}
	if h.Kind != "assignment" { // which says only that no work came before
		add(p.field("Passed on as", h.Kind))
	}
	add(p.field("Task id", h.TaskID))
	add(p.list("Requirements", h.Requirements))
	add(p.list("Questions for you", c.Questions))
	add(p.list("To reproduce", c.ReproductionSteps))
	add(p.field("Test with", c.TestCommand))
	return lines
}

// criteria carry the numbers by which they are answered.
func criteria(all []schemas.Answered, strict bool, p pen) []string {
	if len(all) == 0 {
		return nil
	}
	how := "Answer each by number in " + schemas.CompleteIn{}.Tool() + ", verification.criteria."
	if strict {
		how += " All must be met."
	}
	lines := []string{how}
	for _, a := range all {
		lines = append(lines, fmt.Sprintf("%d. %s", a.Number, p.line(a.Criterion, 4096)))
	}
	return lines
}

// constraints begin with the limits of time, which nobody may miss.
func constraints(h schemas.Handoff, e *schemas.Expectations, p pen) []string {
	var lines []string
	if h.Metadata.Deadline != nil {
		lines = append(lines, "- Deadline: "+h.Metadata.Deadline.UTC().Format(time.RFC3339))
	}
	if e.Timeout != "" {
		lines = append(lines, "- Timeout: "+p.line(e.Timeout, 64)+" from when it was sent")
	}
	lines = append(lines, p.field("Estimated", e.EstimatedDuration)...)
	if h.Metadata.Priority != "" && h.Metadata.Priority != schemas.Normal {
		lines = append(lines, p.field("Priority", string(h.Metadata.Priority))...)
	}
	for _, text := range e.Constraints {
		lines = append(lines, p.item("", text)...)
	}
	return lines
}

func deliverables(all []schemas.Deliverable, p pen) []string {
	var lines []string
	for _, d := range all {
		text := strings.Join(nonEmpty(d.Type, d.Description), ": ")
		if len(d.Files) > 0 {
			text += " (" + strings.Join(d.Files, ", ") + ")"
		}
		if text != "" {
			lines = append(lines, p.item("", text)...)
		}
	}
	return lines
}

func outputSchema(e *schemas.Expectations, p pen) []string {
	var compact bytes.Buffer
	if len(e.OutputSchema) == 0 || json.Compact(&compact, e.OutputSchema) != nil {
		return nil
	}
	return append([]string{"- output, as JSON that meets this schema:"}, p.quote("  ", compact.String())...)
}

// stuck is the way out: what the sender advises, else asking it; then whoever takes failed work; then a
// person.
func stuck(h schemas.Handoff, holder schemas.Agent, e *schemas.Expectations, p pen) []string {
	var lines []string
	for _, text := range e.IfStuck {
		lines = append(lines, p.item("", text)...)
	}
	if lines == nil {
		ask := schemas.UpdateIn{HandoffID: h.ID.String(), Action: schemas.ActAsk, Questions: []string{schemas.Blank}}
		lines = append(lines, fmt.Sprintf("- Ask %s: %s.", p.line(string(h.Source.Agent), 64), schemas.Call(ask, "").As(holder).Request()))
	}
	back := h.Source.Agent
	var tell []string
	if h.Rollback != nil {
		tell = h.Rollback.FailureContext
		if h.Rollback.OnFailure != "" {
			back = h.Rollback.OnFailure
		}
	}
	lines = append(lines, fmt.Sprintf("- Give up with %s: the work goes to %s.", schemas.FailIn{}.Tool(), p.line(string(back), 64)))
	for _, text := range tell {
		lines = append(lines, p.item("  ", "Tell: "+text)...)
	}
	if back != schemas.Human {
		lines = append(lines, "- Last, "+schemas.SendIn{}.Tool()+" to human.")
	}
	return lines
}
