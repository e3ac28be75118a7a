package journal

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The queue may write to a file after Close has given up on it. No test can choose that moment from outside.
func TestRotatingFile_WritesNothingAfterClose(t *testing.T) {
	for name, before := range map[string]string{"a file with lines": "in time\n", "a file without": ""} {
		t.Run(name, func(t *testing.T) {
			f := &rotatingFile{path: Path(t.TempDir())}
			if before != "" {
				_, err := f.Write([]byte(before))
				require.NoError(t, err)
			}
			f.close()
			_, err := f.Write([]byte("late\n"))
			require.NoError(t, err)
			content, _ := os.ReadFile(f.path) // a missing file is right, too
			require.Equal(t, before, string(content))
			f.close()
		})
	}
}
