package brief

import (
	"cmp"
	"fmt"
	"slices"

	"handoff/schemas"
)

// A templateSection is a section of a brief. Its value is the heading that render prints if the section has lines. The
// section about earlier handoffs comes before the task and has no heading.
type templateSection string

const (
	ofAncestors   templateSection = ""
	ofRework      templateSection = "\n## Rework\n"
	ofTask        templateSection = "\n## Task\n"
	ofReview      templateSection = "\n## Asked And Answered\n"
	ofContext     templateSection = "\n## Context Summary\n"
	ofYours       templateSection = "\n## Your Specific Task\n"
	ofKey         templateSection = "\n## Key Information\n"
	ofConstraints templateSection = "\n## Constraints\n"
	ofOutput      templateSection = "\n## Expected Output\n"
	ofCriteria    templateSection = "\n## Success Criteria\n"
	ofStuck       templateSection = "\n## If You Get Stuck\n"
)

// template lists the sections in the order in which a brief prints them. The order of importance is in [buildParts].
var template = []templateSection{
	ofAncestors, ofRework, ofTask, ofReview, ofContext, ofYours, ofKey, ofConstraints, ofOutput, ofCriteria, ofStuck,
}

// A briefPart is a piece of a brief that packParts keeps, shortens or omits. Its lines are already clean, because a pen
// wrote all text of senders.
type briefPart struct {
	name        string // as the footer names it
	section     templateSection
	lines       []string
	short       []string // replace lines that do not fit
	indivisible bool     // useless if shortened
	clipEach    bool     // every line counts: if shortened, each line is clipped
	required    bool     // the brief is useless without it: it gets room for the beginning of a line before all later parts
	context     bool     // belongs to the context, which may be summarized; other parts are the request
	calls       []string // the calls that return the whole part

	foreign bool // belongs to other handoffs, so the view full of this handoff does not contain it
}

// summaryPart is the name of the sender's summary, or of the extract that replaces it.
const summaryPart = "summary"

// recalledPart is the name of the part about earlier handoffs that the sender did not name.
const recalledPart = "recalled work"

// earlierResultsPart is the name of the part with results of earlier handoffs.
const earlierResultsPart = "results of earlier handoffs"

// buildParts returns all parts that have lines, the most important first: the request to the recipient, then the
// history of this work, then the sender's knowledge. In a small brief, packParts keeps the first parts. All parts of
// the request must come before all parts of the context, because packParts relies on this order.
func buildParts(in Input, p pen) []briefPart {
	h, c := in.withRequest()
	e, asked := cmp.Or(h.Expectations, &schemas.Expectations{}), schemas.ValueOrZero(in.Root.Expectations)
	all := []briefPart{
		{name: "rework", section: ofRework, lines: reworkLines(h, in.Criteria, p), clipEach: true},
		{name: "answers to review", section: ofReview, lines: reviewLines(in, p), clipEach: true},
		{name: "success criteria", section: ofCriteria, lines: criteriaLines(in.Criteria, h.Rework, e, p), clipEach: true},
		{name: "task", section: ofTask, lines: p.quoteLines("", h.Task), required: true},
		{name: "constraints", section: ofConstraints, lines: constraintLines(h, e, in.Standing, p)},
		in.rootPart(ofConstraints, "expectations", p.bullets("", without(asked.Constraints, e.Constraints))),
		{name: "if stuck", section: ofStuck, lines: ifStuckLines(in, e, p)},
		{name: "earlier session", section: ofContext, lines: pastClaimLines(in.LastClaim, h.ID, p), indivisible: true},
		{name: "ending", section: ofContext, lines: endingLines(in.Standing, p), indivisible: true},
		{name: "earlier handoffs", section: ofAncestors, lines: ancestorLines(in.Ancestors, p)},
		{name: "remarks", section: ofKey, lines: remarkLines(c.Remarks, p)},
		{name: "answers", section: ofKey, lines: answerLines(c.Answers, p)},
		{name: "specific task", section: ofYours, lines: specificTaskLines(h, c, p)},
		{name: "deliverables", section: ofOutput, lines: deliverableLines(e.Deliverables, in.OtherProducts, p)},
		in.rootPart(ofKey, "expectations", p.labelledBullets("The whole work is done when", without(asked.CriterionTexts(), e.CriterionTexts()))),
		{name: "output_schema", section: ofOutput, lines: outputSchemaLines(h, e, p), indivisible: true},
		{name: "progress", section: ofContext, lines: progressLines(in, c, p)},
		resultsPart(in, p),
		{name: summaryPart, section: ofContext, lines: p.labelledText("Summary", h.Summary), context: true},
		{name: "completed steps", section: ofContext, lines: p.labelledBullets("What's been done", c.CompletedSteps), context: true},
		{name: "previous failures", section: ofKey, lines: p.labelledBullets("Previous failures", c.PreviousFailures), context: true},
		{name: "known issues", section: ofKey, lines: p.labelledBullets("Known issues", c.KnownIssues), context: true},
		{name: "decisions", section: ofKey, lines: p.labelledBullets("Decisions", schemas.Map(c.Decisions, schemas.Decision.Text)), context: true},
		{name: recalledPart, section: ofKey, lines: recalledLines(in.Recalled, p), context: true, foreign: true},
		{name: "original request", section: ofContext, lines: p.labelledText("Original request", c.OriginalRequest), context: true},
		{name: "files", section: ofKey, lines: fileLines(c.Files, p), context: true},
		{name: "references", section: ofKey, lines: referenceLines(h.ID, c.References, p), context: true},
		{name: "project", section: ofContext, lines: append(projectLines(c.Project, p), senderChangeLines(in, p)...), context: true},
		{name: "artifacts", section: ofKey, lines: p.labelledBullets("Artifacts", schemas.Map(c.Artifacts, artifactText)), short: shortArtifactLines(h.ID, c.Artifacts, p), context: true},
		{name: "memories", section: ofKey, lines: p.labelledBullets("Remembered", c.Memories), context: true},
		{name: "data", section: ofKey, lines: labelledPairs(p, "Data", h.Data), context: true},
		{name: "detail", section: ofKey, lines: p.labelledText("Detail", h.Detail), context: true},
		in.rootPart(ofKey, "detail", p.labelledText("Detail of "+in.Root.ID.String(), in.Root.Detail)),
		{name: "results", section: ofKey, lines: labelledPairs(p, "Results so far", c.Results), context: true},
		{name: "state", section: ofContext, lines: labelledPairs(p, "Current state", stateBesideCheckpoint(c)), context: true},
	}
	all = slices.DeleteFunc(all, func(p briefPart) bool { return len(p.lines) == 0 })
	for i := range all {
		if all[i].calls == nil {
			all[i].calls = callsForPart(in, all[i].name)
		}
	}
	return all
}

