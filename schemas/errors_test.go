package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// Nobody knows what a call that broke has changed: its commit may have gone through.
func TestInternalErrorsSayWhereToLook(t *testing.T) {
	require.Equal(t, "The server's log has the details; read before repeating.", schemas.InternalError(nil).Hint)
}
