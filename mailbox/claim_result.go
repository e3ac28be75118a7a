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

// claimResult makes the response for the new holder. It renders the brief on a snapshot after the commit, because other
// writers would wait for a brief in the transaction. If the brief cannot be rendered, the claim stays. The response
// then explains the error, and the holder can give the handoff up.
func (s *Service) claimResult(
	ctx context.Context, by schemas.Caller, in schemas.ClaimIn, got takenClaim,
) (schemas.ClaimOut, error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (out schemas.ClaimOut, err error) {
		r, err := got.loadRecord(v)
		if err != nil {
			return out, err
		}
		again := false // the caller has read the brief
		if got.SameSession {
			amended, err := wasAmendedSinceQuestion(v, r)
			again = err != nil || !amended
		}
		b, todo, err := s.reader.Brief(v, r, in.MaxTokens, again)
		if err != nil { // the claim stays, and its holder can still fail it
			s.Logger.ErrorContext(ctx, "no brief", slog.String("handoff", r.ID.String()), slog.Any("error", err))
			b.Text = "The content cannot be read: the store is damaged there. Tell human. " + holderAdvice(life.Fail, r.ID, "").String()
		}
		out = schemas.ClaimOut{
			OnlyUnread: again, HandoffID: r.ID, Token: r.Token, LeaseEnds: r.Lease.Ptr(), Attempt: r.Attempt, From: r.From, Rule: r.Rule,
			Title: schemas.EscapeHidden(r.Title), Workflow: r.Workflow, Priority: r.UnusualPriority(),
			Criteria: todo.Criteria, Brief: b.Text, Omitted: b.Omitted, ToDo: todo, Overlaps: got.Overlaps,
		}
		if in.View == "full" {
			h, err := reading.ReadHandoff(v, r)
			if err != nil {
				return out, err
			}
			if out.Transfer = &b.Transfer; h.Metadata.EstimatedTokens <= maxFullViewTokens || by.Via == schemas.ViaCLI {
				out.Handoff = &h
			} else {
				out.Omitted = append(out.Omitted, "handoff") // the caller can read it in pages
			}
		}
		return out, s.addHeldHandoffs(v, by, &out)
	})
}

// maxHeldNamed is the number of held handoffs that a response names.
const maxHeldNamed = 50

// addHeldHandoffs lists the caller's held handoffs, oldest first, if the caller holds other handoffs beside the claimed
// one. It also advises the call that shows the oldest of the others, because a model that lost its context has
// forgotten them. The list may contain a handoff whose lease has just ended.
func (s *Service) addHeldHandoffs(v *store.View, by schemas.Caller, out *schemas.ClaimOut) error {
	held, err := reading.Collect(reading.AtMost(maxHeldNamed, v.OldestFirst(store.IndexByHolder(by.Agent), 0)))
	i := slices.IndexFunc(held, func(id schemas.ID) bool { return id != out.HandoffID })
	if i < 0 || err != nil {
		return err
	}
	out.Holding = held
	if r := reading.RecordOrNil(v, held[i]); r != nil {
		say := "shows what you hold: "
		if !s.isClaimingSession(r, by) && !s.reader.IsConnectionGone(r) {
			say = "shows what your name holds over another connection: "
		}
		show := schemas.GetIn{HandoffID: r.ID.String(), View: "brief"}
		out.Resume = []schemas.Advice{schemas.AdviseCall(show, say+schemas.EscapeHidden(schemas.Shorten(r.Title, 60)))}
	}
	return nil
}

// loadRecord returns the record of a claim. The claim in a stored result may have ended since the first call. Then the
// error is stale, because the caller must not work with a void token.
func (c takenClaim) loadRecord(v *store.View) (*store.Record, error) {
	if c.record != nil {
		return c.record, nil
	}
	r, err := v.Record(c.ID)
	if err == nil && r.Token != c.Token {
		err = schemas.Errorf(schemas.Stale, "your claim of %s ended", c.ID).WithHandoff(r.ID, r.Status, r.Successor)
	}
	return r, err
}

// releaseUndelivered releases a claim whose response could not be delivered, and deletes the stored result of the call.
// A repeated call then claims anew. The claim stays if the server has heard of the holder since the claim. The error is
// unavailable if the claim was given back. Otherwise it is the reason why the call ended.
//
// A caller whose connection breaks may repeat its call while the first call still runs. Both calls then return the same
// claim. The repeated call shows that the holder is still there, so the first call does not release the claim. If no
// response arrives, the claim ends with its lease.
func (s *Service) releaseUndelivered(by schemas.Caller, taken takenClaim, why error) error {
	given := false
	err := s.update(context.Background(), by, func(o *op) error {
		given = false
		r, err := o.Record(taken.ID)
		if err != nil || r.Token != taken.Token || !r.Status.IsHeld() || o.hasHeardOfHolderSince(r, taken) {
			return err // the claim ended since, or its holder knows it
		}
		given = true
		_, err = o.release(r, "", "")
		return cmp.Or(err, o.DeleteReceipt(store.RequestReceiptKey(o.By.Request)))
	})
	if err != nil || !given {
		return cmp.Or(err, why)
	}
	return schemas.Errorf(schemas.Unavailable, "%s was claimed and given back: %w", taken.ID, why)
}

// Replayed records that the server has heard of the holder. The engine calls it when a repeated call gets this claim as
// its stored result. If a look of a wait repeats its claim over another connection, the session was resumed at another
// server, and Replayed moves the claim there.
func (again takenClaim) Replayed(o *operation.Op) error {
	r := reading.RecordOrNil(o.View, again.ID)
	switch {
	case r == nil || !r.Status.IsHeld() || r.Token != again.Token:
	case o.By.Poll == 0:
		opOf(o).here.RecordHeard(r.Token, o.Now) // before the commit: a call that gives the claim back checks it afterwards
	case r.Conn != o.By.Conn && !o.Leases.IsSessionConnected(r):
		by := o.By
		return o.RunAs(operation.ClockCaller, func() error {
			return o.ChangeRecord(&operation.RecordChange{Action: life.Renew}, r, func(now *store.Record) {
				unread := now.Unread
				o.Leases.RestartLease(now)
				now.Conn, now.HolderID, now.Unread = by.Conn, by.AgentID, unread
			})
		})
	}
	return nil
}

// hasHeardOfHolderSince reports whether the server has heard of the holder since a claim that could not be delivered.
func (o *op) hasHeardOfHolderSince(r *store.Record, taken takenClaim) bool {
	at := taken.record.Touched
	heard := o.here.LastHeard(r.Token)
	return r.Touched > at || !heard.IsZero() && store.TimeOf(heard) >= at
}
