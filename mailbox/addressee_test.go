package mailbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/overview"
	"handoff/schemas"
	"handoff/store"
)

// An older program left work in agent:qa. Other work was sent to ops before ops was a role.
func TestCheck_ListsMailWithoutReaderAndCommandsThatMoveIt(t *testing.T) {
	ctx, w := t.Context(), newWorld(t)
	lead := w.Stdio("lead")
	w.Sends(lead, "qa", "Test it")
	w.Sends(lead, "ops", "Deploy it")
	w.Sends(lead, "ops", "Port 8081", mailboxtest.Message)
	sec := w.Stdio("sec")
	_, err := w.Register(ctx, sec, schemas.RegisterIn{Name: "sec", Role: "ops"})
	require.NoError(t, err)
	require.NoError(t, w.Store.Update(ctx, func(tx *store.Tx) error {
		r, err := tx.Record(1)
		if err != nil {
			return err
		}
		now := r.Clone()
		now.To, now.Box = "agent:qa", "agent:qa"
		_, err = tx.WriteChange(r, &now, schemas.Event{Action: "amended", Agent: "lead", From: r.Status, To: r.Status, Attempt: r.Attempt}, store.Content{})
		return err
	}))
	require.Equal(t, []string{
		"ho_1 is for agent:qa, whose mailbox nobody reads: handoff assign ho_1 qa",
		"ho_2 is for ops, whose mailbox nobody reads: handoff assign ho_2 role:ops",
		"no_1 is for ops, whose mailbox nobody reads: handoff recall no_1 --agent lead, and send again: Port 8081",
	}, w.faults())
	qa := w.Stdio("qa")
	w.Updates(lead, 1, schemas.ActAmend, func(in *schemas.UpdateIn) { in.To = "agent:qa" })
	w.Updates(lead, 2, schemas.ActAmend, func(in *schemas.UpdateIn) { in.To = "role:ops" })
	_, err = w.Update(ctx, lead, schemas.UpdateIn{HandoffID: "no_1", Action: schemas.ActCancel})
	require.NoError(t, err)
	require.Empty(t, w.faults())
	require.Equal(t, schemas.ID(1), w.Claims(qa).HandoffID)
	require.Equal(t, schemas.ID(2), w.Claims(sec).HandoffID)
}

// faults returns the faults that a check of the workspace finds.
func (w *world) faults() []string {
	out := mailboxtest.Must(w.t, w.Check, person, schemas.CheckIn{})
	require.Equal(w.t, out.OK, out.Found == 0)
	return schemas.Map(out.Faults, func(f schemas.StoreFault) string { return f.What })
}

func TestSend_AddressOperatorMeansHumanUnlessAgentHasThatName(t *testing.T) {
	w, lead := newWorldWith(t, "lead")
	require.Equal(t, schemas.Address("human"), w.Sends(lead, "operator", "Decide").To)
	w.Sends(lead, "qa", "Test", func(in *schemas.SendIn) {
		in.Expectations = &schemas.Expectations{Review: "owner"}
		in.Rollback = &schemas.Rollback{OnFailure: "user"}
	})
	h := w.FullView(2).Handoff
	require.Equal(t, "human", h.Expectations.Review)
	require.Equal(t, schemas.Human, h.Rollback.OnFailure)
	operator := w.Stdio("operator")
	require.Equal(t, schemas.Address("operator"), w.Sends(lead, "operator", "Turn it on").To)
	require.Equal(t, schemas.ID(3), w.Claims(operator).HandoffID)
	require.Equal(t, schemas.Address("human"), w.Updates(operator, 3, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To = "the owner" }).To)
}

// The only member of a pool stops taking its work. The sender is told once.
func TestRegister_TellsSenderIfPoolMemberNoLongerAcceptsItsWork(t *testing.T) {
	ctx, w := t.Context(), newWorld(t)
	lead, dev := w.Stdio("lead"), w.Stdio("dev")
	as := func(in schemas.RegisterIn) {
		in.Name = "dev"
		_, err := w.Register(ctx, dev, in)
		require.NoError(t, err)
	}
	as(schemas.RegisterIn{Role: "developer", Accepts: []string{"code"}})
	out := w.Sends(lead, "role:developer", "Write it", func(in *schemas.SendIn) { in.Type = "code" })
	require.Empty(t, out.Warnings)
	as(schemas.RegisterIn{Accepts: []string{"docs"}})
	as(schemas.RegisterIn{Away: true})
	w.Pass(2 * overview.Patience)
	told := w.Notices(lead)
	require.Len(t, told, 1)
	require.Equal(t, "nobody takes it from role:developer now: dev does not accept code. It waits until one does; you may give it to another.", told[0].Text)
	require.Equal(t, "nobody takes it from role:developer now: dev does not accept code", w.stuckHandoffs()[0].Reason)
	as(schemas.RegisterIn{Accepts: []string{"code"}})
	require.Empty(t, w.stuckHandoffs())
}
