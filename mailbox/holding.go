package mailbox

import (
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// remindedInARow is how often a session is kept from stopping before it may, whatever it holds. Not every client
// has a limit of its own.
const remindedInARow = 3

// stop reminds a session of what it holds: of each handoff once, and so of nothing when its client asks again and
// again.
func (n *news) stop() error {
	held, err := n.held()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(held, func(r *store.Record) bool { return !works(r) || n.told.Reminded.Has(uint64(r.ID)) })
	if len(left) == 0 || n.told.InARow == remindedInARow {
		n.calm()
		return nil
	}
	for _, r := range left {
		n.told.Reminded.Add(uint64(r.ID))
	}
	n.told.InARow++
	n.moved, n.out.Remind = true, true
	n.show(left)
	return nil
}

// calm notes that the session stops.
func (n *news) calm() {
	if n.told.InARow > 0 {
		n.told.InARow, n.moved = 0, true
	}
}

// works tells whether somebody is to do something about a handoff now. One that waits for an answer may be left.
func works(r *store.Record) bool { return r.Status == schemas.Accepted || r.Status == schemas.Working }

// holding names what the session holds.
func (n *news) holding() error {
	held, err := n.held()
	if err == nil {
		n.show(held)
	}
	return err
}

func (n *news) show(held []*store.Record) {
	for _, r := range held[:min(len(held), newsShown)] {
		h := schemas.Held{
			HandoffID: r.ID, Title: schemas.Visible(r.Title), From: r.From, Status: r.Status, Percent: r.Percent, LeaseEnds: r.Lease.Ptr(),
		}
		if r.Holder != n.by.Agent && !slices.Contains(n.in.Subagents, r.Holder) {
			h.As = r.Holder
		}
		n.out.Holding = append(n.out.Holding, h)
	}
	n.out.MoreHolding = len(held) - len(n.out.Holding)
}

// held are the handoffs that the session holds: under its name, and under those of its subagents, which share its
// connection. A subagent that stops is not asked about what others hold.
func (n *news) held() (all []*store.Record, err error) {
	over := n.connections()
	if len(n.in.Subagents) == 0 {
		all, err = n.heldBy(n.by.Agent, func(r *store.Record) bool { return !n.ofAnother(r) })
		if err != nil {
			return nil, err
		}
	}
	for _, conn := range over {
		for _, name := range n.conns.agents(conn) {
			if name == n.by.Agent || !n.concerns(name) {
				continue
			}
			more, err := n.heldBy(name, func(r *store.Record) bool { return r.Conn == conn })
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// concerns tells whether what a subagent holds under a name is to be told.
func (n *news) concerns(name schemas.Agent) bool {
	if len(n.in.Subagents) > 0 {
		return slices.Contains(n.in.Subagents, name)
	}
	return !slices.Contains(n.in.AtWork, name)
}

func (n *news) heldBy(name schemas.Agent, counts func(*store.Record) bool) (all []*store.Record, err error) {
	for id, err := range n.Oldest(store.HeldBy(name), 0) {
		if err != nil || len(all) == scanned {
			return all, err
		}
		if r := n.usable(id); r != nil && r.Status.Held() && r.Holder == name && counts(r) {
			all = append(all, r)
		}
	}
	return all, nil
}

// connections are those of the session: of its id, and the one that was given its name. The latter may know the
// session by the id that it had before.
func (n *news) connections() []string {
	over := n.conns.of(n.in.Session)
	a, err := n.Agent(n.by.Agent)
	if err == nil && a != nil && n.conns.live(a.Conn) && !slices.Contains(over, a.Conn) {
		over = append(over, a.Conn)
	}
	return over
}

// ofAnother tells whether a handoff is held by another session that acts under the same name. A session that has no
// connection of its own may have had that one under another id.
func (n *news) ofAnother(r *store.Record) bool {
	return r.HolderID != n.in.Session && n.conns.actsIn(r.HolderID, r.Holder) && n.conns.actsIn(n.in.Session, r.Holder)
}
