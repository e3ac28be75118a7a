package mailbox_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// declare tells the workspace what two files say, and gives who changed.
func declare(t *testing.T, w *world, user, project []schemas.RegisterIn) []schemas.Agent {
	t.Helper()
	out := must(t, w.Declare, schemas.Caller{Via: schemas.ViaCLI}, schemas.DeclareIn{Leave: true, Files: []schemas.DeclaringFile{
		{Name: "~/agents.yaml", Agents: user}, {Name: "shop/agents.yaml", Agents: project},
	}})
	return out.Changed
}

func (w *world) cardOf(t *testing.T, name schemas.Agent) *schemas.Card {
	t.Helper()
	out := must(t, w.Agents, person, schemas.AgentsIn{})
	for _, c := range out.Agents {
		if c.Name == name {
			return &c
		}
	}
	return nil
}

func TestDeclaredAgentsAreKnownBeforeAnybodySawThem(t *testing.T) {
	w := newWorld(t)
	user := []schemas.RegisterIn{{Name: "qa", Accepts: []string{"anything"}}, {Name: "ops", Skills: []string{"k8s"}}}
	project := []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}, MaxOpen: 1}}
	require.Equal(t, []schemas.Agent{"ops", "qa"}, declare(t, w, user, project))
	before := must(t, w.Head, person, schemas.NewestIn{})
	require.Empty(t, declare(t, w, user, project), "a repetition changes nothing")
	after := must(t, w.Head, person, schemas.NewestIn{})
	require.Equal(t, before.Event, after.Event)

	require.Equal(t, &schemas.Card{
		Name: "qa", Registered: true, Accepts: []string{"code"}, MaxOpen: 1, DeclaredIn: "shop/agents.yaml",
	}, w.cardOf(t, "qa"))
	a := w.stdio("a")
	refuses(t, w.Send, a, schemas.SendIn{To: "qaa", Task: "x"}, schemas.NotFound, "qaa")
	w.send(a, "qa", "directed")
	w.send(a, "capability:code", "pooled")
	qa := w.stdio("qa")
	require.Equal(t, schemas.ID(1), w.claim(qa).HandoffID)
	require.Equal(t, []schemas.Agent{"qa"}, declare(t, w, user, []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}}}))
	require.Equal(t, schemas.ID(2), w.claim(qa).HandoffID, "what the file says less is gone")
}

func TestWhatAFileNoLongerDeclaresIsForgottenButWhatTheAgentSaidItself(t *testing.T) {
	w := newWorld(t)
	declare(t, w, nil, []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}}, {Name: "ops"}, {Name: "dev"}})
	qa, dev := w.stdio("qa"), w.stdio("dev")
	must(t, w.Register, qa, schemas.RegisterIn{Name: "qa", Accepts: []string{"docs"}})
	w.send(dev, "qa", "x")
	require.Empty(t, declare(t, w, nil, []schemas.RegisterIn{{Name: "qa", Accepts: []string{"code"}}, {Name: "ops"}, {Name: "dev"}}),
		"what the agent said since holds until its declaration is another")
	require.Equal(t, []schemas.Agent{"dev", "ops", "qa"}, declare(t, w, nil, nil))
	require.Equal(t, []string{"docs"}, w.cardOf(t, "qa").Accepts)
	require.Empty(t, w.cardOf(t, "qa").DeclaredIn)
	require.Nil(t, w.cardOf(t, "ops"), "nobody ever saw it")
	require.False(t, w.cardOf(t, "dev").Registered)
}

func TestNamesThatBeginWithADeclaredRoleHaveIt(t *testing.T) {
	w := newWorld(t)
	early, own := w.stdio("testing-specialist-Early"), w.stdio("testing-specialist-Own")
	w.send(early, "human", "x")
	must(t, w.Register, own, schemas.RegisterIn{Name: "testing-specialist-Own", Role: "ops"})
	role := schemas.RegisterIn{Name: "testing-specialist", Role: "testing-specialist", Accepts: []string{"validation"}, MaxMinutes: 60}
	declare(t, w, nil, []schemas.RegisterIn{{Name: "testing", Accepts: []string{"none"}}, role})

	a := w.stdio("a")
	require.Equal(t, early.Agent, w.send(a, "role:testing", "one").Routed.Chosen)
	require.Empty(t, w.send(a, "capability:validation", "two").Routed.Chosen, "it has something before it")
	red := w.stdio("testing-specialist-RedStone")
	require.Equal(t, schemas.ID(3), w.claim(red).HandoffID)
	require.Equal(t, schemas.ID(2), w.claim(early).HandoffID)
	require.Equal(t, 60, w.cardOf(t, "testing-specialist-RedStone").MaxMinutes)
	require.Equal(t, "ops", w.cardOf(t, "testing-specialist-Own").Role)
	role.MaxMinutes = 30
	declare(t, w, nil, []schemas.RegisterIn{role})
	require.Equal(t, 30, w.cardOf(t, "testing-specialist-RedStone").MaxMinutes)
	require.Nil(t, w.cardOf(t, "testing"))
}

func TestADeclarationThatIsRefusedChangesNothing(t *testing.T) {
	w := newWorld(t)
	for field, bad := range map[string]schemas.RegisterIn{"name": {Name: "human"}, "accepts[0]": {Name: "b", Accepts: []string{"a b"}}} {
		_, err := w.Declare(context.Background(), person, schemas.DeclareIn{Leave: true, Files: []schemas.DeclaringFile{
			{Name: "f", Agents: []schemas.RegisterIn{{Name: "good"}, bad}},
		}})
		require.Equal(t, field, refused(t, err, schemas.Invalid, "").Field)
		require.Nil(t, w.cardOf(t, "good"))
	}
}
