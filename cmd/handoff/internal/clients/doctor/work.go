package doctor

import (
	"context"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
	"handoff/tools"
)

// A Desk is how handoffs of a workspace are looked at.
type Desk struct {
	Boxes tools.Invoker
	Now   time.Time
	Shell Shell

	known map[schemas.Agent]schemas.Card
}

const (
	quiet        = 30 * time.Minute // after which a holder that shows no sign of life is noticed
	unclaimed    = 15 * time.Minute // after which mail for a name that nobody has used is noticed
	unmet        = time.Hour        // after which somebody who is asked for something is reminded of it
	mostHandoffs = 200              // handoffs of one state that are looked at, the newest
	mostFindings = 10               // findings at most
)

// Work examines the handoffs that have not ended, and finds those that go on only if somebody does something.
func Work(ctx context.Context, d Desk) []Finding {
	findings, open, err := d.examine(ctx)
	switch {
	case err != nil:
		return []Finding{failure(aboutWork, "the handoffs cannot be looked at: %s", schemas.AsError(err).Message).
			try(d.Shell.line("list"))}
	case len(findings) == 0:
		return []Finding{ok(aboutWork, "%s under way, and nothing is stuck", counted(open, "handoff"))}
	case len(findings) > mostFindings:
		more := len(findings) - mostFindings
		return append(findings[:mostFindings], warning(aboutWork, "and %d more", more).try(d.Shell.line("list --stuck")))
	}
	return findings
}

func (d Desk) examine(ctx context.Context) (all []Finding, open int, err error) {
	in := schemas.AgentsIn{Limit: 100_000}
	agents, err := tools.Ask[schemas.AgentsOut](ctx, d.Boxes, d.call("list_agents"), in)
	if err != nil {
		return nil, 0, err
	}
	d.known = map[schemas.Agent]schemas.Card{}
	for _, c := range agents.Agents {
		d.known[c.Name] = c
	}
	for _, status := range schemas.Statuses {
		if status.Ended() {
			continue
		}
		items, err := d.list(ctx, status)
		if err != nil {
			return nil, 0, err
		}
		open += len(items)
		for _, item := range items {
			found, err := d.item(ctx, item)
			if err != nil {
				return nil, 0, err
			}
			all = append(all, found...)
		}
	}
	return all, open, nil
}

func (d Desk) call(tool string) tools.Call {
	return tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI}, Tool: tool}
}

func (d Desk) list(ctx context.Context, status schemas.Status) (items []schemas.Item, err error) {
	in := schemas.ListIn{Box: "all", Status: schemas.Standings(status), Limit: 50}
	for len(items) < mostHandoffs {
		out, err := tools.Ask[schemas.ListOut](ctx, d.Boxes, d.call("list_handoffs"), in)
		if err != nil {
			return nil, err
		}
		items = append(items, out.Items...)
		if in.Cursor = out.Cursor; in.Cursor == "" {
			break
		}
	}
	return items, nil
}

func (d Desk) standing(ctx context.Context, id string) (schemas.Standing, error) {
	out, err := tools.Ask[schemas.GetOut](ctx, d.Boxes, d.call("get_handoff"),
		schemas.GetIn{HandoffID: id, View: "outcome"})
	if err != nil || out.Standing == nil {
		return schemas.Standing{Status: out.Status}, err
	}
	return *out.Standing, nil
}

func (d Desk) item(ctx context.Context, item schemas.Item) ([]Finding, error) {
	st, err := d.standing(ctx, item.HandoffID.String())
	switch {
	case err != nil:
		return nil, err
	case st.Status == schemas.Pending && len(st.BlockedBy) > 0:
		return d.blocked(ctx, item, st)
	case st.Status == schemas.Pending:
		return d.unread(item, st), nil
	}
	return d.held(ctx, item, st)
}

