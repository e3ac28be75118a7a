package operation

import (
	"iter"
	"time"

	"handoff/mailbox/reading"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// CallerRow returns the stored row of the caller, or a new row if the caller has none. It reads the row once in an
// operation. Callers change the row through the returned pointer. Inside [Op.RunAs] it returns the row of the other
// caller.
func (o *Op) CallerRow() (*store.Agent, error) {
	if o.self != nil && o.self.Card.Name == o.By.Agent {
		return o.self, nil
	}
	a, err := sessions.AgentOrNew(o.View, o.By.Agent)
	if err != nil {
		return nil, err
	}
	o.self = &a
	return o.self, nil
}

// recordCallerSeen records the time of the caller's last call, to the minute, so an agent that calls often costs one
// write a minute. The first write of a client session also records that the session is not idle. After that write the
// engine calls [Rules.AfterCallerSeen], so that old names of ended sessions of the same client can expire. It skips the
// callers human and system, which have no sessions.
func (o *Op) recordCallerSeen() error {
	if o.By.Agent == "" || o.By.Agent == schemas.System || o.By.Agent == schemas.Human {
		return nil
	}
	a, err := o.CallerRow()
	if err != nil || o.Now.Sub(a.Seen.Time()).Abs() < time.Minute && !a.Idle {
		return err
	}
	if a.Seen == 0 {
		for other, err := range o.Agents() {
			if err == nil && other.Card.Name != o.By.Agent && schemas.LookAlike(other.Card.Name, o.By.Agent) {
				a.Resembles = other.Card.Name
			}
		}
	}
	a.Seen, a.Idle = store.TimeOf(o.Now), false
	if err := o.tx.PutAgent(*a); err != nil || a.Client == "" {
		return err
	}
	o.self = nil // the caller may be among the names that expire
	return o.Rules.AfterCallerSeen(a.Client)
}

// HandoffsHeldBy yields the handoffs that an agent holds, oldest first.
func (o *Op) HandoffsHeldBy(a schemas.Agent) iter.Seq2[*store.Record, error] {
	return o.HeldAmong(a, o.OldestFirst(store.IndexByHolder(a), 0))
}

// HeldAmong yields the handoffs among ids that the agent still holds. It skips handoffs that cannot be read.
func (o *Op) HeldAmong(a schemas.Agent, ids iter.Seq2[schemas.ID, error]) iter.Seq2[*store.Record, error] {
	return reading.Records(ids, func(id schemas.ID) *store.Record {
		r := o.UsableRecord(id)
		if r == nil || !r.Status.IsHeld() || r.Holder != a {
			return nil
		}
		return r
	})
}
