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

// claimResult makes the response for the new holder. It renders the brief after the commit, on a snapshot, because that
// takes longer than the claim and the store has one writer. A brief that cannot be rendered does not undo the claim:
// the response has an explanation in its place, and the holder can give the handoff up.
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
		if err != nil { // the claim stays, and its holder can still fail it
			s.Logger.ErrorContext(ctx, "no brief", slog.String("handoff", r.ID.String()), slog.Any("error", err))
			b.Text = "The content cannot be read: the store is damaged there. Tell human. " + holderAdvice(life.Fail, r.ID, "").String()
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
				out.Omitted = append(out.Omitted, "handoff") // the caller can read it in pages
			}
		}
		return out, s.addHeld(v, by, &out)
	})
}

// maxHeldNamed is the number of held handoffs that a response names.
const maxHeldNamed = 50

// addHeld lists the caller's held handoffs in the response to a claim, oldest first, if the caller holds more than the
// claimed one. It also advises the call that shows the oldest other one: a model that lost its context has no other way
// to know of them. It reads the index without applying the clock, so the list may have a handoff whose lease has just
// ended.
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

// loadRecord returns the record of a claim. A claim from a receipt may have ended since: then the error is stale,
// because the caller must not work with a void token.
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

// giveBack releases a claim whose response could not be delivered, and deletes the receipt, so that a repeated call
// claims anew. It leaves the claim if the server has heard of the holder since, because the holder then knows the
// claim, or if a repeated call returns the claim. The caller's call is over, so giveBack does not use its context. The
// error is unavailable if it gave the claim back, else the reason why the call ended. If the process dies before, the
// claim stays until its lease ends.
//
// A caller whose connection breaks repeats its call, perhaps while the first call is still running. Both calls may
// return one claim, and only one response arrives. Therefore the repeat counts as a sign of the holder, and only the
// first call gives the claim back. Each does so in one transaction: a repeat that comes before the release keeps the
// claim, and a repeat that comes later finds no receipt and claims anew. If no response arrives, the claim ends with
// its lease, unless its holder claims again before: that response lists its held handoffs.
func (s *Service) giveBack(by schemas.Caller, taken takenClaim, why error) error {
	given := false
	err := s.update(context.Background(), by, func(o *op) error {
		given = false
		r, err := o.Record(taken.ID)
		if err != nil || r.Token != taken.Token || !r.Status.Held() || o.heardSince(r, taken) {
			return err // the claim ended since, or its holder knows it
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

// Replayed notes a sign of the holder of a claim that an earlier call with the same request id made.
func (again takenClaim) Replayed(o *operation.Op) {
	if r := reading.RecordOrNil(o.View, again.ID); r != nil && r.Status.Held() && r.Token == again.Token {
		opOf(o).here.NoteHeard(r.Token, o.Now) // before the commit: a call that gives the claim back checks it afterwards
	}
}

// heardSince tells whether the server has heard of the holder since a claim that could not be delivered.
func (o *op) heardSince(r *store.Record, taken takenClaim) bool {
	at := taken.record.Touched
	heard := o.here.LastHeard(r.Token)
	return r.Touched > at || !heard.IsZero() && store.At(heard) >= at
}
