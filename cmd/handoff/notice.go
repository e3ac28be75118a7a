package main

import (
	"context"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/identity"
	"handoff/schemas"
)

// isNotice tells the id of a notice, as no_7, which is read, from that of a handoff, which is worked on.
func isNotice(id string) bool { return strings.HasPrefix(id, "no_") }

// onlyRead refuses a notice where only a handoff will do.
func onlyRead(id, lacks string) error {
	id = schemas.Visible(schemas.Clip(id, 80))
	return schemas.Invalidf("ID", "%s is a notice: it %s", id, lacks).WithHint("handoff show %s reads it.", id)
}

// showNotice reads a notice of the agent who asks.
func (a *app) showNotice(ctx context.Context, id string) error {
	by, err := a.caller(false)
	if err != nil {
		return err
	}
	if by.Agent == "" {
		return schemas.Invalidf("agent", "is needed to know whose notice %s is", schemas.Visible(schemas.Clip(id, 80))).
			WithHint("%s", identity.Missing().Hint)
	}
	out, raw, err := once[schemas.GetOut](ctx, a, "get_handoff", arguments{"handoff_id": id})
	if err != nil {
		return err
	}
	return a.print(raw, func(p *page) { p.notice(out.Notice) })
}

// notice draws mail that is only read, and for a message the whole of what was sent.
func (p *page) notice(n *schemas.Notice) {
	p.line("%s %s", p.Bold(n.ID.String()), schemas.Visible(strings.Join(strings.Fields(n.Title), " ")))
	p.field("from", string(n.From))
	p.field("to", string(n.To))
	p.field("kind", n.Kind)
	p.field("about", n.About.String())
	p.field("at", n.At.Format(time.RFC3339))
	if n.Text != "" {
		p.line("\n%s", schemas.Visible(n.Text))
	}
	if len(n.Body) > 0 {
		p.document(n.Body)
	}
}
