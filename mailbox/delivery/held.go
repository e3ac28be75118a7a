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
	// maxNamed is the number of new items, and of held handoffs, that one delivery names.
	maxNamed = 5

	// maxOthers is the number of other agents that one delivery names.
	maxOthers = 8
)

// addOthers names the other agents that are connected, at most eight, and counts the rest. list_agents also shows
// agents that are known and not connected.
func (d *Delivery) addOthers() {
	others := slices.DeleteFunc(d.Here.ActingAgents(), func(name schemas.Agent) bool { return name == d.Agent })
	d.Out.Here = others[:min(len(others), maxOthers)]
	d.Out.More = len(others) - len(d.Out.Here)
}

// addHeld names [maxNamed] of the handoffs that the session holds and counts the rest. It names the holder if that is
// neither the session nor one of the given subagents.
func (d *Delivery) addHeld(held []*store.Record) {
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
// connection. For a subagent that stops, it returns only the handoffs of that subagent. Connections tell sessions with
// the same name apart, see [Delivery.heldByOtherSession].
func (d *Delivery) heldHandoffs() (all []*store.Record, err error) {
	conns, err := d.connections()
	if err == nil && len(d.In.Subagents) == 0 {
		all, err = d.heldBy(nil, d.Agent, func(r *store.Record) bool { return !d.heldByOtherSession(r) })
	}
	for _, c := range conns {
		for _, name := range c.Agents {
			if err == nil && d.includes(name) {
				all, err = d.heldBy(all, name, func(r *store.Record) bool { return r.Conn == c.Name })
			}
		}
	}
	return all, err
}

// includes reports whether the delivery includes the handoffs of a subagent's name.
func (d *Delivery) includes(name schemas.Agent) bool {
	if len(d.In.Subagents) > 0 {
		return name != d.Agent && slices.Contains(d.In.Subagents, name)
	}
	return name != d.Agent && !slices.Contains(d.In.AtWork, name)
}

// heldBy adds the handoffs of an agent that counts accepts, oldest first, each once and at most a thousand.
func (d *Delivery) heldBy(
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

// connections returns the connections of the session: all with its id, and the connection that got its name. The latter
// may have an earlier id of the session, for example after the user cleared the client while its server stayed.
func (d *Delivery) connections() (conns []presence.Connection, err error) {
	if d.In.Session != "" {
		conns = d.Here.Connections(presence.Filter{Session: d.In.Session})
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

// heldByOtherSession reports whether another session with the same name holds a handoff. It is false if this session
// has no connection of its own, because then the other id may be its earlier one.
func (d *Delivery) heldByOtherSession(r *store.Record) bool {
	actsIn := func(session string) bool {
		return d.Here.ActingOver(r.Holder, func(c presence.Connection) bool { return c.Session == session })
	}
	return r.HolderID != d.In.Session && actsIn(r.HolderID) && actsIn(d.In.Session)
}

// maxReminders is the number of reminders in a row after which a session may stop, even with open work. Not every
// client has a limit of its own.
const maxReminders = 3

// onStop reminds a session of the handoffs that it holds, of each once, so a client that calls again and again gets no
// second reminder. After three reminders in a row the session may stop with open work, and the count begins anew. A
// handoff that waits for an answer is no reason to go on.
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
	d.mark(schemas.Marks{Reminded: schemas.Map(left, func(r *store.Record) schemas.ID { return r.ID })})
	d.delivered.InARow++
	d.Out.Remind = true
	d.addHeld(left)
	return nil
}

// needsAction reports whether the holder has to act on a handoff now. A handoff that waits for an answer may rest.
func needsAction(r *store.Record) bool {
	return r.Status == schemas.Accepted || r.Status == schemas.Working
}

// sessionPrefix begins the line of a checkpoint about the end or the compaction of a session.
const sessionPrefix = "[handoff] "

// leaveNotes requests a note on each handoff that the session holds, for the next holder, with the given event of the
// session. It writes nothing: the caller of [Make] stores the notes.
func (d *Delivery) leaveNotes(what string) (err error) {
	if d.ToNote, err = d.heldHandoffs(); err != nil {
		return err
	}
	session := schemas.Visible(strings.Join(strings.Fields(d.In.Session), " "))
	d.sessionEvent = fmt.Sprintf("%ssession %s of %s %s", sessionPrefix, cmp.Or(session, "(unnamed)"), d.Agent, what)
	return nil
}

// Note returns the last checkpoint of a handoff with one more line about the session, or nil if no line is needed. The
// line replaces the server's earlier one. Note omits it if the last event of the handoff is a checkpoint with the same
// line, so a session that is compacted ten times leaves one line. The holder's own text stays above it.
func (d *Delivery) Note(r *store.Record) (*schemas.Checkpoint, error) {
	last, err := reading.Checkpoint(d.View, r)
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
