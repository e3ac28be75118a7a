package compose

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/schemas"
)

// verdictSchema is the schema of the output of a review.
var verdictSchema = json.RawMessage(`{"type":"object","required":["verdict"],"properties":{` +
	`"verdict":{"enum":["accept","rework"]},"points":{"type":"array","items":{"type":"string"},` +
	`"description":"with rework: what is to be mended, one each"}}}`)

// ReviewHandoff makes the handoff that asks a reviewer for a verdict on a result. Its task names the commits of the
// diff. The argument why is the reason for the review, or "" if the sender asked for the review. Title and task may be
// longer than a handoff allows, so callers shorten them.
func ReviewHandoff(asked schemas.Handoff, done schemas.Completion, of schemas.Review, why string) schemas.Handoff {
	task := []string{fmt.Sprintf("Review what %s delivered for %s, round %d of %d: compare it with the task.", of.By, of.Of, of.Round, of.Rounds)}
	if why != "" {
		task = append(task, why)
	}
	task = append(task, `Complete this with output {"verdict":"accept"}, or {"verdict":"rework","points":["…"]}: each point is a thing to mend, and `+
		"becomes a criterion of the next round.")
	if diff := diffText(done.Tree); diff != "" {
		task = append(task, "Diff: "+diff)
	}
	return schemas.Handoff{
		Type: schemas.TypeReview, Title: fmt.Sprintf("Review of %s: %s", of.Of, asked.Title), Review: &of,
		Task:         strings.Join(append(task, "Asked: "+asked.Task), "\n\n"),
		Expectations: &schemas.Expectations{OutputSchema: verdictSchema},
	}
}

// diffText describes where to find the changes of a completion. It returns "" if git showed no changes.
func diffText(t *schemas.Tree) string {
	if t == nil || t.Since == "" {
		return ""
	}
	seen := t.WithAtMostFiles(20)
	text := fmt.Sprintf("git diff %s..%s", schemas.ShortCommit(t.Since), schemas.ShortCommit(t.Commit))
	if t.Since == t.Commit {
		text = "nothing was committed since the claim, at " + schemas.ShortCommit(t.Commit)
	}
	text += schemas.WithPrefix(", branch ", t.Branch)
	text += schemas.WithPrefix("; changed: ", strings.Join(seen.Changed, ", "))
	text += schemas.WithPrefix("; in no commit: ", strings.Join(seen.Uncommitted, ", "))
	if seen.More > 0 {
		text += fmt.Sprintf(", and %d more", seen.More)
	}
	return text
}
