package look

import (
	"context"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/identity"
	"handoff/schemas"
)

// showNotice reads a notice of the agent who asks.
func showNotice(ctx context.Context, a *cli.App, id string) error {
	by, err := a.Caller(false)
	if err != nil {
		return err
	}
	if by.Agent == "" {
		return schemas.Invalidf("agent", "is needed to know whose notice %s is", schemas.Visible(schemas.Clip(id, 80))).
			WithHint("%s", identity.Missing().Hint)
	}
	out, raw, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": id})
	if err != nil {
		return err
	}
	return a.Print(raw, func(p *cli.Page) { printNotice(p, out.Notice) })
}

// printNotice draws mail that is only read, and for a message the whole of what was sent.
func printNotice(p *cli.Page, n *schemas.Notice) {
	p.Line("%s %s", p.Bold(n.ID.String()), schemas.Visible(strings.Join(strings.Fields(n.Title), " ")))
	p.Field("from", string(n.From))
	p.Field("to", string(n.To))
	p.Field("kind", n.Kind)
	p.Field("about", n.About.String())
	p.Field("at", n.At.Format(time.RFC3339))
	if n.Text != "" {
		p.Line("\n%s", schemas.Visible(n.Text))
	}
	if len(n.Body) > 0 {
		p.Document(n.Body)
	}
}
