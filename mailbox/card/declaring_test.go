package card_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// declare declares the agents of two files and returns the changed agents.
func declare(t *testing.T, w *mailboxtest.World, user, project []schemas.RegisterIn) []schemas.Agent {
	t.Helper()
	out := mailboxtest.Must(t, w.Declare, schemas.Caller{Via: schemas.ViaCLI}, schemas.DeclareIn{Leave: true, Files: []schemas.DeclaringFile{
		{Name: "~/agents.yaml", Agents: user}, {Name: "shop/agents.yaml", Agents: project},
	}})
	return out.Changed
}

func cardOf(w *mailboxtest.World, t *testing.T, name schemas.Agent) *schemas.Card {
	t.Helper()
	out := mailboxtest.Must(t, w.Agents, mailboxtest.Human, schemas.AgentsIn{})
	for _, c := range out.Agents {
		if c.Name == name {
			return &c
		}
	}
	return nil
}

func TestDeclare_MakesAgentsKnown(t *testing.T) {
	w := mailboxtest.New(t)
	user := []schemas.RegisterIn{{Name: "qa", Accepts: []string{"anything"}}, {Name: "ops", Skills: []string{"k8s"}}}
	project := []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}, MaxOpen: 1}}
	require.Equal(t, []schemas.Agent{"ops", "qa"}, declare(t, w, user, project))
	before := mailboxtest.Must(t, w.Head, mailboxtest.Human, schemas.NewestIn{})
	require.Empty(t, declare(t, w, user, project), "a repetition changes nothing")
	after := mailboxtest.Must(t, w.Head, mailboxtest.Human, schemas.NewestIn{})
	require.Equal(t, before.Event, after.Event)

	require.Equal(t, &schemas.Card{
		Name: "qa", Registered: true, Accepts: []string{"code"}, MaxOpen: 1, DeclaredIn: "shop/agents.yaml",
	}, cardOf(w, t, "qa"))
	a := w.Stdio("a")
	mailboxtest.RequireRefusal(t, w.Send, a, schemas.SendIn{To: "qaa", Task: "x"}, schemas.NotFound, "qaa")
	w.Sends(a, "qa", "directed")
	w.Sends(a, "capability:code", "pooled")
	qa := w.Stdio("qa")
	require.Equal(t, schemas.ID(1), w.Claims(qa).HandoffID)
	require.Equal(t, []schemas.Agent{"qa"}, declare(t, w, user, []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}}}))
	require.Equal(t, schemas.ID(2), w.Claims(qa).HandoffID, "the removed declaration no longer applies")
}

func TestDeclare_ForgetsAgentsRemovedFromFile(t *testing.T) {
	w := mailboxtest.New(t)
	declare(t, w, nil, []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}}, {Name: "ops"}, {Name: "dev"}})
	qa, dev := w.Stdio("qa"), w.Stdio("dev")
	mailboxtest.Must(t, w.Register, qa, schemas.RegisterIn{Name: "qa", Accepts: []string{"docs"}})
	w.Sends(dev, "qa", "x")
	require.Empty(t, declare(t, w, nil, []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}}, {Name: "ops"}, {Name: "dev"}}),
		"the agent's own registration holds until its declaration changes")
	require.Equal(t, []schemas.Agent{"dev", "ops", "qa"}, declare(t, w, nil, nil))
	require.Equal(t, []string{"docs"}, cardOf(w, t, "qa").Accepts)
	require.Empty(t, cardOf(w, t, "qa").DeclaredIn)
	require.Nil(t, cardOf(w, t, "ops"), "the agent never connected")
	require.False(t, cardOf(w, t, "dev").Registered)
}

func TestDeclare_GivesRoleToAgentsNamedAfterRole(t *testing.T) {
	w, early, own := mailboxtest.NewWithTwoAgents(t, "testing-specialist-Early", "testing-specialist-Own")
	w.Sends(early, "human", "x")
	mailboxtest.Must(t, w.Register, own, schemas.RegisterIn{Name: "testing-specialist-Own", Role: "ops"})
	role := schemas.RegisterIn{Name: "testing-specialist", Role: "testing-specialist", Accepts: []string{"validation"}, MaxMinutes: 60}
	declare(t, w, nil, []schemas.RegisterIn{{Name: "testing", Accepts: []string{"none"}}, role})

	a := w.Stdio("a")
	require.Equal(t, early.Agent, w.Sends(a, "role:testing", "one").Routed.Chosen)
	require.Empty(t, w.Sends(a, "capability:validation", "two").Routed.Chosen, "it has something before it")
	red := w.Stdio("testing-specialist-RedStone")
	require.Equal(t, schemas.ID(3), w.Claims(red).HandoffID)
	require.Equal(t, schemas.ID(2), w.Claims(early).HandoffID)
	require.Equal(t, 60, cardOf(w, t, "testing-specialist-RedStone").MaxMinutes)
	require.Equal(t, "ops", cardOf(w, t, "testing-specialist-Own").Role)
	role.MaxMinutes = 30
	declare(t, w, nil, []schemas.RegisterIn{role})
	require.Equal(t, 30, cardOf(w, t, "testing-specialist-RedStone").MaxMinutes)
	require.Nil(t, cardOf(w, t, "testing"))
}

func TestDeclare_ChangesNothingWhenRefused(t *testing.T) {
	w := mailboxtest.New(t)
	for field, bad := range map[string]schemas.RegisterIn{"name": {Name: "human"}, "accepts[0]": {Name: "b", Accepts: []string{"a b"}}} {
		_, err := w.Declare(context.Background(), mailboxtest.Human, schemas.DeclareIn{Leave: true, Files: []schemas.DeclaringFile{
			{Name: "f", Agents: []schemas.RegisterIn{{Name: "good"}, bad}},
		}})
		require.Equal(t, field, mailboxtest.RequireError(t, err, schemas.Invalid, "").Field)
		require.Nil(t, cardOf(w, t, "good"))
	}
}
