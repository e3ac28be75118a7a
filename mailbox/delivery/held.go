package delivery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/presence"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

const (
	// maxNamedItems is the number of items, and of held handoffs, that one delivery names. The result only counts the
	// others.
	maxNamedItems = 5

	// maxOthers is the number of other agents that one delivery names.
	maxOthers = 8
)

// addOtherAgents adds at most eight other connected agents to the result, and the number of further ones.
func (d *Delivery) addOtherAgents() {
	others := slices.DeleteFunc(d.Here.ActingAgents(), func(name schemas.Agent) bool { return name == d.Agent })
	d.Out.Here = others[:min(len(others), maxOthers)]
	d.Out.More = len(others) - len(d.Out.Here)
}

// addHeldHandoffs adds the first [maxNamedItems] held handoffs to the result, and the number of further ones. If a
// handoff is held by a subagent that the call does not name, the result names this subagent as its holder.
func (d *Delivery) addHeldHandoffs(held []*store.Record) {
	for _, r := range held[:min(len(held), maxNamedItems)] {
		h := schemas.HeldHandoff{
			HandoffID: r.ID, Title: schemas.EscapeHidden(r.Title), From: r.From, Rule: r.Rule, Status: r.Status, Percent: r.Percent,
			LeaseEnds: r.Lease.Ptr(),
		}
		if r.Holder != d.Agent && !slices.Contains(d.In.Subagents, r.Holder) {
			h.As = r.Holder
		}
		d.Out.Holding = append(d.Out.Holding, h)
	}
	d.Out.MoreHolding = len(held) - len(d.Out.Holding)
}

// heldHandoffs returns the handoffs that the session and its subagents hold. At the stop of a subagent, it returns only
// the handoffs of this subagent. It omits handoffs that another session holds under the same name.
func (d *Delivery) heldHandoffs() (all []*store.Record, err error) {
	conns, err := d.sessionConnections()
	if err == nil && len(d.In.Subagents) == 0 {
		all, err = d.appendHeldBy(nil, d.Agent, func(r *store.Record) bool { return !d.isHeldByOtherSession(r) })
	}
	for _, c := range conns {
		for _, name := range c.Agents {
			if err == nil && d.includesAgent(name) {
				all, err = d.appendHeldBy(all, name, func(r *store.Record) bool { return r.Conn == c.Name })
			}
		}
	}
	return all, err
}

// includesAgent reports whether the delivery includes the handoffs that the named agent holds over a connection of the
// session.
func (d *Delivery) includesAgent(name schemas.Agent) bool {
	if len(d.In.Subagents) > 0 {
		return name != d.Agent && slices.Contains(d.In.Subagents, name)
	}
	return name != d.Agent && !slices.Contains(d.In.AtWork, name)
}

// appendHeldBy adds handoffs that an agent holds to the list `all`, oldest first. It skips a handoff for which counts
// returns false, and a handoff that is already in the list. It stops when the list has a thousand handoffs.
func (d *Delivery) appendHeldBy(
	all []*store.Record, name schemas.Agent, counts func(*store.Record) bool,
) ([]*store.Record, error) {
	for r, err := range d.Held(name) {
		if err != nil || len(all) == reading.MaxScanned {
			return all, err
		}
		if counts(r) && !slices.ContainsFunc(all, func(known *store.Record) bool { return known.ID == r.ID }) {
			all = append(all, r)
		}
	}
	return all, nil
}

// sessionConnections returns the connections with the session's id, and all connections of the session's name. These
// may have an earlier id: when a user clears the client, the session gets a new id on the same connection.
func (d *Delivery) sessionConnections() (conns []presence.Connection, err error) {
	if d.In.Session != "" {
		conns = d.Here.Connections(presence.ConnectionFilter{Session: d.In.Session})
	}
	a, err := d.View.Agent(d.Agent)
	if a == nil || err != nil {
		return conns, err
	}
	named, open := d.Here.Connection(a.Conn)
	for _, c := range d.Here.Connections(presence.ConnectionFilter{Agent: d.Agent}) {
		if open && c.IsSameSession(named) {
			conns = append(conns, c)
		}
	}
	return conns, nil
}

