package reading

import (
	"fmt"
	"hash/crc32"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// maxProgress is the length of a reason or a report in a text about the progress of a handoff, in bytes.
const maxProgress = 160

// ProgressText says in one line how far a handoff is.
func (rd Reader) ProgressText(v *store.View, r *store.Record) string {
	oneLine := func(text string) string {
		return strings.Join(strings.Fields(schemas.EscapeHidden(schemas.Shorten(text, maxProgress))), " ")
	}
	text := fmt.Sprintf("%s is %s", r.ID, r.Status)
	if !r.Status.IsHeld() || r.Status == schemas.Waiting {
		if r.NeedsApproval {
			return text + ": it needs the approval of a person, handoff approve " + r.ID.String()
		}
		if reason, err := rd.StateReason(v, r); err == nil && reason != "" {
			text += ": " + oneLine(reason)
		}
		return text
	}
	text = fmt.Sprintf("%s holds %s since %s", r.Holder, r.ID, r.Claimed.Time().UTC().Format("2006-01-02 15:04 MST"))
	if r.Percent > 0 {
		text += fmt.Sprintf(", %d%% done", r.Percent)
	}
	if said, err := LastReport(v, r); err == nil && said != "" {
		text += ", by its own account: " + oneLine(said)
	}
	return text
}

// maxShown is the length of the text of a handoff that a request to a person shows, in bytes.
const maxShown = 1000

// PersonRequest returns what a handoff needs of a person before it can go on, or nil. In its text, the words of agents are
// quoted lines.
func PersonRequest(v *store.View, r *store.Record) *schemas.PersonRequest {
	request := func(event uint64, a schemas.Action, text, quoted string) *schemas.PersonRequest {
		quoted = schemas.EscapeHidden(schemas.Shorten(quoted, maxShown))
		text += "\n> " + strings.ReplaceAll(quoted, "\n", "\n> ")
		key := fmt.Sprintf("%s-%d-%08x", r.ID, event, crc32.ChecksumIEEE([]byte(text))) // another text is another question
		return &schemas.PersonRequest{Key: key, Handoff: r.ID, Action: a, Text: text}
	}
	switch who, err := AwaitedAnswerer(v, r); {
	case r.Status == schemas.Pending && r.NeedsApproval:
		var h schemas.Handoff
		if v.DecodeContent(r.ID, r.Body, &h) != nil {
			return nil
		}
		about := fmt.Sprintf("Approve %s from %s to %s? handoff show %s prints all of it.", r.ID, r.From, r.To, r.ID)
		return request(r.Body, schemas.ActApprove, about, h.Title+"\n\n"+h.Task)
	case r.Status == schemas.Waiting && who == schemas.Human && err == nil:
		var asked schemas.UpdateIn
		if v.DecodeContent(r.ID, r.Ask, &asked) != nil {
			return nil
		}
		about := fmt.Sprintf("%s asks about %s from %s to %s:", r.Asker, r.ID, r.From, r.To)
		return request(r.Ask, schemas.ActAnswer, about, schemas.JoinNumbered(asked.Questions, "\n"))
	}
	return nil
}
