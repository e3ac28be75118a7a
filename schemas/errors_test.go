package schemas_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// A call with an internal error may have changed something, because its transaction may have been committed.
func TestInternalError_HintNamesServerLog(t *testing.T) {
	require.Equal(t, "The server's log has the details; read before repeating.", schemas.InternalError(nil).Hint)
}

// Only the log shows the hidden cause.
func TestErrorLogValue_IncludesCauseHiddenFromCallers(t *testing.T) {
	e := schemas.InternalError(errors.New("disk on fire"))
	require.NotContains(t, e.Error(), "disk")
	require.Equal(t, "the server could not do this: disk on fire", e.LogValue().String())
	require.Equal(t, "to: no", schemas.Invalidf("to", "no").WithCause(errors.New("x")).LogValue().String())
}
