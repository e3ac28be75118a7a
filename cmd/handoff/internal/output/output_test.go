//go:build unix

package output_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/output"
)

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

func TestOpen_NoticesReaderLeavingAtOnce(t *testing.T) {
	r, w := pipe(t)
	ctx, out := output.StartWriter(t.Context(), w)
	_, err := io.WriteString(out, "line\n")
	require.NoError(t, err)
	require.NoError(t, ctx.Err())
	require.NoError(t, r.Close())
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), output.ErrReaderLeft)
	out.Close()
}

func TestWrite_WithoutReaderIsNoError(t *testing.T) {
	r, w := pipe(t)
	require.NoError(t, r.Close())
	ctx, out := output.StartWriter(t.Context(), struct{ io.Writer }{w}) // not known to be a file
	require.NoError(t, ctx.Err())
	n, err := io.WriteString(out, "line\n")
	require.NoError(t, err)
	require.Equal(t, len("line\n"), n)
	require.ErrorIs(t, context.Cause(ctx), output.ErrReaderLeft)
	out.Close()
}

func TestWrite_ReturnsOtherErrors(t *testing.T) {
	_, w := pipe(t)
	require.NoError(t, w.Close())
	ctx, out := output.StartWriter(t.Context(), w)
	_, err := io.WriteString(out, "line\n")
	require.ErrorIs(t, err, os.ErrClosed)
	require.NoError(t, ctx.Err())
	out.Close()
}

func TestOpen_FileHasNoReader(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer f.Close()
	for _, w := range []io.Writer{f, new(bytes.Buffer)} {
		ctx, out := output.StartWriter(t.Context(), w)
		_, err = io.WriteString(out, "line\n")
		require.NoError(t, err)
		require.NoError(t, ctx.Err())
		out.Close()
		require.ErrorIs(t, context.Cause(ctx), context.Canceled)
	}
}

func TestClose_DoesNotWaitForReader(t *testing.T) {
	_, w := pipe(t)
	_, out := output.StartWriter(t.Context(), w)
	out.Close()
	out.Close()
}
