package consent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/consent"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestAllow_KeepsConcurrentPermissions(t *testing.T) {
	b := consent.PermissionBook{IDDir: filepath.Join(t.TempDir(), ".git"), StateDir: filepath.Join(t.TempDir(), ".leave")}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := b.Allow(consent.Rules, fmt.Sprint(i), consent.Permission{Path: "p"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 20 {
		given, err := b.Find(consent.Rules, fmt.Sprint(i))
		require.NoError(t, err)
		require.Equal(t, &consent.Permission{Path: "p"}, given)
	}
	none, err := b.Find(consent.Checks, "1")
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestFind_ReturnsNilWithoutPermission(t *testing.T) {
	b := consent.PermissionBook{IDDir: t.TempDir(), StateDir: filepath.Join(t.TempDir(), ".leave")}
	require.NoError(t, b.Allow(consent.Rules, "1", consent.Permission{Path: "p"}))
	id, err := os.ReadFile(filepath.Join(b.IDDir, "handoff-leave"))
	require.NoError(t, err)
	path := filepath.Join(b.StateDir, string(id), "rules-1")
	for _, text := range []string{"", "{", `{"home":"h"}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		given, err := b.Find(consent.Rules, "1")
		require.ErrorContains(t, err, path+" is not in the form that handoff writes")
		require.Nil(t, given)
	}
	t.Chdir(b.IDDir) // which has an id, and could have leave beside it
	require.NoError(t, os.Rename(filepath.Join(b.StateDir, string(id)), string(id)))
	require.NoError(t, os.WriteFile(filepath.Join(string(id), "rules-1"), []byte(`{"path":"p"}`), 0o600))
	given, err := consent.PermissionBook{}.Find(consent.Rules, "1")
	require.NoError(t, err)
	require.Nil(t, given)
	require.Error(t, consent.PermissionBook{}.Allow(consent.Rules, "2", consent.Permission{Path: "p"}))
}

func TestFind_IgnoresOtherUsersAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have owners of another kind, and not each user makes links")
	}
	for _, spoilt := range []string{"id", "state", "leaves", "leave"} {
		b := consent.PermissionBook{IDDir: filepath.Join(t.TempDir(), ".git"), StateDir: filepath.Join(t.TempDir(), ".leave")}
		require.NoError(t, b.Allow(consent.Rules, "1", consent.Permission{}))
		id, err := os.ReadFile(filepath.Join(b.IDDir, "handoff-leave"))
		require.NoError(t, err)
		path := map[string]string{
			"id": filepath.Join(b.IDDir, "handoff-leave"), "state": b.StateDir,
			"leaves": filepath.Join(b.StateDir, string(id)), "leave": filepath.Join(b.StateDir, string(id), "rules-1"),
		}[spoilt]
		if os.Geteuid() == 0 {
			require.NoError(t, os.Chown(path, 12345, -1))
		} else {
			require.NoError(t, os.Rename(path, path+".real"))
			require.NoError(t, os.Symlink(path+".real", path))
		}
		given, err := b.Find(consent.Rules, "1")
		require.ErrorContains(t, err, path+" is a link or not your own", spoilt)
		require.Nil(t, given)
	}
}
