package mailbox

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// ofSession is how the line of a checkpoint begins that tells what became of a session.
const ofSession = "[handoff] "

// leaveNotes leaves a checkpoint with all that the session holds, for whoever goes on: what happened to the session.
func (t *telling) leaveNotes(what string) error {
	held, err := t.held()
	if err != nil {
		return err
	}
	more, err := t.heldWithoutServer(held)
	if err != nil {
		return err
	}
	held = append(held, more...)
	session := schemas.Visible(strings.Join(strings.Fields(t.in.Session), " "))
	happened := fmt.Sprintf("%ssession %s of %s %s", ofSession, cmp.Or(session, "(unnamed)"), t.by.Agent, what)
	for _, r := range held {
		if err := t.alone(func() error { return t.leaveNote(r, happened) }); err != nil {
			t.Logger.Error("a session left no note", slog.String("handoff", r.ID.String()), slog.Any("error", err))
		}
	}
	return nil
}

// leaveNote adds a line to what was kept last. It takes the place of the one before it, and is left out when
// nothing has happened since that says the same.
func (t *telling) leaveNote(r *store.Record, happened string) error {
	last, err := lastCheckpoint(t.View, r)
	if err != nil {
		return err
	}
	kept := orZero(last)
	ours := func(line string) bool { return strings.HasPrefix(line, ofSession) }
	lines := strings.Split(kept.Note, "\n")
	said := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, happened) })
	if said && r.Checkpoint == r.Event {
		return nil
	}
	lines = slices.DeleteFunc(lines, ours)
	lines = append(lines, fmt.Sprintf("%s at %s.", happened, t.now.UTC().Format(time.RFC3339)))
	kept.Note = strings.TrimLeft(strings.Join(lines, "\n"), "\n")
	t.noted = true
	holder := t.by
	holder.Agent = r.Holder
	return t.actingAs(holder, func() error {
		_, err := t.checkpoint(r, &kept)
		return err
	})
}
