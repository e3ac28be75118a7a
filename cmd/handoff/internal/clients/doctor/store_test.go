package doctor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func TestWholeStoreIsOK(t *testing.T) {
	b := newBox(t)
	b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it"}`)
	file, there := b.place.Store()
	require.True(t, there)
	all := doctor.Store(t.Context(), b.boxes, file, doctor.Shell{})
	requireFinding(t, all, doctor.OK, "it opens, and holds 1 event ", "")
	requireFinding(t, all, doctor.OK, "it is whole: 1 event of 1 handoff", "")
}

func TestALargeStoreIsNotVerified(t *testing.T) {
	all := doctor.Store(t.Context(), newBox(t).boxes, workspace.File{Bytes: 1 << 30}, doctor.Shell{Place: " --workspace w"})
	requireFinding(t, all, doctor.Skipped, "it is large", "handoff audit verify --workspace w")
}

func TestStoreThatDoesNotOpenIsAnError(t *testing.T) {
	f := doctor.Closed(schemas.Errorf(schemas.Unavailable, "process 7 does not answer").WithHint("It may be stopped."), doctor.Shell{Place: " --workspace w"})
	requireFinding(t, []doctor.Finding{f}, doctor.Error, "process 7 does not answer. It may be stopped.", "handoff logs --workspace w")
}
