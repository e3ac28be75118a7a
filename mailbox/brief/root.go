package brief

import (
	"cmp"
	"slices"
	"strings"

	"handoff/schemas"
)

// withRequest adds to a handoff of a rule what its brief shows in the same places as if the rule had written it: the
// original request, unless the task has it, and the test command of the whole work. It removes a summary that the rule
// has put into the task.
func (in Input) withRequest() (schemas.Handoff, *schemas.Context) {
	h, c := in.Handoff, *contextOrEmpty(in.Handoff)
	if in.Root.ID == h.ID {
		return h, &c
	}
	c.TestCommand = cmp.Or(c.TestCommand, contextOrEmpty(in.Root).TestCommand)
	if asked := in.Root.OriginalTask(); !strings.Contains(h.Task, asked) {
		c.OriginalRequest = cmp.Or(c.OriginalRequest, asked)
	}
	if in.Root.ID != 0 && strings.Contains(h.Task, h.Summary) {
		h.Summary = ""
	}
	return h, &c
}

// rootPart returns a part with texts that stand in the first handoff of the chain and not in this one. They stand in the
// store once, so briefs do not grow along the chain. The reference names the field with the whole texts.
func (in Input) rootPart(section templateSection, reference string, lines []string) briefPart {
	id := in.Root.ID
	if id == in.Handoff.ID {
		lines = nil
	}
	return briefPart{
		name: reference + " of " + id.String(), section: section, lines: lines, foreign: true,
		context: reference == "detail", calls: []string{getHandoffCall(id, schemas.GetIn{Reference: reference})},
	}
}

// without returns the texts that are not in the list others.
func without(texts, others []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return slices.Contains(others, s) })
}
