package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewestCommonVersionIsSpoken(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ours, theirs Versions
		common       int // 0: none
	}{
		"the same":          {Versions{1, 1}, Versions{1, 1}, 1},
		"ours reaches back": {Versions{1, 3}, Versions{1, 2}, 2},
		"they overlap":      {Versions{2, 4}, Versions{1, 3}, 3},
		"ours is too new":   {Versions{3, 4}, Versions{1, 2}, 0},
		"one is not said":   {Versions{1, 1}, Versions{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pair := range [][2]Versions{{tt.ours, tt.theirs}, {tt.theirs, tt.ours}} {
				version, ok := pair[0].common(pair[1])
				require.Equal(t, tt.common != 0, ok)
				if ok {
					require.Equal(t, tt.common, version)
				}
			}
		})
	}
}
