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
	// newsShown is how many items, and how many handoffs that are held, one delivery names.
	newsShown = 5

	// othersShown is how many others one delivery names.
	othersShown = 8
)

// nameOthers names the others that are here, eight at most, and counts the rest. Who is known and not here is for
// list_agents.
func (d *Delivery) nameOthers() {
	others := slices.DeleteFunc(d.Here.ActingAgents(), func(name schemas.Agent) bool { return name == d.Agent })
	d.Out.Here = others[:min(len(others), othersShown)]
	d.Out.More = len(others) - len(d.Out.Here)
}

// show names handoffs that the session holds. It names [newsShown] and counts the rest. The holder is told where it is
// neither the session nor a subagent that was asked about.
func (d *Delivery) show(held []*store.Record) {
	for _, r := range held[:min(len(held), newsShown)] {
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

// held are the handoffs that the session holds: under its name, and under those of its subagents, which share its
// connection. A subagent that stops is not asked about what others hold. Sessions that share a name are told apart by
// their connections, see [Delivery.ofAnother].
func (d *Delivery) held() (all []*store.Record, err error) {
	over, err := d.connections()
	if err == nil && len(d.In.Subagents) == 0 {
		all, err = d.heldBy(nil, d.Agent, func(r *store.Record) bool { return !d.ofAnother(r) })
	}
	for _, c := range over {
		for _, name := range c.Agents {
			if err == nil && d.concerns(name) {
				all, err = d.heldBy(all, name, func(r *store.Record) bool { return r.Conn == c.Name })
			}
		}
	}
	return all, err
}

// concerns tells whether the delivery names what a subagent holds under a name.
func (d *Delivery) concerns(name schemas.Agent) bool {
	if len(d.In.Subagents) > 0 {
		return name != d.Agent && slices.Contains(d.In.Subagents, name)
	}
	return name != d.Agent && !slices.Contains(d.In.AtWork, name)
}

// heldBy adds the handoffs that an agent holds, and that count, oldest first, each once and a thousand at most.
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

// connections are those of the session: of its id, and the one that was given its name. The latter may know the session
// by the id that it had before, as after a client was told to begin anew while its server stayed.
func (d *Delivery) connections() (over []presence.Connection, err error) {
	if d.In.Session != "" {
		over = d.Here.Connections(presence.Filter{Session: d.In.Session})
	}
	a, err := d.View.Agent(d.Agent)
	if a == nil || err != nil {
		return over, err
	}
	named, open := d.Here.Connection(a.Conn)
	if open && !slices.ContainsFunc(over, func(c presence.Connection) bool { return c.Name == named.Name }) {
		over = append(over, named)
	}
	return over, nil
}

// ofAnother tells whether a handoff is held by another session that acts under the same name. A session that has no
// connection of its own may have had that one under another id.
func (d *Delivery) ofAnother(r *store.Record) bool {
	actsIn := func(session string) bool {
		return d.Here.ActingOver(r.Holder, func(c presence.Connection) bool { return c.Session == session })
	}
	return r.HolderID != d.In.Session && actsIn(r.HolderID) && actsIn(d.In.Session)
}

// remindersInARow is how often a session is kept from stopping before it may, whatever it holds. Not every client
// has a limit of its own.
const remindersInARow = 3

// onStop reminds a session of what it holds: of each handoff once, and so of nothing when its client asks again and
// again. After three reminders in a row the session may stop whatever it holds, and the count begins anew. What waits
// for an answer is no reason to go on.
func (d *Delivery) onStop() error {
	held, err := d.held()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(held, func(r *store.Record) bool {
		return !atWork(r) || d.delivered.Reminded.Has(uint64(r.ID))
	})
	if len(left) == 0 || d.delivered.InARow == remindersInARow {
		d.Marked = d.Marked || d.delivered.InARow > 0
		d.delivered.InARow = 0
		return nil
	}
	d.mark(schemas.Marks{Reminded: schemas.Map(left, func(r *store.Record) schemas.ID { return r.ID })})
	d.delivered.InARow++
	d.Out.Remind = true
	d.show(left)
	return nil
}

// atWork tells whether a holder is to do something about a handoff now. One that waits for an answer may be left.
func atWork(r *store.Record) bool { return r.Status == schemas.Accepted || r.Status == schemas.Working }

// ofSession is how the line of a checkpoint begins that tells what became of a session.
const ofSession = "[handoff] "

// leaveNotes asks for a note with all that the session holds, for whoever goes on: what happened to the session. It
// writes nothing: whoever runs the delivery leaves the notes.
func (d *Delivery) leaveNotes(what string) (err error) {
	if d.Noted, err = d.held(); err != nil {
		return err
	}
	session := schemas.Visible(strings.Join(strings.Fields(d.In.Session), " "))
	d.happened = fmt.Sprintf("%ssession %s of %s %s", ofSession, cmp.Or(session, "(unnamed)"), d.Agent, what)
	return nil
}

// Note is the last checkpoint of a handoff with one more line, nil where that has to be left out. The line takes the
// place of the one before it, and is left out when nothing has happened since that says the same: so a session that is
// compacted ten times leaves one line. What the holder itself kept stays above it.
func (d *Delivery) Note(r *store.Record) (*schemas.Checkpoint, error) {
	last, err := reading.Checkpoint(d.View, r)
	if err != nil {
		return nil, err
	}
	kept := schemas.OrZero(last)
	lines := strings.Split(kept.Note, "\n")
	said := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, d.happened) })
	if said && r.Checkpoint == r.Event {
		return nil, nil
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, ofSession) })
	lines = append(lines, fmt.Sprintf("%s at %s.", d.happened, d.Now.UTC().Format(time.RFC3339)))
	kept.Note = strings.TrimLeft(strings.Join(lines, "\n"), "\n")
	return &kept, nil
}
