package brief

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/content"
	"handoff/schemas"
)

// pastClaimLines returns the lines about the claim before the current claim: the agent that held the work, when and why
// its claim ended, and where its results are.
func pastClaimLines(s PastClaim, of schemas.ID, p pen) []string {
	if s.Agent == "" {
		return nil
	}
	when := s.Until.UTC().Format(time.RFC3339) + schemas.WithPrefix(", when ", s.End)
	id := cmp.Or(s.Handoff, of)
	lines := []string{fmt.Sprintf("- An earlier session of %s had %s until %s. The working tree may hold its work: look there "+
		"before you begin anew.", p.oneLine(string(s.Agent), 64), id, when)}
	if s.Late > 0 {
		lines = append(lines, "- Its result came late. Read it first: "+getHandoffCall(id, schemas.GetIn{View: "outcome"}))
	}
	return lines
}

// endingLines returns a line about a handoff that ended without a valid result: its status, the reason, and the handoff
// that replaced it.
func endingLines(st schemas.HandoffState, p pen) []string {
	if !st.Status.HasEnded() || st.Status == schemas.Completed {
		return nil
	}
	text := "- It ended as " + string(st.Status) + schemas.WithPrefix(": ", p.oneLine(st.Reason, maxResult))
	if st.Successor != 0 {
		text += "; " + st.Successor.String() + " took its place"
	}
	return []string{text}
}

// progressLines returns the lines about the work of earlier holders: the last reports, open questions, completed and
// incomplete steps, and the last checkpoint. The next holder must not start over, so these lines belong to the request
// and get room before the context.
func progressLines(in Input, c *schemas.Context, p pen) []string {
	k := cmp.Or(c.Checkpoint, &schemas.Checkpoint{})
	return slices.Concat(
		reportLines(in, p), p.labelledBullets("Open questions", in.Standing.Questions), partialProgressLines(c.PartialProgress, p),
		p.labelledText("Restores checkpoint", strings.Join(schemas.NonEmpty(k.ID, k.Note), ": ")), partialProgressLines(k.PartialProgress, p),
		labelledPairs(p, "State at the checkpoint", k.State),
	)
}

// stateBesideCheckpoint returns the state that the sender wrote, or nil if it is the state at the checkpoint.
func stateBesideCheckpoint(c *schemas.Context) map[string]any {
	if c.Checkpoint != nil && reflect.DeepEqual(c.State, c.Checkpoint.State) {
		return nil
	}
	return c.State
}

// reportLines returns the reports of the holders, each with author and time, the last report first. If there are none,
// it returns the note in the state of the handoff, which has no author. For an ended handoff it omits this note,
// because the note gives the reason of the end.
func reportLines(in Input, p pen) []string {
	label := "Last report"
	if in.Standing.Status.HasEnded() {
		label = "Last report before it ended"
	} else if in.Standing.Percent > 0 {
		label = fmt.Sprintf("Last report, %d%% done", in.Standing.Percent)
	}
	if len(in.Reports) == 0 {
		if in.Standing.Status.HasEnded() { // the note is the reason of the end, not a report
			return nil
		}
		return p.labelledText(label, in.Standing.Note)
	}
	by := func(r HolderReport) string {
		return p.oneLine(string(r.By), 64) + " at " + r.At.UTC().Format(time.RFC3339)
	}
	before := schemas.Map(in.Reports[1:], func(r HolderReport) string { return by(r) + ": " + r.Text })
	return append(p.labelledText(label+", by "+by(in.Reports[0]), in.Reports[0].Text), p.labelledBullets("Reports before", before)...)
}

// partialProgressLines returns the completed and incomplete steps, or nil if pp is nil.
func partialProgressLines(pp *schemas.PartialProgress, p pen) []string {
	if pp == nil {
		return nil
	}
	return append(p.labelledBullets("Done before", pp.Completed), p.labelledBullets("Not done", pp.Incomplete)...)
}

// remarkLines returns one line for each note that the sender added with an amendment or a retry.
func remarkLines(all []schemas.Remark, p pen) (lines []string) {
	for _, r := range all {
		label := "Amended by "
		if r.With == schemas.ActRetry {
			label = "Advice for this attempt from "
		}
		lines = append(lines, p.labelledText(label+p.oneLine(string(r.From), 64), r.Note)...)
	}
	return lines
}

// answerLines returns the questions of earlier holders, each with its answer and the agent that answered. The questions
// of one call are numbered, because the answer may refer to the numbers.
func answerLines(all []schemas.Answer, p pen) (lines []string) {
	for _, a := range all {
		switch len(a.Questions) {
		case 0:
			lines = append(lines, p.bulletLines("  ", fmt.Sprintf("%s: %s", a.From, a.Answer))...)
		case 1:
			lines = append(lines, p.bulletLines("  ", fmt.Sprintf("%s\n%s: %s", a.Questions[0], a.From, a.Answer))...)
		default:
			lines = append(lines, "  - Asked:")
			for i, q := range a.Questions {
				asked := p.bulletLines("    ", q)
				asked[0] = strings.Replace(asked[0], "- ", fmt.Sprintf("%d. ", i+1), 1)
				lines = append(lines, asked...)
			}
			lines = append(lines, p.bulletLines("  ", fmt.Sprintf("%s answered: %s", a.From, a.Answer))...)
		}
	}
	if lines == nil {
		return nil
	}
	return append([]string{"- Answers to earlier questions:"}, lines...)
}