// isHeldByOtherSession reports whether another session with the same name holds a handoff. It returns false if no
// connection has the session's id, because the holder may then be this session under an earlier id.
func (d *Delivery) isHeldByOtherSession(r *store.Record) bool {
	acts := func(in func(presence.Connection) bool) bool { return d.Here.ActsOverConnection(r.Holder, in) }
	return r.HolderID != d.In.Session && acts(func(c presence.Connection) bool { return c.Session == r.HolderID }) &&
		acts(func(c presence.Connection) bool {
			return c.Session == d.In.Session && !d.Here.IsSameSession(c.Name, r.Conn)
		})
}

// maxReminders is the number of successive reminders after which a session may stop with unfinished handoffs. It is
// limited because a client might otherwise continue the session for ever.
const maxReminders = 3

// onStop reminds a session that is about to stop of its unfinished handoffs. It reminds of each handoff once, and not
// of a handoff that waits for an answer. After [maxReminders] successive reminders, the session may stop. A session with
// a wait that polls may stop at once, because the end of the wait wakes it.
func (d *Delivery) onStop() error {
	if d.Polls {
		return nil
	}
	held, err := d.heldHandoffs()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(held, func(r *store.Record) bool {
		return !needsAction(r) || d.delivered.Reminded.Has(uint64(r.ID))
	})
	if len(left) == 0 || d.delivered.InARow == maxReminders {
		d.MarksChanged = d.MarksChanged || d.delivered.InARow > 0
		d.delivered.InARow = 0
		return nil
	}
	d.markDelivered(schemas.Marks{Reminded: schemas.Map(left, func(r *store.Record) schemas.ID { return r.ID })})
	d.delivered.InARow++
	d.Out.Remind = true
	d.addHeldHandoffs(left)
	return nil
}

// needsAction reports whether the holder has to act on a handoff now. It returns false for a handoff that waits for an
// answer.
func needsAction(r *store.Record) bool {
	return r.Status == schemas.Accepted || r.Status == schemas.Working
}

// sessionPrefix begins the line that the server adds to a checkpoint when a session ends or is compacted.
const sessionPrefix = "[handoff] "

// requestNotes adds each handoff that the session holds to HandoffsToNote, so that package mailbox stores a note for
// the next holder. The note says what happened to the session, such as "ended".
func (d *Delivery) requestNotes(what string) (err error) {
	if d.HandoffsToNote, err = d.heldHandoffs(); err != nil {
		return err
	}
	session := schemas.EscapeHidden(strings.Join(strings.Fields(d.In.Session), " "))
	d.eventForNotes = fmt.Sprintf("%ssession %s of %s %s", sessionPrefix, cmp.Or(session, "(unnamed)"), d.Agent, what)
	return nil
}

// CheckpointWithNote returns the last checkpoint of a handoff with a line about the session's event. The line replaces
// earlier lines of the server. The result is nil if the last checkpoint already has the line, so that a session that is
// compacted often adds only one line.
func (d *Delivery) CheckpointWithNote(r *store.Record) (*schemas.Checkpoint, error) {
	last, err := reading.LastCheckpoint(d.View, r)
	if err != nil {
		return nil, err
	}
	kept := schemas.ValueOrZero(last)
	lines := strings.Split(kept.Note, "\n")
	noted := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, d.eventForNotes) })
	if noted && r.Checkpoint == r.Event {
		return nil, nil
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, sessionPrefix) })
	lines = append(lines, fmt.Sprintf("%s at %s.", d.eventForNotes, d.Now.UTC().Format(time.RFC3339)))
	kept.Note = strings.TrimLeft(strings.Join(lines, "\n"), "\n")
	return &kept, nil
}
