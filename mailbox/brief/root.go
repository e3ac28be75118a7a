package brief

import (
	"cmp"
	"slices"
	"strings"

	"handoff/schemas"
)

// A rule of a file sends only the texts that the file declares. So the brief adds to them what the sender asked of the
// whole work in its first handoff, the root: the constraints, the criteria, the detail, the original request and the
// test command. It leaves out texts that the handoff has itself. The root stands in the store once, so a brief does not
// grow with the number of steps before it.

// hasRoot reports whether another handoff than this one began the work.
func (in Input) hasRoot() bool { return in.Root.ID != 0 && in.Root.ID != in.Handoff.ID }

// askedFirst returns the expectations of the root. They are empty if there is no root.
func (in Input) askedFirst() *schemas.Expectations {
	if !in.hasRoot() {
		return &schemas.Expectations{}
	}
	return cmp.Or(in.Root.Expectations, &schemas.Expectations{})
}

// contextWithRequest returns the context of the handoff, with the original request and the test command of the root if
// the handoff has none. It leaves out a request that the task contains.
func (in Input) contextWithRequest() *schemas.Context {
	c := *contextOrEmpty(in.Handoff)
	if in.hasRoot() {
		c.TestCommand = cmp.Or(c.TestCommand, contextOrEmpty(in.Root).TestCommand)
		if asked := in.Root.OriginalTask(); !strings.Contains(in.Handoff.Task, asked) {
			c.OriginalRequest = cmp.Or(c.OriginalRequest, asked)
		}
	}
	return &c
}

// summaryBesideTask returns the summary of the handoff. It returns "" if a rule has put the summary into the task.
func (in Input) summaryBesideTask() string {
	if in.hasRoot() && strings.Contains(in.Handoff.Task, in.Handoff.Summary) {
		return ""
	}
	return in.Handoff.Summary
}

// rootDetail returns the part with the detail of the root. The detail tells about the work, so it is context.
func (in Input) rootDetail(p pen) briefPart {
	var lines []string
	if in.hasRoot() && in.Root.Detail != in.Handoff.Detail {
		lines = p.labelledText("Detail of "+in.Root.ID.String(), in.Root.Detail)
	}
	part := in.rootPart("detail", ofKey, lines, "detail")
	part.context = true
	return part
}

// rootPart returns a part with lines from the root. The reference names the field of the root that has the whole text.
func (in Input) rootPart(name string, section templateSection, lines []string, reference string) briefPart {
	id := in.Root.ID
	return briefPart{
		name: name + " of " + id.String(), section: section, lines: lines, foreign: true,
		calls: []string{getHandoffCall(id, schemas.GetIn{Reference: reference})},
	}
}

// without returns the texts that are not in the list others.
func without(texts, others []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return slices.Contains(others, s) })
}