// maxReason is the limit for the reason in the line of an earlier handoff, in bytes.
const maxReason = 100

// ancestorLines returns one line for each earlier handoff of the chain (handoffs that continue one another): sender,
// recipient, status, title, and the first hundred bytes of the reason.
func ancestorLines(steps []schemas.HistoryStep, p pen) []string {
	return p.bullets("", schemas.Map(steps, func(s schemas.HistoryStep) string {
		end := string(s.Status)
		if s.Outcome == schemas.Partial {
			end += " in part"
		}
		taker := cmp.Or(string(s.Holder), string(s.To))
		text := fmt.Sprintf("%s %s → %s %s: %s", s.HandoffID, p.oneLine(schemas.SenderLine(s.Rule, s.From), 400), taker, end, p.oneLine(s.Title, 100))
		if s.Reason != "" {
			text += " (" + p.oneLine(s.Reason, maxReason) + ")"
		}
		return text
	}))
}

// The strategies of passing context on.
const (
	full       = "full"      // everything that fits
	summarized = "summary"   // the sender's summary instead of the context
	referenced = "reference" // key points, files, and references to the rest
)

// transferStrategy returns the strategy of the sender, or full if it is empty or unknown.
func transferStrategy(h schemas.Handoff) string {
	if s := h.Metadata.Strategy; s == summarized || s == referenced {
		return s
	}
	return full
}

// selectParts applies the sender's transfer strategy (full, summary or reference). It returns the parts for the brief
// (kept), and the parts that the model must read by a call (left). The request is always in the brief; a strategy only
// selects from the context. If the sender chose summary but wrote no summary, a labelled extract of the context
// replaces the summary. If the sender chose reference, the brief keeps the summary and the lists of references and
// files, and gets an extract of the context with the label Key points.
func selectParts(h schemas.Handoff, all []briefPart, p pen) (kept, left []briefPart) {
	if transferStrategy(h) == full {
		return all, nil
	}
	stays := map[string]bool{summaryPart: true, recalledPart: true}
	if transferStrategy(h) == referenced {
		stays = map[string]bool{summaryPart: true, recalledPart: true, "references": true, "files": true}
	}
	for _, part := range all {
		if part.context && !stays[part.name] {
			left = append(left, part)
			continue
		}
		kept = append(kept, part)
	}
	switch {
	case transferStrategy(h) == summarized && h.Summary == "":
		kept = append(kept, extractPart(h, "Extract (no summary was given)", p))
	case transferStrategy(h) == referenced:
		kept = append(kept, extractPart(h, "Key points", p))
	}
	return slices.DeleteFunc(kept, func(p briefPart) bool { return len(p.lines) == 0 }), left
}

// extractPart returns a part with the decisions, the known issues and the previous failures from the context. If the
// context has no such texts, the part has no lines. It leaves out criteria and constraints, because every brief shows
// criteria and constraints in their own sections.
func extractPart(h schemas.Handoff, label string, p pen) briefPart {
	c := contextOrEmpty(h)
	behind := func(label string, texts []string) []string {
		return schemas.Map(texts, func(s string) string { return label + ": " + s })
	}
	texts := slices.Concat(
		behind("Decided", schemas.Map(c.AllDecisions(), schemas.Decision.Text)), behind("Known issue", c.KnownIssues),
		behind("Failed before", c.PreviousFailures),
	)
	return briefPart{name: summaryPart, section: ofContext, lines: p.labelledBullets(label, texts), context: true}
}

// contextOrEmpty returns the context of the handoff, empty if the sender gave none.
func contextOrEmpty(h schemas.Handoff) *schemas.Context { return cmp.Or(h.Context, &schemas.Context{}) }
