//go:build unix

package proof_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

// needs are shell lines that cause each kind of need; N is its number.
var needs = map[string]string{
	"question":   `id=$(handoff send qa "$N" --agent human -q); handoff claim $id --agent qa; handoff update $id --ask Which --agent qa`,
	"permission": `id=$(handoff send qa "$N" --agent dev -q); handoff claim $id --agent qa; handoff update $id --needs-permission root --agent qa`,
	"approval":   `handoff send qa "$N" --needs-approval --agent dev`,
	"failure":    `id=$(handoff send qa "$N" --agent dev -q); handoff claim $id --agent qa; handoff fail $id no --then stop --agent qa`,
	"rejection":  `id=$(handoff send qa "$N" --agent dev -q); handoff claim $id --agent qa; handoff fail $id no --reject --then stop --agent qa`,
	"time-out":   `handoff send qa "$N" --deadline 1s --agent human`,
	"escalation": `id=$(handoff send qa "$N" --agent dev -q); handoff claim $id --agent qa; handoff fail $id no --then escalate --agent qa`,
	"work":       `handoff send human "$N" --agent dev`,
	"message":    `handoff send human "$N" --type message --agent dev`,
}

// The program must report each need once, although it is killed and restarted all the time. HANDOFF_NEEDS is the number
// of needs of each kind (100 with make needs, with ten restarts for each).
func TestStatusExec_ReportsEachNeedOnceOverRestarts(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	times, err := strconv.Atoi(cmp.Or(os.Getenv("HANDOFF_NEEDS"), "2"))
	require.NoError(t, err)
	d := newDesk(t)
	made := make(chan error, 1)
	go func() {
		for n := range times {
			for _, kind := range slices.Sorted(maps.Keys(needs)) {
				if out, err := d.shell(fmt.Sprintf("set -e; N=%s-%d\n%s", kind, n, needs[kind])).CombinedOutput(); err != nil {
					made <- fmt.Errorf("%s: %w: %s", kind, err, out)
					return
				}
			}
		}
		made <- nil
	}()
	for range 10 * times {
		d.herald(time.Duration(rand.Int64N(int64(time.Second))))
	}
	require.NoError(t, <-made)
	d.herald(10 * time.Second) // it reports the rest
	d.requireToldOnce(len(needs)*times, times >= 100)
}

// A desk is a person at a workspace with a program that tells.
type desk struct {
	t   *testing.T
	dir string
}

func newDesk(t *testing.T) desk {
	d := desk{t, t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "handoff"), []byte("#!/bin/sh\nexec "+commandtest.Program+` "$@"`+"\n"), 0o700))
	return d
}

func (d desk) shell(lines string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", lines)
	cmd.Dir = d.dir
	cmd.Env = []string{
		"PATH=" + d.dir + ":" + os.Getenv("PATH"), "HOME=" + d.dir, "XDG_STATE_HOME=" + filepath.Join(d.dir, "state"),
		"HANDOFF_WORKSPACE=w", "TOLD=" + filepath.Join(d.dir, "told"),
	}
	return cmd
}

// herald runs status --exec for so long, then kills it or asks it to end.
func (d desk) herald(life time.Duration) {
	cmd := d.shell(`exec handoff status --exec 'echo "$HANDOFF_NEED_KIND $HANDOFF_NEED_ID $(date +%s%N)" >>"$TOLD"'`)
	cmd.Stderr = os.Stderr
	require.NoError(d.t, cmd.Start())
	time.Sleep(life) // as long as it lives
	s := syscall.SIGKILL
	if rand.IntN(3) == 0 || life > time.Second {
		s = syscall.SIGTERM
	}
	require.NoError(d.t, cmd.Process.Signal(s))
	_ = cmd.Wait()
}

// requireToldOnce compares the reports with the current needs of the person, and checks their delay.
func (d desk) requireToldOnce(n int, fast bool) {
	raw, err := d.shell(`handoff call workspace_overview '{"limit": 1000}'`).Output()
	require.NoError(d.t, err)
	var out schemas.OverviewOut
	require.NoError(d.t, json.Unmarshal(raw, &out))
	require.Len(d.t, out.NeedsYou.Items, n)
	since := map[string]time.Time{}
	for _, c := range out.NeedsYou.Items {
		since[string(c.Kind)+" "+cmp.Or(c.NoticeID.String(), c.HandoffID.String())] = c.Since
	}
	told, err := os.ReadFile(filepath.Join(d.dir, "told"))
	require.NoError(d.t, err)
	seen, after := map[string]int{}, []time.Duration{}
	for line := range strings.Lines(string(told)) {
		words := strings.Fields(line)
		need := words[0] + " " + words[1]
		at, err := strconv.ParseInt(words[2], 10, 64)
		require.NoError(d.t, err)
		require.Contains(d.t, since, need)
		seen[need]++
		after = append(after, time.Unix(0, at).Sub(since[need]))
	}
	var twice, never []string
	for need := range since {
		switch {
		case seen[need] == 0:
			never = append(never, need)
		case seen[need] > 1:
			twice = append(twice, need)
		}
	}
	slices.Sort(after)
	p := func(percent int) time.Duration { return after[(len(after)-1)*percent/100].Round(time.Millisecond) }
	d.t.Logf("%d needs, %d told, %d twice, %d never; after p50 %s, p99 %s, at most %s", n, len(after), len(twice), len(never), p(50), p(99), p(100))
	require.Empty(d.t, twice)
	require.Empty(d.t, never)
	if fast {
		require.LessOrEqual(d.t, p(99), 2*time.Second)
	}
}
