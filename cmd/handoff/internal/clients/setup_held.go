package clients

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/open"
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
	mostHeld       = 20              // handoffs of a workspace that are named
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
	boxes, err := open.Workspace(ctx, open.Config{
		Name: place.Name, Dir: place.Dir, Runtime: s.Getenv("XDG_RUNTIME_DIR"), Version: s.Release.Version,
		Now: s.Now, Awake: s.Awake, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil
	}
	defer func() { _ = boxes.Close() }() // it was only read
	call := tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI}, Tool: "list_handoffs"}
	for _, status := range schemas.Statuses {
		if !status.Held() {
			continue
		}
		in := schemas.ListIn{Box: "all", Status: schemas.Standings(status), Limit: mostHeld}
		out, _ := tools.Ask[schemas.ListOut](ctx, boxes, call, in)
		for _, item := range out.Items {
			addressed, _ := item.To.Directed() // a row names the holder where that is another
			all = append(all, heldHandoff{item.HandoffID, item.Title, cmp.Or(item.Holder, addressed), place.Name})
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