// recalledLines returns a line for each text of an earlier handoff, with the id of the handoff.
func recalledLines(all []RecalledText, p pen) []string {
	return p.labelledBullets("Recalled from earlier work, as it was then", schemas.Map(all, func(r RecalledText) string {
		return r.Of.String() + " " + p.oneLine(r.Text, maxResult)
	}))
}

// fileLines returns the relevant paths, each with its line numbers and a note. A file that did not exist when the
// handoff was sent is shown as missing, even if it exists now.
func fileLines(all []schemas.File, p pen) []string {
	return p.labelledBullets("Files", schemas.Map(all, func(f schemas.File) string {
		text := f.Path + schemas.WithPrefix(":", f.Lines)
		if f.Missing {
			text += " (not there when it was sent)"
		}
		return strings.Join(schemas.NonEmpty(text, f.Note), ": ")
	}))
}

// artifactText returns an artifact as one text: type and path, then description and content, then the reason.
func artifactText(a schemas.Artifact) string {
	head := strings.Join(schemas.NonEmpty(a.Type, a.Path), " ")
	body := strings.Join(schemas.NonEmpty(a.Description, a.Content), "\n") + schemas.WithPrefix(", because: ", a.Rationale)
	return strings.Join(schemas.NonEmpty(head, body), ": ")
}

// shortArtifactLines returns a shorter form of the artifacts, in which a call replaces each long content. So one long
// artifact does not take the room of the artifacts after it. It returns nil for a single artifact, because the
// beginning of its content is more useful than a call.
func shortArtifactLines(id schemas.ID, all []schemas.Artifact, p pen) []string {
	var texts []string
	for i, a := range all {
		if n := content.CountTokens(a.Content); n > 2*minCallTokens {
			call := getHandoffCall(id, schemas.GetIn{Reference: fmt.Sprintf("artifacts/%d/content", i)})
			a.Content = schemas.CountNoun(n, "token") + ": " + call
		}
		texts = append(texts, artifactText(a))
	}
	if len(all) < 2 {
		return nil
	}
	return p.labelledBullets("Artifacts", texts)
}

// projectLines returns one line about the project: name, path, branch, commit and tech stack. The holder may be at a
// newer commit, so the line says that the commit is the sender's. It mentions uncommitted changes, because the commit
// does not contain these changes.
func projectLines(pr *schemas.Project, p pen) []string {
	if pr == nil {
		return nil
	}
	known := schemas.NonEmpty(strings.Join(schemas.NonEmpty(pr.Name, pr.Path), " "), schemas.WithPrefix("branch ", pr.Branch),
		schemas.WithPrefix("sent at commit ", schemas.ShortCommit(pr.Commit)), schemas.WithPrefix("built with ", strings.Join(pr.TechStack, ", ")))
	if pr.Dirty {
		known = append(known, "with uncommitted changes")
	}
	return p.labelledText("Project", strings.Join(known, ", "))
}

// senderChangeLines lists uncommitted changes in the sender's working tree, if the holder works in another tree.
func senderChangeLines(in Input, p pen) []string {
	t, mine := in.Handoff.Tree, cmp.Or(in.Standing.ClaimedIn, &schemas.Tree{})
	if t == nil || len(t.Uncommitted) == 0 || t.Path == mine.Path {
		return nil
	}
	some := t.WithAtMostFiles(3)
	text := strings.Join(some.Uncommitted, ", ")
	if some.More > 0 {
		text += fmt.Sprintf(" and %d more", some.More)
	}
	return p.labelledText("Sent from a tree with uncommitted changes", text+": you may not see them")
}

// referenceLines returns the lines about content that is not in the handoff itself: name, size, the sender's key
// points, and the call that reads the content if this workspace stores it.
func referenceLines(id schemas.ID, all []schemas.Reference, p pen) []string {
	var here, elsewhere []string
	for _, r := range all {
		text := strings.Join(schemas.NonEmpty(r.Name, r.URL), " ")
		switch {
		case r.IsKept():
			text = r.Name
		case r.Digest == schemas.NotKept:
			elsewhere = append(elsewhere, r.Name+" (no longer kept)")
			continue
		}
		var size string
		if r.Tokens > 0 {
			size = schemas.CountNoun(r.Tokens, "token")
		}
		if about := schemas.NonEmpty(size, r.Media); len(about) > 0 {
			text += " (" + strings.Join(about, ", ") + ")"
		}
		_, kept := content.ParseReference(r.URL, 0)
		if kept {
			text += ": " + getHandoffCall(id, schemas.GetIn{Reference: cmp.Or(strings.TrimPrefix(r.URL, content.ContextURL(id, "")), r.URL)})
		}
		text = strings.Join(append([]string{text}, r.KeyPoints...), "\n")
		if kept {
			here = append(here, text)
		} else {
			elsewhere = append(elsewhere, text)
		}
	}
	return append(p.labelledBullets("References", here), p.labelledBullets("References that handoff cannot fetch", elsewhere)...)
}
