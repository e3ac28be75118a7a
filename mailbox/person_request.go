package mailbox

import (
	"fmt"
	"hash/crc32"
	"strings"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// maxShown is the length of the text of a handoff that a request to a person shows, in bytes.
const maxShown = 1000

// personRequest returns what a handoff needs of a person before it can go on, or nil. In its text, the words of agents are
// quoted lines.
func personRequest(v *store.View, r *store.Record) *schemas.PersonRequest {
	request := func(event uint64, a schemas.Action, text, quoted string) *schemas.PersonRequest {
		quoted = schemas.EscapeHidden(schemas.Shorten(quoted, maxShown))
		text += "\n> " + strings.ReplaceAll(quoted, "\n", "\n> ")
		key := fmt.Sprintf("%s-%d-%08x", r.ID, event, crc32.ChecksumIEEE([]byte(text))) // another text is another question
		return &schemas.PersonRequest{Key: key, Handoff: r.ID, Action: a, Text: text}
	}
	switch who, err := reading.AwaitedAnswerer(v, r); {
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
