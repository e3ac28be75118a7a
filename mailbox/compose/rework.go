package compose

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// TurnIntoRework changes h, which has the content of the returned handoff, into the next round of the same work. The
// title begins with the number of the round. The points to correct are appended to the earlier criteria, so the earlier
// criteria keep their numbers. A point with the text of an earlier criterion is appended, too, because the point needs
// a new answer. The lists of h are copied before the change.
func TurnIntoRework(h *schemas.Handoff, round schemas.Rework) {
	if before := h.Rework; before != nil {
		h.Title = strings.TrimPrefix(h.Title, reworkTitlePrefix(*before))
	}
	h.Title = reworkTitlePrefix(round) + h.Title
	e := *cmp.Or(h.Expectations, &schemas.Expectations{})
	all := e.CriterionTexts()
	round.Points = schemas.Unique(schemas.Map(round.Points, func(point string) string {
		if slices.ContainsFunc(all, func(c string) bool { return strings.EqualFold(c, point) }) {
			point += fmt.Sprintf(" (round %d)", round.Round)
		}
		return point
	}))
	e.SuccessCriteria = slices.Concat(e.SuccessCriteria, round.Points)
	h.Expectations, h.Rework = &e, &round
}

// reworkTitlePrefix returns the beginning of the title of a rework.
func reworkTitlePrefix(r schemas.Rework) string {
	return fmt.Sprintf("Rework of %s, round %d: ", r.Of, r.Round)
}

// SplitPoints moves the success criteria and the criteria of deliverables out of the changes of a return. These
// criteria are the points, which [TurnIntoRework] appends to the earlier criteria. rest is a copy of c without the
// points.
func SplitPoints(c schemas.Changes) (points []string, rest schemas.Changes) {
	if c.Expectations == nil {
		return nil, c
	}
	e := *c.Expectations
	points, e.SuccessCriteria = slices.Clone(e.SuccessCriteria), nil
	e.Deliverables = slices.Clone(e.Deliverables)
	for i := range e.Deliverables {
		points = append(points, e.Deliverables[i].Criteria...)
		e.Deliverables[i].Criteria = nil
	}
	c.Expectations = &e
	return slices.DeleteFunc(schemas.Map(points, strings.TrimSpace), func(s string) bool { return s == "" }), c
}

// bulletPattern matches a line of a list. A number at the beginning of a line has at most two digits, so that a line
// that begins with a year is no point.
var bulletPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(?:[-*•]|[(#]?\d{1,2}[.):])\s+(.+)$`) })

// ParsePoints reads the points in the text of a return: the lines of a list, with their continuation lines. lead is the
// text before the first point. A text without a list becomes one point. ParsePoints can only guess, because people and
// models write lists in many ways. Callers that want exact points give success criteria in the changes, see
// [SplitPoints].
func ParsePoints(text string) (lead string, points []string) {
	text = strings.TrimSpace(text)
	var before []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch m := bulletPattern().FindStringSubmatch(line); {
		case m != nil:
			points = append(points, m[1])
		case len(points) == 0:
			before = append(before, line)
		case line != "":
			points[len(points)-1] += " " + line
		}
	}
	if len(points) == 0 {
		return "", []string{"Mended: " + text}
	}
	return strings.TrimSpace(strings.Join(before, " ")), points
}
