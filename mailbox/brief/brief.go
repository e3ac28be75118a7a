// Package brief renders a handoff as a text for the model that works on it.
//
// [Render] makes the brief: Markdown with the sections task, context, constraints, expected output and others. Its
// caller sets the maximum size in tokens. Render keeps the most important parts. For each part that does not fit, the
// brief names a call that returns the part.
//
// The model must not take the sender's text for instructions of its user. So the text stands between an opening and a
// closing tag. Both tags carry a word derived from a secret, so no text of a sender can contain the closing tag.
// Control, bidirectional and zero-width characters become escapes. Each line of the sender begins with a bullet, a
// number or a quote mark, so it cannot look like a heading of the brief.
//
// Equal inputs give equal briefs, so a test can compare a brief with a golden file.
//
// parts.go lists the parts in order of importance. asked.go, known.go and results.go write the parts, and pack.go
// selects and shortens parts. frame.go adds the tags, and pen.go cleans the text of senders.
package brief

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/content"
	"handoff/schemas"
)

// DefaultTokens is the maximum size of a brief for a caller that gives no maximum. A model can read that much with each
// claim. MinTokens replaces a smaller maximum of a caller. A brief of this size has room for the tags, the sender, a
// short task and the names of all omitted parts.
const (
	DefaultTokens = 1500
	MinTokens     = 400
)

// Input holds the content of a brief. Only the fields Handoff and Nonce are required. Render does not change its input.
type Input struct {
	Handoff   schemas.Handoff
	Standing  schemas.HandoffState        // with the holder and the last report
	LastClaim PastClaim                   // the last claim before this one, zero if there was none
	Reports   []HolderReport              // of the holders, newest first; if empty, the brief shows the note of the standing
	Criteria  []schemas.AnsweredCriterion // with the numbers by which complete_handoff answers them
	Ancestors []schemas.HistoryStep       // root first, without the handoff itself
	Results   []EarlierResult             // of the handoff that this one continues or repeats, then of its dependencies
	Root      schemas.Handoff             // the first handoff of the chain, if a rule sent this one; it says what was asked
	Recalled  []RecalledText              // of earlier handoffs about the same, the best first
	Answers   schemas.Agent               // the agent that answers questions, default the sender
	TakesBack schemas.Agent               // the agent that gets failed work, default as the handoff says
	MaxTokens int                         // default [DefaultTokens]; raised to [MinTokens] if less
	Nonce     string                      // a secret that no sender knows; Render derives the tag from it and the id

	OtherProducts []string // the products of the reader, if none of them is asked for and another type is
}

// PastClaim is an earlier claim of the same work. The brief mentions this claim, because the next holder may find files
// and commits of the earlier holder.
type PastClaim struct {
	Agent   schemas.Agent
	Handoff schemas.ID // the claimed handoff, zero for the handoff of the brief
	Until   time.Time  // when the agent was last seen, or lost the claim
	End     string     // the cause of the loss, as "its lease ended"; empty if unknown
	Late    int        // number of results that came after the end
}

// EarlierResult is the completion of an earlier handoff, with its title.
type EarlierResult struct {
	schemas.Completion
	Title string
}

// NamesWork reports whether a result names a branch or files, or git saw files that its holder changed.
func (r EarlierResult) NamesWork() bool {
	return r.Results["branch"] != nil || len(r.Files())+len(schemas.ValueOrZero(r.Tree).Changed) > 0
}

// RecalledText is the end or a decision of an earlier handoff, with the agent that wrote it.
type RecalledText struct {
	Of   schemas.ID
	Text string
}

// HolderReport is a note of a holder.
type HolderReport struct {
	By      schemas.Agent
	At      time.Time
	Percent int // of the whole work, 0 if not given
	Text    string
}

// Brief is the text for the model, with the names of the parts that did not fit. The text does not end with a newline.
// Omitted has the names of all parts that are missing or shortened. The end of the text tells which calls return these
// parts in full.
type Brief struct {
	Text     string
	Omitted  []string // names of parts; "(in part)" follows the name of a shortened part
	Tokens   int      // of Text, at most the requested number
	Transfer schemas.ContextUsage
}

// Render returns the brief of a handoff. Package reading calls it for each claim and for each view of a brief. Render
// never fails.
//
// The text has at most in.MaxTokens tokens, as [content.CountTokens] counts. Zero means [DefaultTokens]; a number below
// [MinTokens] means [MinTokens]. If the whole brief does not fit, the request (the work to do) gets room before the
// context (the sender's knowledge). A brief that fits is never shortened.
//
// Render cleans all text of senders, holders and registrations, so that this text cannot contain a tag, look like a
// heading, or hide a character.
func Render(in Input) Brief {
	f := newFrame(in)
	all := buildParts(in, f.pen)
	kept, left := selectParts(in.Handoff, all, f.pen)
	text, omitted, tenths := packParts(f, kept, left, max(cmp.Or(in.MaxTokens, DefaultTokens), MinTokens))
	b := Brief{Text: text, Omitted: omitted, Tokens: content.RoundUpTokens(tenths)}
	original := b.Tokens
	if len(omitted)+len(left) > 0 {
		original = content.CountTokens(f.render(all, nil, 0))
	}
	for _, r := range contextOrEmpty(in.Handoff).References { // whose content is not read
		original += r.Tokens
	}
	b.Transfer = schemas.ContextUsage{
		Strategy:       transferStrategy(in.Handoff),
		Tokens:         b.Tokens,
		OriginalTokens: original,
		SummaryTokens:  summaryTokens(in.Handoff, kept),
	}
	return b
}

// RenderAnswer returns the text for a model that has read the brief before and asked questions: the numbered questions
// of its last ask call, and the answer. The field Transfer stays zero, because this text contains none of the sender's
// context.
func RenderAnswer(in Input) Brief {
	f := newFrame(in)
	all := contextOrEmpty(in.Handoff).Answers
	const ending = "\nAll else is as you read it."
	last := briefPart{name: "answers", section: ofKey, lines: answerLines(all[max(len(all)-1, 0):], f.pen), calls: callsForPart(in, "answers")}
	text, omitted, _ := packParts(f, []briefPart{last}, nil, max(cmp.Or(in.MaxTokens, DefaultTokens), MinTokens)-content.CountTokens(ending))
	text += ending
	return Brief{Text: text, Omitted: omitted, Tokens: content.CountTokens(text)}
}

// summaryTokens returns the size of the summary, or of the extract that replaces the context, under the strategy
// summary. It returns zero for the other strategies.
func summaryTokens(h schemas.Handoff, kept []briefPart) int {
	i := slices.IndexFunc(kept, func(p briefPart) bool { return p.name == summaryPart })
	if i < 0 || transferStrategy(h) != summarized {
		return 0
	}
	return content.CountTokens(strings.Join(kept[i].lines, "\n"))
}
