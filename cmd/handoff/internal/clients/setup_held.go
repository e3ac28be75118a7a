package clients

import (
	"context"
	"fmt"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/relay"
)

// A heldHandoff is one that a session holds while its client is about to lose handoff.
type heldHandoff struct {
	HandoffID schemas.ID    `json:"handoff_id"`
	Title     string        `json:"title"`
	Holder    schemas.Agent `json:"holder"`
	Workspace string        `json:"workspace"`
}

const (
	lookingForHeld = 2 * time.Second // how long all workspaces are asked for what is held in them
	mostHeld       = 20              // handoffs of a workspace that are named, of those that go on and of those that do not
)

// held gives the handoffs that are held in workspaces which a process has open: as long as sessions of clients run,
// one of their servers does. What cannot be asked is left out.
func (s *setupRun) held(ctx context.Context) (all []heldHandoff) {
	ctx, end := context.WithTimeout(ctx, lookingForHeld)
	defer end()
	places, _ := workspace.All(s.Getenv)
	for _, place := range places {
		if note, there := relay.ReadNote(place.Dir); there && note.Running() {
			all = append(all, s.heldIn(ctx, place)...)
		}
	}
	return all
}

func (s *setupRun) heldIn(ctx context.Context, place workspace.Workspace) (all []heldHandoff) {
	boxes, err := opened(ctx, s.App, place)
	if err != nil {
		return nil
	}
	defer func() { _ = boxes.Close() }() // it was only read
	call := tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI}, Tool: "workspace_overview"}
	out, _ := tools.Ask[schemas.OverviewOut](ctx, boxes, call, schemas.OverviewIn{Limit: mostHeld})
	for _, c := range slices.Concat(out.Running.Items, out.NeedsYou.Items, out.Stuck.Items) {
		if c.Status.Held() {
			all = append(all, heldHandoff{c.HandoffID, c.Title, c.Holder, place.Name})
		}
	}
	return all
}

// warnOfHeld tells what goes on how when the clients lose handoff.
func (s *setupRun) warnOfHeld(p *cli.Page) {
	if len(s.heldNow) == 0 {
		return
	}
	p.Line("%s sessions hold work. They lose their hooks at once, and nothing reminds them before they stop:", p.Yellow("warning:"))
	for _, h := range s.heldNow {
		p.Line("  %s, held by %s in %s: %s", h.HandoffID, h.Holder, h.Workspace, schemas.Visible(h.Title))
	}
	first := s.heldNow[0]
	p.Line("  Let them finish first. Or go on without them: %s", fmt.Sprintf(
		"handoff update %d --release --workspace %s offers the first to others, handoff list --box all --workspace %s shows all.",
		first.HandoffID, first.Workspace, first.Workspace))
}
