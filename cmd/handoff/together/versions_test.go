//go:build unix

package together_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/schemas"
)

// as is the same place, used with another program.
func (p *place) as(program string) *place {
	there := *p
	there.program = program
	return &there
}

// TestVersions_NewerProgramTakesOver upgrades the program while processes of the older one run.
func TestVersions_NewerProgramTakesOver(t *testing.T) {
	p := newPlace(t)
	older, newer := p.as(made.Path(t, "v1.9.0")), p.as(made.Path(t, "v1.10.0"))
	require.Contains(t, older.must("version").out, "v1.9.0")
	before := older.several("planner", "qa")
	owner, _ := p.parted(before)
	require.Equal(t, "v1.9.0", owner.welcome.ServerInfo.Version)
	_, err := owner.send(p.ctx, schemas.SendIn{To: "dev", Task: "try it", Title: "of before"})
	require.NoError(t, err)

	upgraded := newer.start("--agent", "dev")
	for p.owner() != upgraded.pid && p.ctx.Err() == nil {
		require.NoError(t, upgraded.call(p.ctx, "list_agents", schemas.ListIn{}, nil)) // which keeps the loop slow
	}
	require.Equal(t, upgraded.pid, p.owner())
	claim, err := upgraded.claim(p.ctx, schemas.ClaimIn{})
	require.NoError(t, err)
	require.Contains(t, claim.Brief, ": of before\n")
	for _, s := range before {
		_, err := s.send(p.ctx, schemas.SendIn{To: "dev", Task: "try it", Title: "of after"})
		require.NoError(t, err)
	}

	late := older.start("--agent", "ops")
	_, err = late.send(p.ctx, schemas.SendIn{To: "dev", Task: "try it", Title: "of after"})
	require.NoError(t, err)
	require.Equal(t, upgraded.pid, p.owner(), "an older program asks no newer one to leave")
	endAll(t, append(before, upgraded, late))
	p.verify()
}

// TestVersions_NewerFormatAsksForUpgrade has a process win the store and find that it cannot read it.
func TestVersions_NewerFormatAsksForUpgrade(t *testing.T) {
	p := newPlace(t)
	owner, others := p.parted(p.several("planner", "qa"))
	left := others[0]
	left.stop(t)
	owner.kill()
	<-owner.ended
	p.renew()
	require.NoError(t, left.signal(syscall.SIGCONT))

	_, err := left.send(p.ctx, schemas.SendIn{To: "dev", Task: "try it"})
	requireUpgrade(t, err)
	requireUpgrade(t, p.run("list").err())
	requireUpgrade(t, p.run("send", "dev", "try it", "--agent", "qa").err())
	require.NoError(t, left.hangUp())
	<-left.ended
}

// renew makes the store one of a version to come.
func (p *place) renew() {
	p.t.Helper()
	db, err := bbolt.Open(filepath.Join(p.dir(), "handoff.db"), 0o600, nil)
	require.NoError(p.t, err)
	require.NoError(p.t, db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("sys")).Put([]byte("format"), []byte("handoff 2"))
	}))
	require.NoError(p.t, db.Close())
}

func requireUpgrade(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	text := err.Error()
	if coded, ok := errors.AsType[*schemas.Error](err); ok {
		text += " " + coded.Hint
	}
	require.Contains(t, text, "newer version")
	require.Contains(t, text, "Install the newest handoff")
}
