package operation

import (
	"iter"
	"time"

	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Self is what is kept of the caller, read once in an operation and written through the same pointer. A caller that was
// never here begins to exist. After the operation acts as another, that one is read.
func (o *Op) Self() (*store.Agent, error) {
	if o.self != nil && o.self.Card.Name == o.By.Agent {
		return o.self, nil
	}
	a, err := sessions.Agent(o.View, o.By.Agent)
	if err != nil {
		return nil, err
	}
	o.self = &a
	return o.self, nil
}

// noteSeen notes when the caller was seen, to the minute, and on its first write that its session does something. So an
// agent that calls often costs one write a minute. Then names of sessions of the same client that are gone may expire.
// Human and system are not noted: they have no sessions. Each operation that changes something for a caller begins with
// it, see [mutate], and it is undone with an operation that fails.
func (o *Op) noteSeen() error {
	if o.By.Agent == "" || o.By.Agent == schemas.System || o.By.Agent == schemas.Human {
		return nil
	}
	a, err := o.Self()
	if err != nil || o.Now.Sub(a.Seen.Time()).Abs() < time.Minute && !a.Idle {
		return err
	}
	if a.Seen == 0 {
		for other, err := range o.Agents() {
			if err == nil && other.Card.Name != o.By.Agent && schemas.Alike(other.Card.Name, o.By.Agent) {
				a.Resembles = other.Card.Name
			}
		}
	}
	a.Seen, a.Idle = store.At(o.Now), false
	if err := o.tx.PutAgent(*a); err != nil || a.Client == "" {
		return err
	}
	o.self = nil // the caller may be among the names that expire
	return o.Rules.AfterSeen(a.Client)
}

// HeldBy yields what an agent holds, oldest first.
func (o *Op) HeldBy(a schemas.Agent) iter.Seq2[*store.Record, error] {
	return o.Holding(a, o.Oldest(store.HeldBy(a), 0))
}

// Holding yields those of an agent's handoffs that it holds now, and passes over what cannot be read.
func (o *Op) Holding(a schemas.Agent, ids iter.Seq2[schemas.ID, error]) iter.Seq2[*store.Record, error] {
	return func(yield func(*store.Record, error) bool) {
		for id, err := range ids {
			r := (*store.Record)(nil)
			if err == nil {
				r = o.UsableRecord(id)
			}
			held := r != nil && r.Status.Held() && r.Holder == a
			if (held || err != nil) && !yield(r, err) {
				return
			}
		}
	}
}
