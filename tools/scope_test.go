package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
)

// newRemoteCaller returns a caller over HTTP with a token.
func newRemoteCaller(scope schemas.Scope, names ...schemas.Agent) schemas.Caller {
	return schemas.Caller{Agent: names[0], Names: names, Via: schemas.ViaHTTP, Scope: scope, Token: "ci"}
}

func (o office) refusal(by schemas.Caller, tool, args string) *schemas.Error {
	o.Helper()
	_, err := o.Invoke(o.Context(), tools.Call{Caller: by, Tool: tool, Args: json.RawMessage(args)})
	return schemas.AsError(err)
}

func TestReadScope_AllowsOnlyReadOnlyTools(t *testing.T) {
	o := newOffice(t)
	for _, row := range tools.Table() {
		t.Run(row.Name, func(t *testing.T) {
			err := o.refusal(newRemoteCaller(schemas.ScopeRead, "qa"), row.Name, `{"handoff_id":7}`)
			if row.ReadOnly {
				require.True(t, err == nil || err.Code != schemas.Denied, err)
				return
			}
			require.Equal(t, schemas.Denied, err.Code)
			require.Equal(t, "tool", err.Field)
			require.Contains(t, err.Message, "this token has scope read")
			require.Equal(t, []string{"get_handoff", "handoff_history", "list_agents", "list_handoffs"}, err.Known)
		})
	}
	for _, scope := range []schemas.Scope{schemas.ScopeAgent, schemas.ScopeAdmin, ""} {
		require.Nil(t, o.refusal(newRemoteCaller(scope, "qa"), "send_handoff", `{"to":"dev","task":"x","parent":"none"}`))
	}
}

// Over HTTP there are only the tools for agents, with any scope.
func TestInvoke_HidesAdminToolsOverHTTP(t *testing.T) {
	o := newOffice(t)
	for _, row := range tools.Admin() {
		absent := o.refusal(newRemoteCaller(schemas.ScopeAdmin, "human"), row.Name+"_x", `{}`)
		err := o.refusal(newRemoteCaller(schemas.ScopeAdmin, "human"), row.Name, `{}`)
		require.Equal(t, schemas.NotFound, err.Code, row.Name)
		require.Equal(t, absent.Field, err.Field)
		require.Equal(t, `no tool "`+row.Name+`"`, err.Message)
		require.NotContains(t, err.Known, row.Name)
	}
}

func TestDenial_ErrorListsAgentsOfToken(t *testing.T) {
	o := newOffice(t)
	by := newRemoteCaller(schemas.ScopeAgent, "qa", "dev")
	err := o.refusal(by, "claim_handoff", `{"agent":"boss"}`)
	require.Equal(t, schemas.Denied, err.Code)
	require.Equal(t, "agent", err.Field)
	require.Equal(t, []string{"qa", "dev"}, err.Known)
	require.Equal(t, "Leave it out, or act as qa or dev. The operator of the server gives out tokens for other names.", err.Hint)
	require.Equal(t, err, o.refusal(by, "claim_handoff", `{"agent":"boss"}`))
	require.Equal(t, schemas.Denied, o.refusal(by, "update_handoff", `{"handoff_id":"1","action":"approve","agent":"human"}`).Code)
	require.Nil(t, o.refusal(by, "claim_handoff", `{"agent":"dev"}`))
	require.Equal(t, []string{"denied"}, o.eventActions())
}

func TestDenial_WithoutTokenAddsNoEvent(t *testing.T) {
	o := newOffice(t)
	by := schemas.Caller{Agent: "qa", Via: schemas.ViaHTTP}
	require.Equal(t, schemas.Denied, o.refusal(by, "claim_handoff", `{"agent":"human"}`).Code)
	require.Equal(t, "Leave it out to act under the name of this connection.", o.refusal(by, "claim_handoff", `{"agent":"human"}`).Hint)
	require.Empty(t, o.eventActions())
}

func TestScope_OnlyAdminMayActAsHuman(t *testing.T) {
	o := newOffice(t)
	for scope, may := range map[schemas.Scope]bool{schemas.ScopeAgent: false, schemas.ScopeRead: false, schemas.ScopeAdmin: true} {
		err := o.refusal(newRemoteCaller(scope, "qa", "human"), "list_handoffs", `{"agent":"human"}`)
		require.Equal(t, may, err == nil, scope)
	}
}

// eventActions returns the actions of all events so far.
func (o office) eventActions() (all []string) {
	o.Helper()
	var newest schemas.NewestOut
	b, err := o.Invoke(o.Context(), tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI}, Tool: "registry_newest"})
	require.NoError(o, err)
	require.NoError(o, json.Unmarshal(b, &newest))
	if newest.Event == 0 {
		return nil
	}
	for c, err := range o.Changes(o.Context(), 0) {
		require.NoError(o, err)
		if all = append(all, c.Action); c.N == newest.Event {
			break
		}
	}
	return all
}
