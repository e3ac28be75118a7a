//go:build linux

package faults_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
)

// A step is one event of a recorded run: bytes written at an offset, a new length of the file, a sync, or an answer to
// a client.
type step struct {
	kind   string // write, length, sync or answer
	offset int64
	data   []byte
}

// TestPowerCut_AtEveryWriteLosesNothing records the writes, syncs and answers of a server. For each step it makes the
// files that a power cut may leave: each write since the last sync may be there, missing or torn between sectors. Each
// file must open, be sound, and have all acknowledged calls and no half change. HANDOFF_FAULTS=1 tries all files, a
// larger number a sample.
func TestPowerCut_AtEveryWriteLosesNothing(t *testing.T) {
	each := programtest.ProofSize(t, "HANDOFF_FAULTS", 29, 97, strconv.Atoi)
	h := newHome(t)
	image, err := os.ReadFile(h.file())
	require.NoError(t, err)
	steps := h.recorded()
	end := eventsOf(t, image, steps)
	commits := commitsOf(t, image, steps)
	require.Greater(t, len(commits), 5)

	answered, synced := 0, 0
	seen, looked := 0, 0
	random := rand.New(rand.NewPCG(1, 2))
	for i, s := range steps {
		switch s.kind {
		case "sync":
			image, synced = apply(image, steps[synced:i]), i
		case "answer":
			answered = len(eventsOf(t, image, steps[synced:i]))
		}
		for _, left := range losses(steps[synced:i+1], random) {
			if seen++; seen%each != 0 {
				continue
			}
			looked++
			got := eventsOf(t, image, left)
			require.Equal(t, end[:len(got)], got)
			require.Contains(t, commits, len(got), "after step %d of %d there is half a change", i, len(steps))
			require.GreaterOrEqual(t, len(got), answered, "after step %d of %d something is lost that was answered", i, len(steps))
		}
	}
	t.Logf("%d of %d files were looked at, of %d steps with %d commits", looked, seen, len(steps), len(commits))
}

// commitsOf gives how many events there are after each commit.
func commitsOf(t *testing.T, image []byte, steps []step) (counts []int) {
	t.Helper()
	for i, s := range steps {
		if s.kind == "sync" {
			counts = append(counts, len(eventsOf(t, image, steps[:i])))
		}
	}
	return slices.Compact(counts)
}

// losses returns the possible remains of steps that were not synced.
func losses(pending []step, random *rand.Rand) (all [][]step) {
	writes := slices.DeleteFunc(slices.Clone(pending), func(s step) bool { return s.kind != "write" && s.kind != "length" })
	for i := range len(writes) + 1 {
		all = append(all, writes[:i], writes[i:]) // the first ones, and the last ones alone
	}
	for i, w := range writes {
		all = append(all, slices.Delete(slices.Clone(writes), i, i+1))
		if half := len(w.data) / 1024 * 512; half > 0 {
			torn := slices.Clone(writes)
			torn[i].data = w.data[:half]
			other := slices.Clone(writes)
			other[i].data, other[i].offset = w.data[half:], w.offset+int64(half)
			all = append(all, torn, other)
		}
	}
	for range 3 {
		all = append(all, slices.DeleteFunc(slices.Clone(writes), func(step) bool { return random.IntN(2) == 0 }))
	}
	return all
}

// apply gives a file after some steps.
func apply(image []byte, steps []step) []byte {
	image = bytes.Clone(image)
	for _, s := range steps {
		switch s.kind {
		case "length":
			image = append(image, make([]byte, max(0, s.offset-int64(len(image))))...)[:s.offset]
		case "write":
			image = append(image, make([]byte, max(0, s.offset+int64(len(s.data))-int64(len(image))))...)
			copy(image[s.offset:], s.data)
		}
	}
	return image
}

// eventsOf opens a file as it is after some steps. It has to be sound.
func eventsOf(t *testing.T, image []byte, steps []step) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "handoff.db")
	require.NoError(t, os.WriteFile(file, apply(image, steps), 0o600))
	defer func() { require.NoError(t, os.Remove(file)) }()
	return eventsIn(t, file)
}

// recorded returns the steps of a server, its writes and answers, while a client made one call after the other.
func (h home) recorded() (steps []step) {
	h.Helper()
	trace := filepath.Join(h.state, "trace")
	cmd := h.command("strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-o", trace,
		"-e", "trace=pwrite64,ftruncate,fdatasync,fsync,write", h.program, "mcp", "--agent", "qa")
	in, err := cmd.StdinPipe()
	require.NoError(h, err)
	out, err := cmd.StdoutPipe()
	require.NoError(h, err)
	require.NoError(h, cmd.Start())
	talk(h.T, in, out)
	require.NoError(h, in.Close())
	require.NoError(h, cmd.Wait())
	said, err := os.ReadFile(trace)
	require.NoError(h, err)
	return parsed(h.T, string(said), filepath.Base(h.file()))
}

var line = regexp.MustCompile(`^(\d+) +(?:(\w+)\((\d+)<([^>]*)>(?:, (.*?))?(?: <unfinished \.\.\.>|\) += .*)|<\.\.\. (\w+) resumed>.*= (-?\d+).*)$`)

// parsed reads a trace. A call counts when it begins, but a sync when it has returned.
func parsed(t *testing.T, trace, file string) (steps []step) {
	t.Helper()
	syncing := map[string]bool{}
	for text := range strings.Lines(trace) {
		text = strings.TrimSpace(text)
		m := line.FindStringSubmatch(text)
		if m == nil {
			continue // a signal
		}
		pid, call, fd, path, args := m[1], m[2], m[3], unescaped(m[4]), m[5]
		whole := !strings.HasSuffix(text, "<unfinished ...>")
		switch {
		case m[6] == "fdatasync" || m[6] == "fsync":
			if syncing[pid] {
				steps = append(steps, step{kind: "sync"})
			}
			delete(syncing, pid)
		case call == "write" && fd == "1":
			steps = append(steps, step{kind: "answer"})
		case filepath.Base(path) != file:
		case call == "pwrite64":
			data, rest, _ := strings.Cut(strings.TrimPrefix(args, `"`), `", `)
			_, offset, _ := strings.Cut(rest, ", ")
			at, err := strconv.ParseInt(offset, 10, 64)
			require.NoError(t, err, text[max(0, len(text)-200):])
			steps = append(steps, step{kind: "write", offset: at, data: []byte(unescaped(data))})
		case call == "ftruncate":
			length, err := strconv.ParseInt(args, 10, 64)
			require.NoError(t, err, text)
			steps = append(steps, step{kind: "length", offset: length})
		case whole:
			steps = append(steps, step{kind: "sync"})
		default:
			syncing[pid] = true
		}
	}
	return steps
}

// unescaped reads the form in which strace was told to write all texts.
func unescaped(text string) string {
	b := make([]byte, 0, len(text)/4)
	for i := 0; i+4 <= len(text); i += 4 {
		n, err := strconv.ParseUint(text[i+2:i+4], 16, 8)
		if err != nil {
			return text
		}
		b = append(b, byte(n))
	}
	return string(b)
}
