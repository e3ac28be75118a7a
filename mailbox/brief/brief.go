// Package brief renders a handoff for the model that takes it.
//
// A brief is Markdown in the template of the agent handoff protocols: task, context summary, specific task,
// key information, constraints, expected output, success criteria, and what to do when stuck. It is packed
// into a number of tokens in order of importance; what did not fit is named, so that it can be fetched.
//
// What a sender wrote reaches the model as data from a named agent. The whole of it stands between two tags
// that carry a word derived from a secret, so that nothing inside can end it; control, bidirectional and
// zero-width characters are shown as escapes; and each line of the sender's begins with a bullet, a number
// or a quote mark, so that it cannot pass for a heading of the brief.
//
// Rendering is pure: equal inputs give equal briefs, so a test can hold one to a golden file.
//
// The files: parts.go says what a brief may contain and in which order of importance, asked.go and known.go write the
// parts, pack.go fits them into tokens, frame.go puts the tags around them, and pen.go is the only way for text of
// others into a brief.
package brief

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/content"
	"handoff/schemas"
)

// The number of tokens that a brief is packed into. The default is what a model reads without noticing; the least is
// what the frame, the sender, a task in short and the names of all that is left out take.
const (
	DefaultTokens = 1500
	MinTokens     = 400 // frame, sender, a task in short, and the names of all that is left out
)

// Input is what a brief is made of. Only the handoff and the nonce are needed. Nothing in it is changed.
type Input struct {
	Handoff   schemas.Handoff
	Standing  schemas.Standing   // who holds it, and what was reported last
	Before    Session            // who had the work before, zero for nobody
	Reports   []Report           // of its holders, newest first; empty: the note of the standing is told
	Criteria  []schemas.Answered // with the numbers by which complete_handoff answers them
	Ancestors []schemas.Step     // root first, without the handoff itself
	Results   []Result           // of the handoff that this one continues or does again, then of those it waited for
	Recalled  []Recalled         // what was decided before, the newest first
	Answers   schemas.Agent      // who answers questions, default the sender
	TakesBack schemas.Agent      // who goes on when it fails, default as the handoff says
	MaxTokens int                // default [DefaultTokens]; less than [MinTokens] means that
	Nonce     string             // a secret that no sender knows; the tag is derived from it and the id
}

// Session is a claim that is over, of the same work: whoever goes on finds what it left.
type Session struct {
	Agent   schemas.Agent
	Handoff schemas.ID // that it had, zero for the one of the brief
	Until   time.Time  // when it was heard of last, or lost the claim
	End     string     // how it lost it, as "its lease ended"; empty where nobody knows
	Late    int        // results that came after that
}

// Result is what an earlier handoff handed in, and the title of that one.
type Result struct {
	schemas.Completion
	Title string
}

// Recalled is a decision of an earlier handoff.
type Recalled struct {
	Of       schemas.ID
	Decision schemas.Decision
}

// Report is a note of a holder.
type Report struct {
	By      schemas.Agent
	At      time.Time
	Percent int // of the whole work, 0 where it did not say
	Text    string
}

// Brief is the text for the model, and what it leaves out. The text ends without a line end. Each name in Omitted is
// that of a part of the template, so that a reader knows what it did not get; the footer of the text names the same
// ones, each with the calls that give all of it.
type Brief struct {
	Text     string
	Omitted  []string // names of parts; "(in part)" after one that was shortened
	Tokens   int      // of Text, at most what was asked for
	Transfer schemas.Transfer
}

// Render makes the brief of a handoff. Package reading calls it for each claim and for each look at a brief.
//
// The text has in.MaxTokens at most, as [content.Tokens] counts, where zero means [DefaultTokens] and less than
// [MinTokens] means that. What is asked of the receiver is packed first, what is known after it, each in order of
// importance. A handoff that fits is never shortened.
//
// Every text that a sender, a holder or an agent's registration wrote passes the pen of the brief. It cannot end the
// frame, look like a heading, or hide a character. Render never fails.
func Render(in Input) Brief {
	f := newFrame(in)
	all := parts(in, f.pen)
	kept, left := choose(in.Handoff, all, f.pen)
	text, omitted, tenths := pack(f, kept, left, max(cmp.Or(in.MaxTokens, DefaultTokens), MinTokens))
	b := Brief{Text: text, Omitted: omitted, Tokens: content.Whole(tenths)}
	original := b.Tokens
	if len(omitted)+len(left) > 0 {
		original = content.Tokens(f.render(all, nil, 0))
	}
	b.Transfer = schemas.Transfer{
		Strategy:       strategy(in.Handoff),
		Tokens:         b.Tokens,
		OriginalTokens: original + storedTokens(in.Handoff),
		SummaryTokens:  summaryTokens(in.Handoff, kept),
	}
	return b
}

// Answer is what the model is told that asked and has read the brief: its questions with the answer, numbered as it
// asked. The transfer stays zero: no context is passed on by it.
func Answer(in Input) Brief {
	f := newFrame(in)
	all := contextOf(in.Handoff).Answers
	const ending = "\nAll else is as you read it."
	last := part{name: "answers", section: ofKey, lines: answers(all[max(len(all)-1, 0):], f.pen), rest: rest(in, "answers")}
	text, omitted, _ := pack(f, []part{last}, nil, max(cmp.Or(in.MaxTokens, DefaultTokens), MinTokens)-content.Tokens(ending))
	text += ending
	return Brief{Text: text, Omitted: omitted, Tokens: content.Tokens(text)}
}

// summaryTokens is the size of what stands in for the context under the strategy summary, zero under the others.
func summaryTokens(h schemas.Handoff, kept []part) int {
	i := slices.IndexFunc(kept, func(p part) bool { return p.name == summaryPart })
	if i < 0 || strategy(h) != summarized {
		return 0
	}
	return content.Tokens(strings.Join(kept[i].lines, "\n"))
}

// storedTokens is the size of what was stored by reference, as the sender said it.
func storedTokens(h schemas.Handoff) int {
	n := 0
	for _, r := range contextOf(h).References {
		n += r.Tokens
	}
	return n
}
