//go:build linux

package faults_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
)

// A chore is a command that keeps a workspace. Its files are in the state directory.
type chore struct {
	name    string
	args    []string
	prepare func(home)
	repeat  []string // the same command after it was killed; nil: as it was
	broken  bool     // the store is not sound before
	refusal string   // of a repetition where it was done; empty: that nothing was changed
	once    bool     // done twice it is undone, so it is repeated only where it was not done
}

var chores = []chore{
	{name: "backup", args: []string{"backup", "../b"}, repeat: []string{"backup", "../b", "--force"}},
	{name: "restore", args: []string{"restore", "../b", "--replace"}, prepare: func(h home) {
		h.must("backup", "../b")
		h.must("send", "qa", "Test the rest", "--agent", "dev")
	}},
	{name: "restore --undo", args: []string{"restore", "--undo"}, prepare: home.restored, once: true},
	{name: "restore --accept", args: []string{"restore", "--accept"}, prepare: home.restored, refusal: "nothing is kept of workspace w"},
	{name: "restore into nothing", args: []string{"restore", "../b"}, prepare: func(h home) {
		h.must("backup", "../b")
		require.NoError(h, os.RemoveAll(filepath.Dir(h.file())))
	}},
	{name: "import", args: []string{"import", "../e", "--agent", "human"}, prepare: func(h home) {
		h.must("export", "../e")
		require.NoError(h, os.RemoveAll(filepath.Dir(h.file())))
	}},
	{name: "compact", args: []string{"compact"}},
	{name: "compact --keep", args: []string{"compact", "--keep", "180d", "--agent", "human"}, prepare: home.aged},
	{name: "check --mend", args: []string{"check", "--mend"}, prepare: home.damaged, broken: true},
}

// restored has the content from before a restore.
func (h home) restored() {
	h.must("backup", "../b")
	h.must("send", "qa", "Test the rest", "--agent", "dev")
	h.must("restore", "../b", "--replace")
}

// aged has handoffs that ended a year ago.
func (h home) aged() {
	h.Helper()
	backend, err := bolt.Open(h.Context(), bolt.Config{Path: h.file()})
	require.NoError(h, err)
	n := 0
	s := mailbox.New(mailbox.Config{
		Store: store.New(backend), Now: func() time.Time { return time.Now().AddDate(-1, 0, 0) },
		NewID: func(kind string) string { n++; return fmt.Sprintf("%s_%d", kind, n) },
	})
	dev := schemas.Caller{Agent: "dev", Via: schemas.ViaCLI}
	for range 3 {
		sent, err := s.Send(h.Context(), dev, schemas.SendIn{To: "qa", Task: strings.Repeat("Test it ", 100), Parent: "none"})
		require.NoError(h, err)
		_, err = s.Update(h.Context(), dev, schemas.UpdateIn{HandoffID: sent.HandoffID.String(), Action: schemas.ActCancel})
		require.NoError(h, err)
	}
	require.NoError(h, backend.Close())
}

// damaged has lost rows of an index and a counter.
func (h home) damaged() {
	h.Helper()
	backend, err := bolt.Open(h.Context(), bolt.Config{Path: h.file()})
	require.NoError(h, err)
	require.NoError(h, backend.Update(h.Context(), func(w store.Writer) error {
		for _, space := range []store.Space{store.BySender, store.Mailboxes, store.Words} {
			for row, err := range w.Scan(store.Range{Space: space}) {
				if err := errors.Join(err, w.Delete(space, row.Key)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	require.NoError(h, backend.Close())
}

// TestChore_KilledAtAnyCallLosesNothing kills each maintenance command at each system call that changes files, one at a
// time. Afterwards the store has the old content or the new content. An unusable store names the remedy, and the same
// command then ends well. HANDOFF_FAULTS=1 tries all calls, a larger number a sample.
func TestChore_KilledAtAnyCallLosesNothing(t *testing.T) {
	each := programtest.ProofSize(t, "HANDOFF_FAULTS", 29, 97, strconv.Atoi)
	files := append([]string{"write", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"}, calls...)
	fresh := newHome(t)
	tried, killed := 0, 0
	for _, c := range chores {
		from := fresh.copied()
		if c.prepare != nil {
			c.prepare(from)
		}
		clean := from.copied()
		trace := clean.traced("trace="+strings.Join(files, ","), c.args)
		whole := clean.events()
		for _, call := range files {
			for nth := range strings.Count(trace, " "+call+"(") {
				if tried++; tried%each != 0 {
					continue
				}
				trial := from.copied()
				if trial.killed(c, fmt.Sprintf("%s:signal=KILL:when=%d", call, nth+1), from, whole) {
					killed++
				}
				require.NoError(t, os.RemoveAll(trial.state))
			}
		}
	}
	require.Positive(t, killed)
	t.Logf("%d commands were killed; each %d. of %d was tried", killed, each, tried)
}

// killed kills a command, and reports whether it was.
func (h home) killed(c chore, fault string, from home, whole []string) bool {
	h.Helper()
	call, _, _ := strings.Cut(fault, ":")
	have := h.run([]string{"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=" + fault}, c.args...)
	told := fmt.Sprintf("%s with %s: %d\n%s%s", c.name, fault, have.code, have.out, have.errs)
	if file := filepath.Join(h.state, "b"); c.name == "backup" && exists(file) {
		require.Equal(h, whole, eventsIn(h.T, file), "what has the name is whole: %s", told)
	}
	listed := h.run(nil, "list", "--all")
	switch {
	case listed.code != 0:
		require.Regexp(h, `again|restore|import`, listed.errs, "a store that cannot be used says what to do: %s", told)
	case !c.broken && exists(h.file()):
		before := from.copied()
		before.run(nil, "list", "--all") // as above: a look applies time
		require.Contains(h, [][]string{whole, from.eventsOrNone(), before.eventsOrNone()}, h.events(), told)
	}
	if c.repeat != nil {
		c.args = c.repeat
	}
	done := c.once && slices.Equal(whole, h.events())
	if have.code != 0 && !done { // where it was done before, it may be refused
		again := h.run(nil, c.args...)
		require.True(h, again.code == 0 || strings.Contains(again.errs, cmp.Or(c.refusal, "Nothing was changed")), "%s\nand again: %s%s", told, again.out, again.errs)
	}
	require.Equal(h, whole, h.events(), told)
	return have.code < 0
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// eventsOrNone returns the events of a workspace, or none for an unused one.
func (h home) eventsOrNone() []string {
	if !exists(h.file()) {
		return nil
	}
	return h.events()
}
