package clients

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// A disk that does not answer keeps nobody from what the other examinations found.
func TestAnExaminationThatDoesNotEndIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithTimeout(t.Context(), examining)
		defer end()
		never := make(chan struct{})
		defer close(never)
		here := doctor.Finding{Subject: "version", State: doctor.OK}
		require.Equal(t, []doctor.Finding{doctor.Late("store", "what is here"), here}, gathered(ctx, []examination{
			{"store", "what is here", func() []doctor.Finding { <-never; return nil }},
			{"version", "PATH", func() []doctor.Finding { return []doctor.Finding{here} }},
		}))
	})
}
