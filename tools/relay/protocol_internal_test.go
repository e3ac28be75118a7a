package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersions_OverlapIfBothKnowOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ours, theirs Versions
		meet         bool
	}{
		"the same":          {Versions{1, 1}, Versions{1, 1}, true},
		"ours reaches back": {Versions{1, 3}, Versions{1, 2}, true},
		"they overlap":      {Versions{2, 4}, Versions{1, 3}, true},
		"ours is too new":   {Versions{3, 4}, Versions{1, 2}, false},
		"one is not said":   {Versions{1, 1}, Versions{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.meet, tt.ours.overlaps(tt.theirs))
			require.Equal(t, tt.meet, tt.theirs.overlaps(tt.ours))
		})
	}
}
