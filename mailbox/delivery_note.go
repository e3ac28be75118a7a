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
func (d *delivery) leaveNotes(what string) error {
	held, err := d.held()
	if err != nil {
		return err
	}
	more, err := d.heldWithoutServer(held)
	if err != nil {
		return err
	}
	held = append(held, more...)
	session := schemas.Visible(strings.Join(strings.Fields(d.in.Session), " "))
	happened := fmt.Sprintf("%ssession %s of %s %s", ofSession, cmp.Or(session, "(unnamed)"), d.by.Agent, what)
	for _, r := range held {
		if err := d.alone(func() error { return d.leaveNote(r, happened) }); err != nil {
			d.Logger.Error("a session left no note", slog.String("handoff", r.ID.String()), slog.Any("error", err))
		}
	}
	return nil
}

// leaveNote adds a line to what was kept last. It takes the place of the one before it, and is left out when
// nothing has happened since that says the same.
func (d *delivery) leaveNote(r *store.Record, happened string) error {
	last, err := lastCheckpoint(d.View, r)
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
	lines = append(lines, fmt.Sprintf("%s at %s.", happened, d.now.UTC().Format(time.RFC3339)))
	kept.Note = strings.TrimLeft(strings.Join(lines, "\n"), "\n")
	d.noted = true
	holder := d.by
	holder.Agent = r.Holder
	return d.actingAs(holder, func() error {
		_, err := d.checkpoint(r, &kept)
		return err
	})
}
