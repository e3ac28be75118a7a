package schemas_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestAdvice_IsJSONForProgramsAndSentenceForModels(t *testing.T) {
	wait := schemas.AdviseCall(schemas.GetIn{HandoffID: "ho_1", WaitSeconds: 50}, "waits for a change")
	b, err := json.Marshal(wait)
	require.NoError(t, err)
	require.JSONEq(t, `{"say":"waits for a change","tool":"get_handoff","args":{"handoff_id":"ho_1","wait_seconds":50}}`, string(b))
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","wait_seconds":50} waits for a change.`, wait.String())
	require.Equal(t, "Ask. "+wait.String(), schemas.RenderAdvice([]schemas.Advice{{Say: "Ask."}, wait}))
}

func TestAdviceWithAgent_AddsAgentToCall(t *testing.T) {
	claim := schemas.AdviseCall(schemas.ClaimIn{}, "takes the next one")
	require.Equal(t, `claim_handoff {"agent":"qa"}`, claim.WithAgent("qa").Request())
	require.Equal(t, `claim_handoff {}`, claim.WithAgent("").Request())
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","agent":"qa"}`, schemas.AdviseCall(schemas.GetIn{HandoffID: "ho_1"}, "").WithAgent("qa").Request())
	require.Equal(t, schemas.Advice{Say: "Ask."}, schemas.Advice{Say: "Ask."}.WithAgent("qa"))

	get := schemas.AdviseCall(schemas.GetIn{HandoffID: "ho_1"}, "")
	first := get.WithAgent("qa")
	require.Equal(t, first, get.WithAgent("qa"))
	require.Equal(t, `get_handoff {"handoff_id":"ho_1"}`, get.Request(), "the advice itself stays as it was")
}

func TestWithDefaultAdvice_AddsCallsOfErrorCode(t *testing.T) {
	about := func(e *schemas.Error) string { return schemas.RenderAdvice(e.WithDefaultAdvice("qa").Next) }
	require.Equal(t, `get_handoff {"handoff_id":"ho_7","agent":"qa"} shows where it stands.`,
		about(schemas.Errorf(schemas.Conflict, "it is taken").WithHandoff(7, schemas.Accepted, 0)))
	require.Empty(t, about(schemas.Errorf(schemas.Conflict, "no handoff is concerned")))
	require.Empty(t, about(schemas.Errorf(schemas.NotFound, "no token").WithHint("Make one.")))
	require.Empty(t, about(schemas.Invalidf("task", "required")))
	own := schemas.AdviseCall(schemas.ClaimIn{HandoffID: "ho_7"}, "claims it")
	require.Equal(t, `claim_handoff {"handoff_id":"ho_7","agent":"qa"} claims it.`, about(schemas.Errorf(schemas.Conflict, "not yours").WithNext(own)))
}
