package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionRange_OverlapsIfBothHaveOneVersion(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ours, theirs VersionRange
		meet         bool
	}{
		"the same":          {VersionRange{1, 1}, VersionRange{1, 1}, true},
		"ours reaches back": {VersionRange{1, 3}, VersionRange{1, 2}, true},
		"they overlap":      {VersionRange{2, 4}, VersionRange{1, 3}, true},
		"ours is too new":   {VersionRange{3, 4}, VersionRange{1, 2}, false},
		"one is not said":   {VersionRange{1, 1}, VersionRange{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.meet, tt.ours.overlaps(tt.theirs))
			require.Equal(t, tt.meet, tt.theirs.overlaps(tt.ours))
		})
	}
}
