package journal

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestDroppingWriter_DeliversToReader(t *testing.T) {
	var b bytes.Buffer
	d := NewDroppingWriter(&b)
	for range 3 {
		_, err := d.Write([]byte("line\n"))
		require.NoError(t, err)
	}
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	require.Equal(t, "line\nline\nline\n", b.String())
}

func TestDroppingWriter_NeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		d := NewDroppingWriter(w)
		for range 10 * queueLength {
			n, err := d.Write([]byte("x"))
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
		require.NoError(t, d.Close(), "a reader that does not read is not waited for")
		require.NoError(t, r.CloseWithError(errors.New("gone")))
	})
}
