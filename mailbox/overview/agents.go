package overview

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// held finds what agents hold and do not ask about. Agents that are not here come first, so that nothing of theirs is
// missed where there is too much to look at.
func (l *look) held() error {
	holders := slices.DeleteFunc(slices.Clone(l.boxes), func(b store.Box) bool {
		return b.Held == 0 || b.Address == schemas.Address(schemas.Human)
	})
	slices.SortStableFunc(holders, func(a, b store.Box) int {
		return cmp.Compare(b2i(l.here[schemas.Agent(a.Address)]), b2i(l.here[schemas.Agent(b.Address)]))
	})
	left := Looked
	for _, b := range holders {
		more, err := l.first(l.Oldest(store.HeldBy(schemas.Agent(b.Address)), 0), left, func(r *store.Record) error {
			l.holding(r)
			return nil
		})
		if err != nil {
			return err
		}
		if more {
			l.running.early, l.stuck.early = true, true
			return nil
		}
		left -= b.Held
	}
	return nil
}

// holding tells how it goes with what an agent holds.
func (l *look) holding(r *store.Record) {
	silence := max(l.Silence, 2*time.Duration(r.Estimate)*time.Minute)
	switch {
	case r.Status == schemas.Waiting: // of which the step for questions saw too many
	case l.Reader.Gone(r):
		l.add(&l.stuck, schemas.ConcernDead, r, r.Claimed, "")
	case l.Now.Sub(l.Reader.Heard(r)) > silence:
		l.add(&l.stuck, schemas.ConcernSilent, r, r.Claimed, fmt.Sprintf("%s gives no sign", r.Holder))
	default:
		l.add(&l.running, schemas.ConcernRunning, r, r.Claimed, "")
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// blocked finds what waits for a handoff that will not be completed.
func (l *look) blocked() error {
	looked := 0
	for id, err := range l.WaitedFor() {
		if err != nil {
			return err
		}
		if looked++; looked > Looked {
			l.stuck.early = true
			break
		}
		dead, err := l.Record(id)
		if err != nil || dead == nil || !dead.Status.Ended() || dead.Status == schemas.Completed {
			continue // a damaged record stops no other
		}
		more, err := l.first(l.Oldest(store.WaitingFor(id), 0), Looked-looked, func(r *store.Record) error {
			looked++
			l.add(&l.stuck, schemas.ConcernBlocked, r, dead.Ended, "").BlockedBy = id
			return nil
		})
		if err != nil {
			return err
		}
		l.stuck.early = l.stuck.early || more
	}
	return nil
}

// heads is how many handoffs of a mailbox are looked at: what waits longest is in front.
const heads = 10

// waitingInBoxes finds, among what may be claimed, what lapsed and what nobody takes.
func (l *look) waitingInBoxes() error {
	left := Looked
	for _, b := range l.boxes {
		if b.Pending == 0 || b.Address == schemas.Address(schemas.Human) {
			continue
		}
		if left <= 0 {
			l.stuck.early = true
			break
		}
		nobody, front := l.nobodyTakes(b.Address), true
		_, err := l.first(l.Queue(b.Address), min(heads, left), func(r *store.Record) error {
			var c *schemas.Concern
			switch left--; {
			case lapsed(r):
				c = l.add(&l.stuck, schemas.ConcernLapsed, r, r.Touched, "")
			case front && nobody != "":
				c = l.add(&l.stuck, schemas.ConcernNoTakers, r, r.Created, nobody)
			}
			if front && nobody != "" {
				c.Count = b.Pending
			}
			front = false
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lapsed tells whether the last claim of a pending handoff ended by its lease: such a claim was neither given back nor
// answered, and its token is good until the next.
func lapsed(r *store.Record) bool {
	return r.Status == schemas.Pending && r.Claims > 0 && r.Holder != "" && r.Token != "" && !r.Uncharged
}

// nobodyTakes says why nobody takes what waits in a mailbox; empty where somebody who may is here.
func (l *look) nobodyTakes(box schemas.Address) string {
	name, directed := box.Directed()
	var owner *Agent
	if i := slices.IndexFunc(l.Known, func(a Agent) bool { return directed && a.Name == name }); i >= 0 {
		owner = &l.Known[i]
	}
	known := false
	for _, a := range l.Known {
		sibling := directed && a.Client != "" && (name == a.Client || owner != nil && owner.Client == a.Client)
		takes := !directed && slices.Contains(roster.Boxes(a.Card), box) && !a.Away
		known = known || takes
		if a.Here && (takes || sibling || directed && a.Name == name) {
			return ""
		}
	}
	switch {
	case directed && owner == nil:
		return fmt.Sprintf("nobody has come as %s yet", name)
	case directed:
		return fmt.Sprintf("%s is not here", name)
	case known:
		return fmt.Sprintf("nobody who takes %s is here", box)
	}
	return fmt.Sprintf("nobody is known who takes %s", box)
}
