package brief

import (
	"cmp"
	"handoff/schemas"
)

// The ways of passing context on.
const (
	full       = "full"      // all that fits
	summarized = "summary"   // the sender's summary in place of the context
	referenced = "reference" // key points, files, and where the rest is
)

func strategy(h schemas.Handoff) string {
	switch h.Metadata.Strategy {
	case summarized, referenced:
		return h.Metadata.Strategy
	}
	return full
}

// choose applies the strategy: it gives the parts to pack and the names of those that the strategy leaves
// to be fetched.
func choose(h schemas.Handoff, all []part, p pen) (kept []part, left []string) {
	if strategy(h) == full {
		return all, nil
	}
	stays := map[string]bool{summaryPart: true}
	if strategy(h) == referenced {
		stays = map[string]bool{"references": true, "files": true}
	}
	for _, part := range all {
		if part.context && !stays[part.name] {
			left = append(left, part.name)
			continue
		}
		kept = append(kept, part)
	}
	switch {
	case strategy(h) == summarized && h.Summary == "":
		kept = append(kept, extract(h, "Extract (no summary was given)", p))
	case strategy(h) == referenced && len(references(h.ID, contextOf(h).References, p)) == 0:
		kept = append(kept, extract(h, "Key points (nothing was stored by reference)", p))
	}
	return kept, left
}

// extract is what can be said of the context without understanding it: what binds, and what is in the way.
// Criteria and constraints stand in their own sections in any case.
func extract(h schemas.Handoff, label string, p pen) part {
	c := contextOf(h)
	var texts []string
	for _, d := range c.Decisions {
		texts = append(texts, "Decided: "+because(d.Decision, d.Rationale))
	}
	for _, s := range c.KnownIssues {
		texts = append(texts, "Known issue: "+s)
	}
	for _, s := range c.PreviousFailures {
		texts = append(texts, "Failed before: "+s)
	}
	texts = append(texts, "Criteria and constraints: in their sections below.")
	return part{name: summaryPart, section: ofContext, lines: p.list(label, texts), context: true}
}

func contextOf(h schemas.Handoff) *schemas.Context { return cmp.Or(h.Context, &schemas.Context{}) }
