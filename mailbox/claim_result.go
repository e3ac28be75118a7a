package mailbox

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// claimResult tells the new holder what it holds. The brief is rendered after the commit, on a snapshot, because it
// takes longer than the claim and there is one writer. A brief that cannot be rendered does not undo the claim: the
// result says so in its place, and the holder can give the handoff up.
func (s *Service) claimResult(
	ctx context.Context, by schemas.Caller, in schemas.ClaimIn, got takenClaim,
) (schemas.ClaimOut, error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (out schemas.ClaimOut, err error) {
		r, err := got.loadRecord(v)
		if err != nil {
			return out, err
		}
		brief, again := s.reader.Brief, false
		if got.SameSession {
			if amended, err := amendedSince(v, r); err != nil || !amended {
				brief, again = s.reader.Answer, true
			}
		}
		b, todo, err := brief(v, r, in.MaxTokens)
		if err != nil { // the claim stands, and its holder can still fail it
			s.Logger.ErrorContext(ctx, "no brief", slog.String("handoff", r.ID.String()), slog.Any("error", err))
			b.Text = "What was sent cannot be read: the store is damaged there. Tell human. " + holderAdvice(life.Fail, r.ID, "").String()
		}
		out = schemas.ClaimOut{
			OnlyUnread: again, HandoffID: r.ID, Token: r.Token, LeaseEnds: r.Lease.Ptr(), Attempt: r.Attempt, From: r.From, Rule: r.Rule,
			Title: schemas.Visible(r.Title), Workflow: r.Workflow,
			Criteria: todo.Criteria, Brief: b.Text, Omitted: b.Omitted, ToDo: todo, Overlaps: got.Overlaps,
		}
		if r.Priority != schemas.Normal {
			out.Priority = r.Priority
		}
		if in.View == "full" {
			h, err := reading.Handoff(v, r)
			if err != nil {
				return out, err
			}
			if out.Transfer = &b.Transfer; h.Metadata.EstimatedTokens <= fullTokens || by.Via == schemas.ViaCLI {
				out.Handoff = &h
			} else {
				out.Omitted = append(out.Omitted, "handoff") // it is read in pages
			}
		}
		return out, s.addHeld(v, by, &out)
	})
}

// maxHeldNamed is how many handoffs an answer names that its caller holds.
const maxHeldNamed = 50

// addHeld names in the answer to a claim what the caller holds, oldest first, where that is more than the claim took, and
// the call that shows the oldest of it: a model that lost its context knows of nothing else. It reads the index and
// applies no time, so one whose lease has just ended may be among them.
func (s *Service) addHeld(v *store.View, by schemas.Caller, out *schemas.ClaimOut) error {
	held, err := reading.Collect(reading.AtMost(maxHeldNamed, v.Oldest(store.HeldBy(by.Agent), 0)))
	i := slices.IndexFunc(held, func(id schemas.ID) bool { return id != out.HandoffID })
	if i < 0 || err != nil {
		return err
	}
	out.Holding = held
	if r := reading.RecordOrNil(v, held[i]); r != nil {
		say := "shows what you hold: "
		if r.Conn != by.Conn && !s.reader.ConnectionGone(r) {
			say = "shows what your name holds over another connection: "
		}
		show := schemas.GetIn{HandoffID: r.ID.String(), View: "brief"}
		out.Resume = []schemas.Advice{schemas.Call(show, say+schemas.Visible(schemas.Shorten(r.Title, 60)))}
	}
	return nil
}

// recall is the record of a claim. A claim that was remembered may be lost by now: the error is stale then, because the
// caller must not work under a token that is void.
func (c takenClaim) loadRecord(v *store.View) (*store.Record, error) {
	if c.record != nil {
		return c.record, nil
	}
	r, err := v.Record(c.ID)
	if err == nil && r.Token != c.Token {
		err = schemas.Errorf(schemas.Stale, "your claim of %s ended", c.ID).About(r.ID, r.Status, r.Successor)
	}
	return r, err
}

// giveBack releases a claim that could not be delivered, unless its holder was heard of since, and so knows that it
// holds it, or a repeat of the call returns it. It forgets its receipt, so that a repeat claims anew. It is the caller's call
// that is over, so the context of the call is not used. The error is unavailable when the claim was given back, else
// why the call ended. If the process dies before this, the claim stays until its lease ends.
//
// A caller whose connection breaks repeats its call, perhaps while the first call is still under way here. Both may return
// one claim, and only one result arrives. So the holder counts as heard of by the repeat, and only the first call gives the
// claim back. Each does so in one transaction: a repeat that comes before the claim is given back keeps it, and one that
// comes later finds no receipt and claims anew. Where none of the results arrives the claim ends with its lease, unless
// its holder claims again before: the answer names what it holds.
func (s *Service) giveBack(by schemas.Caller, taken takenClaim, why error) error {
	given := false
	err := s.update(context.Background(), by, func(o *op) error {
		given = false
		r, err := o.Record(taken.ID)
		if err != nil || r.Token != taken.Token || !r.Status.Held() || o.heardSince(r, taken) {
			return err // the claim ended since, or stands
		}
		given = true
		_, err = o.release(r, "", "")
		return cmp.Or(err, o.DeleteReceipt(store.ByRequest(o.By.Request)))
	})
	if err != nil || !given {
		return cmp.Or(err, why)
	}
	return schemas.Errorf(schemas.Unavailable, "%s was claimed and given back: %w", taken.ID, why)
}

// Replayed notes that the holder of a claim was heard of, which an earlier call with the same request id took.
func (again takenClaim) Replayed(o *operation.Op) {
	if r := reading.RecordOrNil(o.View, again.ID); r != nil && r.Status.Held() && r.Token == again.Token {
		opOf(o).here.NoteHeard(r.Token, o.Now) // before the commit: the call that gives it back comes after
	}
}

// heardSince tells whether the holder was heard of since a claim that could not be delivered.
func (o *op) heardSince(r *store.Record, taken takenClaim) bool {
	at := taken.record.Touched
	heard := o.here.LastHeard(r.Token)
	return r.Touched > at || !heard.IsZero() && store.At(heard) >= at
}