// held examines a claim.
func (d Desk) held(ctx context.Context, item schemas.Item, st schemas.Standing) ([]Finding, error) {
	card := d.known[st.Holder]
	silence := d.Now.Sub(later(card.Seen, st.ClaimedAt))
	var found Finding
	switch {
	case st.LeaseEnds != nil && st.LeaseEnds.Before(d.Now):
		found = warning(aboutWork, "%s is held by %s for %s longer than it may be",
			item.HandoffID, st.Holder, d.ago(*st.LeaseEnds))
	case st.Status == schemas.Waiting && silence > unmet:
		return []Finding{warning(aboutWork, "%s waits for %s to answer what %s asked, as with handoff update %d --answer",
			item.HandoffID, item.From, st.Holder, item.HandoffID).try(d.Shell.line("show %d", item.HandoffID))}, nil
	case st.Status != schemas.Waiting && !card.Live && silence > quiet:
		found = warning(aboutWork, "%s is held by %s, of which nothing was seen for %s",
			item.HandoffID, st.Holder, terminal.Age(silence))
	default:
		return nil, nil
	}
	remedy, err := d.release(ctx, item, st)
	return []Finding{found.try(remedy)}, err
}

func later(t time.Time, other *time.Time) time.Time {
	if other != nil && other.After(t) {
		return *other
	}
	return t
}

func (d Desk) ago(t time.Time) string { return terminal.Age(d.Now.Sub(t)) }

// unread examines a handoff that waits for an agent.
func (d Desk) unread(item schemas.Item, st schemas.Standing) []Finding {
	name, directed := st.Box.Directed()
	card, met := d.known[name]
	if !directed || name == schemas.Human || met && (card.Live || !card.Seen.IsZero()) || d.Now.Sub(item.At) < unclaimed {
		return nil
	}
	return []Finding{warning(aboutWork,
		"%s waits for %s since %s, and nobody has ever acted under that name: handoff update %d --to redirects it",
		item.HandoffID, name, d.ago(item.At), item.HandoffID).try(d.Shell.line("agents"))}
}

// approval is in the list of what a handoff waits for if a person has to approve it.
const approval = "approval"

// blocked examines a handoff that waits for something else than an agent.
func (d Desk) blocked(ctx context.Context, item schemas.Item, st schemas.Standing) ([]Finding, error) {
	if slices.Contains(st.BlockedBy, approval) {
		if d.Now.Sub(item.At) < unmet {
			return nil, nil
		}
		return []Finding{warning(aboutWork, "%s waits for a person to approve it since %s", item.HandoffID, d.ago(item.At)).
			try(d.Shell.line("approve %d", item.HandoffID))}, nil
	}
	for _, id := range st.BlockedBy {
		id, acceptance := strings.CutPrefix(id, schemas.AcceptanceOf)
		before, err := d.standing(ctx, id)
		if err != nil {
			return nil, err
		}
		if acceptance && before.Status == schemas.Completed {
			return []Finding{warning(aboutWork, "%s waits until the result of %s is accepted", item.HandoffID, id).
				try(d.Shell.line("accept %s", id))}, nil
		}
		if before.Status.Ended() {
			found := warning(aboutWork, "%s waits for %s, which is %s and will not be completed",
				item.HandoffID, id, before.Status)
			remedy, err := d.retry(ctx, id)
			return []Finding{found.try(remedy)}, err
		}
	}
	return nil, nil
}

// release is the command with which the owner of the workflow takes a claim back. The sender of the handoff alone
// may not do that. If the owner is the system or the holder itself, the command only shows the handoff.
func (d Desk) release(ctx context.Context, item schemas.Item, st schemas.Standing) (string, error) {
	in := schemas.HistoryIn{Workflow: string(item.Workflow), Format: "rows", Limit: 1}
	out, err := tools.Ask[schemas.HistoryOut](ctx, d.Boxes, d.call("handoff_history"), in)
	if err != nil {
		return "", err
	}
	if len(out.Items) == 0 || out.Items[0].From == schemas.System || out.Items[0].From == st.Holder {
		return d.Shell.line("show %d", item.HandoffID), nil
	}
	return d.Shell.line("update %d --release --agent %s", item.HandoffID, out.Items[0].From), nil
}

// retry is the command by which the sender of a handoff runs it again.
func (d Desk) retry(ctx context.Context, id string) (string, error) {
	out, err := tools.Ask[schemas.GetOut](ctx, d.Boxes, d.call("get_handoff"), schemas.GetIn{HandoffID: id, View: "full"})
	if err != nil || out.Handoff == nil || out.Handoff.Source.Agent == schemas.System {
		return d.Shell.line("show %s", id), err
	}
	return d.Shell.line("retry %s --agent %s", id, out.Handoff.Source.Agent), nil
}
