package platform_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools/platform"
)

func TestOutputTail_KeepsEndOfLongOutput(t *testing.T) {
	for _, piece := range []int{1 << 10, 5_000, 64 << 10, 100_000} {
		var tail platform.OutputTail
		var all []byte
		for n := range 40 {
			text := bytes.Repeat([]byte{byte('a' + n%26)}, piece)
			written, err := tail.Write(text)
			require.NoError(t, err)
			require.Equal(t, piece, written)
			all = append(all, text...)
			require.Equal(t, all[max(0, len(all)-64<<10):], tail.Bytes())
		}
		require.LessOrEqual(t, cap(tail.Bytes()), 256<<10)
	}
}

func TestOutputTail_KeepsAllOfShortOutput(t *testing.T) {
	var tail platform.OutputTail
	require.Empty(t, tail.String())
	for _, text := range []string{"one ", "", "two"} {
		_, err := tail.Write([]byte(text))
		require.NoError(t, err)
	}
	require.Equal(t, "one two", tail.String())
}
