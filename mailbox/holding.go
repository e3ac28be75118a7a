package mailbox

import (
	"slices"

	"handoff/mailbox/presence"
	"handoff/schemas"
	"handoff/store"
)

// remindedInARow is how often a session is kept from stopping before it may, whatever it holds. Not every client
// has a limit of its own.
const remindedInARow = 3

// onStop reminds a session of what it holds: of each handoff once, and so of nothing when its client asks again and
// again.
func (t *telling) onStop() error {
	held, err := t.held()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(held, func(r *store.Record) bool { return !works(r) || t.told.Reminded.Has(uint64(r.ID)) })
	if len(left) == 0 || t.told.InARow == remindedInARow {
		t.calm()
		return nil
	}
	var because []schemas.ID
	for _, r := range left {
		because = append(because, r.ID)
	}
	t.say(schemas.Marks{Reminded: because})
	t.told.InARow++
	t.out.Remind = true
	t.show(left)
	return nil
}

// calm notes that the session stops.
func (t *telling) calm() {
	if t.told.InARow > 0 {
		t.told.InARow, t.moved = 0, true
	}
}

// works tells whether somebody is to do something about a handoff now. One that waits for an answer may be left.
func works(r *store.Record) bool { return r.Status == schemas.Accepted || r.Status == schemas.Working }

// holding names what the session holds.
func (t *telling) holding() error {
	held, err := t.held()
	if err == nil {
		t.show(held)
	}
	return err
}

func (t *telling) show(held []*store.Record) {
	for _, r := range held[:min(len(held), newsShown)] {
		h := schemas.Held{
			HandoffID: r.ID, Title: schemas.Visible(r.Title), From: r.From, Status: r.Status, Percent: r.Percent, LeaseEnds: r.Lease.Ptr(),
		}
		if r.Holder != t.by.Agent && !slices.Contains(t.in.Subagents, r.Holder) {
			h.As = r.Holder
		}
		t.out.Holding = append(t.out.Holding, h)
	}
	t.out.MoreHolding = len(held) - len(t.out.Holding)
}

// held are the handoffs that the session holds: under its name, and under those of its subagents, which share its
// connection. A subagent that stops is not asked about what others hold.
func (t *telling) held() (all []*store.Record, err error) {
	over, err := t.connections()
	if err != nil {
		return nil, err
	}
	if len(t.in.Subagents) == 0 {
		all, err = t.heldBy(t.by.Agent, func(r *store.Record) bool { return !t.ofAnother(r) })
		if err != nil {
			return nil, err
		}
	}
	for _, conn := range over {
		c, _ := t.Presence.Connection(conn)
		for _, name := range c.Agents {
			if name == t.by.Agent || !t.concerns(name) {
				continue
			}
			more, err := t.heldBy(name, func(r *store.Record) bool { return r.Conn == conn })
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// heldWithoutServer are the handoffs that the session holds besides, under names of subagents: some clients end their
// server before they tell of the end of a session, and then no connection says which names these are.
func (t *telling) heldWithoutServer(known []*store.Record) (all []*store.Record, err error) {
	self, err := t.Agent(t.by.Agent)
	if err != nil {
		return nil, err
	}
	looked := 0
	for a, err := range t.AgentsCalled("") {
		if looked++; err != nil || looked > scanned {
			return all, err
		}
		if a.Card.Name == t.by.Agent || !t.concerns(a.Card.Name) {
			continue
		}
		more, err := t.heldBy(a.Card.Name, func(r *store.Record) bool {
			ours := self != nil && r.Conn != "" && r.Conn == self.Conn || t.in.Session != "" && r.HolderID == t.in.Session
			return ours && !slices.ContainsFunc(known, func(k *store.Record) bool { return k.ID == r.ID })
		})
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// concerns tells whether what a subagent holds under a name is to be told.
func (t *telling) concerns(name schemas.Agent) bool {
	if len(t.in.Subagents) > 0 {
		return slices.Contains(t.in.Subagents, name)
	}
	return !slices.Contains(t.in.AtWork, name)
}

func (t *telling) heldBy(name schemas.Agent, counts func(*store.Record) bool) (all []*store.Record, err error) {
	for id, err := range t.Oldest(store.HeldBy(name), 0) {
		if err != nil || len(all) == scanned {
			return all, err
		}
		if r := t.usable(id); r != nil && r.Status.Held() && r.Holder == name && counts(r) {
			all = append(all, r)
		}
	}
	return all, nil
}

// connections are those of the session: of its id, and the one that was given its name. The latter may know the
// session by the id that it had before.
func (t *telling) connections() ([]string, error) {
	var over []string
	if t.in.Session != "" {
		for _, c := range t.Presence.Connections(presence.Filter{Session: t.in.Session}) {
			over = append(over, c.Name)
		}
	}
	a, err := t.Agent(t.by.Agent)
	if a == nil || err != nil {
		return over, err
	}
	if t.isOpen(a.Conn) && !slices.Contains(over, a.Conn) {
		over = append(over, a.Conn)
	}
	return over, nil
}

// ofAnother tells whether a handoff is held by another session that acts under the same name. A session that has no
// connection of its own may have had that one under another id.
func (t *telling) ofAnother(r *store.Record) bool {
	return r.HolderID != t.in.Session && t.actingIn(r.HolderID, r.Holder) && t.actingIn(t.in.Session, r.Holder)
}
