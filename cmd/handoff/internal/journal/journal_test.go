package journal_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/journal"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

const (
	limit    = 1 << 20 // bytes of one file
	allLines = 1 << 20 // lines: more than a log has
)

// logAsOwner opens the journal, logs the messages and closes it. In a bubble of testing/synctest, Close has time to
// write all of them.
func logAsOwner(t *testing.T, dir string, messages ...string) {
	t.Helper()
	log, closeLog := journal.New(dir)
	for _, m := range messages {
		log.Info(m)
	}
	require.NoError(t, closeLog())
}

// tail returns the messages of the last n lines.
func tail(t *testing.T, dir string, n int) (messages []string) {
	t.Helper()
	for line, err := range journal.Lines(t.Context(), dir, n, false) {
		require.NoError(t, err)
		messages = append(messages, message(line))
	}
	return messages
}

func message(line string) string {
	_, rest, _ := strings.Cut(line, "msg=")
	m, _, _ := strings.Cut(rest, " pid=")
	return m
}

// appendToFile appends content to a file of the log, without a logger.
func appendToFile(t *testing.T, dir, name, content string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(content)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// fullLine returns a line that fills a file, so that no further line fits.
func fullLine(message string) string {
	return strings.Repeat("x", limit) + " msg=" + message + "\n"
}

func TestNew_MakesFileAtFirstLine(t *testing.T) {
	dir := t.TempDir()
	logAsOwner(t, dir)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Empty(t, tail(t, dir, allLines))
}

func TestNew_LineHasTimeLevelAndMessage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		log, closeLog := journal.New(dir)
		log.Warn("a caller left", slog.String("agent", "qa"))
		require.NoError(t, closeLog())
		require.NoError(t, closeLog())
		log.Warn("lost")

		content, err := os.ReadFile(journal.Path(dir))
		require.NoError(t, err)
		require.Regexp(t, fmt.Sprintf(`^time=\S+ level=WARN msg="a caller left" pid=%d agent=qa\n$`, os.Getpid()), string(content))
		info, err := os.Stat(journal.Path(dir))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	})
}

func TestNew_NextOwnerAppends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		logAsOwner(t, dir, "one", "two")
		logAsOwner(t, dir, "three")
		require.Equal(t, []string{"one", "two", "three"}, tail(t, dir, allLines))
		require.Equal(t, []string{"two", "three"}, tail(t, dir, 2))
		require.Empty(t, tail(t, dir, 0))
	})
}

func TestNew_RotatesFullLogWhenOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		appendToFile(t, dir, "handoff.log.1", "msg=ancient\n")
		appendToFile(t, dir, "handoff.log", fullLine("old"))
		logAsOwner(t, dir, "new")
		require.Equal(t, []string{"old", "new"}, tail(t, dir, 2), "what is older is still read")
		require.NotContains(t, tail(t, dir, allLines), "ancient")
		require.Less(t, size(t, dir, "handoff.log"), int64(100))
	})
}

func TestNew_RotatesFullLogWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		long := strings.Repeat("x", 100_000)
		log, closeLog := journal.New(dir)
		for i := range 30 {
			log.Info(fmt.Sprint(i, long))
		}
		require.NoError(t, closeLog())
		for _, name := range []string{"handoff.log", "handoff.log.1"} {
			require.LessOrEqual(t, size(t, dir, name), int64(limit+len(long)+100))
		}
		kept := tail(t, dir, 12)
		require.Len(t, kept, 12)
		require.Equal(t, "18"+long, kept[0])
		require.Equal(t, "29"+long, kept[11])
	})
}

func TestNew_TruncatesLogThatCannotBeRenamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		appendToFile(t, dir, "handoff.log", fullLine("old"))
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "handoff.log.1", "in the way"), 0o700))
		logAsOwner(t, dir, "new")
		require.Less(t, size(t, dir, "handoff.log"), int64(100))
	})
}

func TestNew_IgnoresWriteErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	log, closeLog := journal.New(dir)
	log.Info("lost")
	require.NoError(t, closeLog())
	require.NoDirExists(t, dir)
}

func TestLines_ReportsReadError(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "handoff.log"), 0o700))
	for _, lines := range []iter.Seq2[string, error]{journal.Lines(t.Context(), dir, allLines, false), journal.Lines(t.Context(), dir, allLines, true)} {
		var errs []error
		for _, err := range lines {
			errs = append(errs, err)
		}
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], "handoff.log")
	}
}

func size(t *testing.T, dir, name string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, name))
	require.NoError(t, err)
	return info.Size()
}

// The test writes the next lines only after the reader has read the last.
func TestLines_FollowYieldsNewLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		logAsOwner(t, dir, "one", "two")
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		var seen []string
		for line, err := range journal.Lines(ctx, dir, 1, true) {
			require.NoError(t, err)
			seen = append(seen, message(line))
			switch seen[len(seen)-1] {
			case "two":
				logAsOwner(t, dir, "three")
				appendToFile(t, dir, "handoff.log", "msg=fo")
			case "three":
				appendToFile(t, dir, "handoff.log", "ur\n"+fullLine("five"))
			case "four":
				logAsOwner(t, dir, "six")
				require.FileExists(t, filepath.Join(dir, "handoff.log.1"))
			case "six":
				leave()
			}
		}
		require.Equal(t, []string{"two", "three", "four", "five", "six"}, seen)
	})
}

func TestLines_FollowWaitsForFirstLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		time.AfterFunc(time.Minute, func() {
			appendToFile(t, dir, "handoff.log", "msg=one\n")
		})
		for line, err := range journal.Lines(ctx, dir, allLines, true) {
			require.NoError(t, err)
			require.Equal(t, "one", message(line))
			leave()
		}
	})
}

func TestLines_FollowContinuesInEmptiedLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		logAsOwner(t, dir, "one", "two")
		var seen []string
		for line, err := range journal.Lines(t.Context(), dir, 1, true) {
			require.NoError(t, err)
			if seen = append(seen, message(line)); len(seen) == 2 {
				break
			}
			require.NoError(t, os.Truncate(filepath.Join(dir, "handoff.log"), 0))
			logAsOwner(t, dir, "three")
		}
		require.Equal(t, []string{"two", "three"}, seen)
	})
}
