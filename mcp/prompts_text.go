package mcp

import (
	"context"
	"fmt"
	"strings"

	"handoff/schemas"
)

func promptNext(_ context.Context, u promptUse) string {
	return fmt.Sprintf("Call claim_handoff with %s. Read the brief, do what it asks, and end with complete_handoff, "+
		"answering every criterion, or with fail_handoff. If nothing waits, tell me so.", readable(u.acting(arguments{})))
}

func promptInbox(ctx context.Context, u promptUse) string {
	inbox := u.acting(arguments{"box": "inbox", "limit": 20})
	list, err := ask[schemas.ListOut](ctx, u.server, u.by, "list_handoffs", inbox)
	switch {
	case err != nil:
		return failureText(err)
	case len(list.Items) == 0:
		return "The inbox is empty. Tell me so; claim_handoff with wait_seconds waits for mail."
	}
	var b strings.Builder
	b.WriteString("This waits in the inbox, the next one first. " + dataNotice + "\n\n")
	for _, i := range list.Items {
		b.WriteString(inboxLine(i))
	}
	if list.Cursor != "" {
		b.WriteString("There is more: list_handoffs goes on.\n")
	}
	b.WriteString("\nShow me this list. claim_handoff takes the next one, get_handoff shows one without taking it.")
	return b.String()
}

// inboxLine is one line of a list.
func inboxLine(i schemas.Item) string {
	words := []string{
		fmt.Sprintf("- %s %s", i.HandoffID, quotedLine(i.Title, 200)),
		"from " + string(i.From), string(i.Status),
	}
	if i.Priority != "" {
		words = append(words, string(i.Priority))
	}
	if i.Type != "" {
		words = append(words, "type "+quotedLine(i.Type, 64))
	}
	return strings.Join(words, ", ") + "\n"
}

func promptSend(ctx context.Context, u promptUse) string {
	text := fmt.Sprintf("Call send_handoff with %s. Add what the receiver needs to know and what must come back: "+
		"summary, context and expectations from our conversation. Then tell me its id and who got it.",
		readable(arguments{"to": u.given[toWhom.Name], "task": u.given[whatTask.Name]}))
	seen, err := ask[schemas.AgentsOut](ctx, u.server, u.by, "list_agents", arguments{})
	if err != nil || len(seen.Agents) == 0 {
		return text
	}
	return text + "\n\n" + Instructions{Agent: u.by.Agent, Others: seen.Agents}.others(MaxInstructions)
}

func promptShow(ctx context.Context, u promptUse) string {
	h, err := ask[schemas.GetOut](ctx, u.server, u.by, "get_handoff", arguments{"handoff_id": u.given[theID.Name]})
	switch {
	case err != nil:
		return failureText(err)
	case h.Notice != nil:
		return "Show me this notice. " + dataNotice + "\n\n" + noticeText(*h.Notice)
	}
	return fmt.Sprintf("Show me %s: what it asks, of whom, and where it stands. It is %s.\n\n%s\n\n"+
		"get_handoff with view full, outcome or events has the rest.", h.HandoffID, h.Status, h.Brief)
}

func noticeText(n schemas.Notice) string {
	about := ""
	if n.About != 0 {
		about = " about " + n.About.String()
	}
	return fmt.Sprintf("%s from %s%s, %s:\n\n%s", n.ID, n.From, about, n.Kind, quoteLines(n.Title+"\n"+n.Text))
}

func promptHistory(ctx context.Context, u promptUse) string {
	h, err := u.history(ctx, u.given[whichFlow.Name])
	if err != nil {
		return failureText(err)
	}
	return "Show me this history and say in a sentence how it went.\n\n" + historyText(h)
}

func promptRetry(ctx context.Context, u promptUse) string {
	h, err := ask[schemas.GetOut](ctx, u.server, u.by, "get_handoff", arguments{"handoff_id": u.given[theID.Name]})
	switch {
	case err != nil:
		return failureText(err)
	case h.Notice != nil:
		return fmt.Sprintf("This did not work: %s is a notice, and only a handoff is retried.", h.Notice.ID)
	}
	call := arguments{"handoff_id": h.HandoffID.String(), "action": schemas.ActRetry}
	if note := u.given[whyRetry.Name]; note != "" {
		call["note"] = note
	}
	return fmt.Sprintf("Call update_handoff with %s and tell me the id of the new handoff. "+
		"This is the one that ended %s:\n\n%s", readable(call), h.Status, h.Brief)
}
