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
	// maxNamed is the maximum number of new items that one delivery names, and also the maximum number of held
	// handoffs.
	maxNamed = 5

	// maxOthers is the number of other agents that one delivery names.
	maxOthers = 8
)

// addOtherAgents names at most eight other agents that are connected, and counts the rest. Agents that are not
// connected are missing here; list_agents shows them, too.
func (d *Delivery) addOtherAgents() {
	others := slices.DeleteFunc(d.Here.ActingAgents(), func(name schemas.Agent) bool { return name == d.Agent })
	d.Out.Here = others[:min(len(others), maxOthers)]
	d.Out.More = len(others) - len(d.Out.Here)
}

// addHeldHandoffs adds the first [maxNamed] handoffs that the session holds to the result, and counts the rest. It adds
// the holder's name if the holder is neither the session's agent nor one of the subagents that the call names.
func (d *Delivery) addHeldHandoffs(held []*store.Record) {
	for _, r := range held[:min(len(held), maxNamed)] {
		h := schemas.Held{
			HandoffID: r.ID, Title: schemas.Visible(r.Title), From: r.From, Rule: r.Rule, Status: r.Status, Percent: r.Percent,
			LeaseEnds: r.Lease.Ptr(),
		}
		if r.Holder != d.Agent && !slices.Contains(d.In.Subagents, r.Holder) {
			h.As = r.Holder
		}
		d.Out.Holding = append(d.Out.Holding, h)
	}
	d.Out.MoreHolding = len(held) - len(d.Out.Holding)
}

// heldHandoffs returns the handoffs that the session holds, under its own name and under the names of subagents on its
// connection. For a subagent that stops, it returns only the handoffs of that subagent. If another session has the same
// name, it omits handoffs of that session, see [Delivery.heldByOtherSession].
func (d *Delivery) heldHandoffs() (all []*store.Record, err error) {
	conns, err := d.sessionConnections()
	if err == nil && len(d.In.Subagents) == 0 {
		all, err = d.appendHeldBy(nil, d.Agent, func(r *store.Record) bool { return !d.heldByOtherSession(r) })
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

// includesAgent reports whether the delivery shows the handoffs that a subagent holds under the given name.
func (d *Delivery) includesAgent(name schemas.Agent) bool {
	if len(d.In.Subagents) > 0 {
		return name != d.Agent && slices.Contains(d.In.Subagents, name)
	}
	return name != d.Agent && !slices.Contains(d.In.AtWork, name)
}

// appendHeldBy appends to all the handoffs of an agent for which counts returns true, oldest first. It appends each
// handoff once, and stops when all has a thousand.
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

// sessionConnections returns the connections of the session: all connections with the session's id, and the connection
// that the session's name was given to. That connection may have an earlier id of the session: when the user clears the
// client, the session gets a new id while the connection stays open.
func (d *Delivery) sessionConnections() (conns []presence.Connection, err error) {
	if d.In.Session != "" {
		conns = d.Here.Connections(presence.ConnectionFilter{Session: d.In.Session})
	}
	a, err := d.View.Agent(d.Agent)
	if a == nil || err != nil {
		return conns, err
	}
	named, open := d.Here.Connection(a.Conn)
	if open && !slices.ContainsFunc(conns, func(c presence.Connection) bool { return c.Name == named.Name }) {
		conns = append(conns, named)
	}
	return conns, nil
}

// heldByOtherSession reports whether another session with the same name holds a handoff. It returns false if this
// session has no connection with its id, because then the holder's session id may be an earlier id of this session.
func (d *Delivery) heldByOtherSession(r *store.Record) bool {
	actsIn := func(session string) bool {
		return d.Here.ActsOverConnection(r.Holder, func(c presence.Connection) bool { return c.Session == session })
	}
	return r.HolderID != d.In.Session && actsIn(r.HolderID) && actsIn(d.In.Session)
}

// maxReminders is the number of reminders in a row after which a session may stop, even if it holds unfinished work.
// Some clients have no limit of their own, and would ask the session to go on for ever.
const maxReminders = 3

// onStop reminds a session that is about to stop of the handoffs that it holds and has not finished. It reminds of each
// handoff once, even if the client calls again. After three reminders in a row, the session may stop with unfinished
// handoffs, and the count begins anew. There is no reminder of a handoff that waits for an answer.
func (d *Delivery) onStop() error {
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

// needsAction reports whether the holder has to act on a handoff now. A handoff that waits for an answer may rest.
func needsAction(r *store.Record) bool {
	return r.Status == schemas.Accepted || r.Status == schemas.Working
}

// sessionPrefix begins the line that the server adds to a checkpoint when a session ends or is compacted.
const sessionPrefix = "[handoff] "

// requestNotes asks for a note to the next holder on each handoff that the session holds. The note says what happened
// to the session, such as "ended". requestNotes writes nothing: the caller of [MakeDelivery] stores the notes.
func (d *Delivery) requestNotes(what string) (err error) {
	if d.ToNote, err = d.heldHandoffs(); err != nil {
		return err
	}
	session := schemas.Visible(strings.Join(strings.Fields(d.In.Session), " "))
	d.sessionEvent = fmt.Sprintf("%ssession %s of %s %s", sessionPrefix, cmp.Or(session, "(unnamed)"), d.Agent, what)
	return nil
}

// CheckpointWithNote returns the last checkpoint of a handoff with a line about the session below the holder's text.
// The line replaces earlier lines of the server about sessions. Note returns nil if the last event of the handoff is a
// checkpoint that already has a line with the same event of the session, so a session that is compacted ten times in a
// row adds one line.
func (d *Delivery) CheckpointWithNote(r *store.Record) (*schemas.Checkpoint, error) {
	last, err := reading.LastCheckpoint(d.View, r)
	if err != nil {
		return nil, err
	}
	kept := schemas.OrZero(last)
	lines := strings.Split(kept.Note, "\n")
	noted := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, d.sessionEvent) })
	if noted && r.Checkpoint == r.Event {
		return nil, nil
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, sessionPrefix) })
	lines = append(lines, fmt.Sprintf("%s at %s.", d.sessionEvent, d.Now.UTC().Format(time.RFC3339)))
	kept.Note = strings.TrimLeft(strings.Join(lines, "\n"), "\n")
	return &kept, nil
}
