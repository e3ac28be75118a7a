//go:build unix

package together_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
	"handoff/schemas"
	"handoff/store/postgres/postgrestest"
)

// TestRehearsal_RestoreHasAllAcknowledgedBeforeBackup runs the commands of the rehearsal in docs/operations.md, with
// clients that are at work, on both engines. HANDOFF_REHEARSAL says how many handoffs there are before.
func TestRehearsal_RestoreHasAllAcknowledgedBeforeBackup(t *testing.T) {
	text, err := os.ReadFile("../../../docs/operations.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(text), "\n## A rehearsal\n")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 2)
	number := programtest.ProofSize(t, "HANDOFF_REHEARSAL", 200, 50, strconv.Atoi)
	for name, lose := range map[string]func(*testing.T, *place) func(){"files": inFiles, "database": inDatabase} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			lost := lose(t, p)
			d := &day{place: p, sent: map[schemas.ID]string{}, done: map[schemas.ID]bool{}}
			d.more.L = &d.mu
			leave := d.work(8)
			d.wait(number)
			sent, done := d.acknowledged()
			backup := d.play(blocks[0][1])
			t.Logf("%d handoffs were acknowledged before, %d while the backup was made", len(sent), d.count()-len(sent))
			leave()
			lost()
			root := regexp.MustCompile(`(?m)^root .*$`)
			require.Equal(t, root.FindString(backup), root.FindString(d.play(blocks[1][1])))
			d.hasAll(t, sent, done)
			leave = d.work(8)
			d.wait(d.count() + 50)
			leave()
			p.verify()
		})
	}
}

// inFiles prepares nothing, and returns a function that loses everything; inDatabase does so for a database.
func inFiles(t *testing.T, p *place) (lose func()) {
	return func() { require.NoError(t, os.RemoveAll(p.dir())) }
}

func inDatabase(t *testing.T, p *place) (lose func()) {
	address := postgrestest.StartServer(t)
	p.env = append(p.env, "HANDOFF_STORE="+address)
	return func() {
		_, err := postgrestest.ConnectPool(t, address).Exec(t.Context(), `drop schema public cascade; create schema public`)
		require.NoError(t, err)
	}
}

// A day has the calls that clients know to be done.
type day struct {
	*place

	more sync.Cond  // tells that something was sent
	mu   sync.Mutex // guards the fields below
	sent map[schemas.ID]string
	done map[schemas.ID]bool
}

// wait waits until so many were sent.
func (d *day) wait(number int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.sent) < number {
		d.more.Wait()
	}
}

func (d *day) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.sent)
}

func (d *day) acknowledged() (sent map[schemas.ID]string, done map[schemas.ID]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.sent), maps.Clone(d.done)
}

// work has clients work until they are killed.
func (d *day) work(clients int) (leave func()) {
	var group sync.WaitGroup
	var names []string
	for i := range clients {
		names = append(names, fmt.Sprintf("a%d", i))
	}
	all := d.several(names...)
	for i, s := range all {
		group.Go(func() {
			for n := 0; d.round(s, names[(i+1)%clients], fmt.Sprintf("%d-%d-%d", s.pid, i, n)); n++ {
			}
		})
	}
	return func() {
		for _, s := range all {
			s.kill()
			<-s.ended
		}
		group.Wait()
	}
}

// round sends a handoff and finishes another one, and reports whether the client goes on.
func (d *day) round(s *process, to, title string) bool {
	out, err := s.send(d.ctx, schemas.SendIn{To: to, Task: "try it", Title: title, Parent: "none"})
	if err != nil {
		return false
	}
	d.mu.Lock()
	d.sent[out.HandoffID] = title
	d.mu.Unlock()
	d.more.Broadcast()
	claim, err := s.claim(d.ctx, schemas.ClaimIn{})
	if err != nil || claim.HandoffID == 0 {
		return err == nil
	}
	in := schemas.CompleteIn{HandoffID: claim.HandoffID.String(), Token: claim.Token, Result: schemas.Result{Summary: "tried"}}
	if _, err := s.complete(d.ctx, in); err != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done[claim.HandoffID] = true
	return true
}

// play runs the commands of a text, and returns their output.
func (d *day) play(commands string) (out string) {
	d.t.Helper()
	for line := range strings.Lines(commands) {
		r := d.must(strings.Fields(line)[1:]...)
		d.t.Logf("%s took %v:\n%s", strings.TrimSpace(line), r.took.Round(time.Millisecond), r.out)
		out += r.out
	}
	return out
}

// hasAll looks for all acknowledged calls.
func (d *day) hasAll(t *testing.T, sent map[schemas.ID]string, done map[schemas.ID]bool) {
	t.Helper()
	s := d.start("--agent", "judge")
	items, err := s.everything(d.ctx)
	require.NoError(t, err)
	for _, item := range items {
		if title, ok := sent[item.HandoffID]; ok {
			require.Equal(t, title, item.Title)
			delete(sent, item.HandoffID)
		}
		if done[item.HandoffID] {
			require.Equal(t, schemas.Completed, item.Status)
			delete(done, item.HandoffID)
		}
	}
	require.Empty(t, sent, "they are missing")
	require.Empty(t, done, "their results are missing")
	endAll(t, []*process{s})
}
