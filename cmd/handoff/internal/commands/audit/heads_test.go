package audit_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forgeries are changes of an attacker that recomputes the tree of a store, with the report for each change.
var forgeries = []struct {
	name   string
	change func([][]byte) [][]byte
	found  string
}{
	{"rewritten", func(events [][]byte) [][]byte {
		events[1] = bytes.Replace(events[1], []byte(`"dev"`), []byte(`"qa"`), 1)
		return events
	}, "the registry up to event 4 differs from the head "},
	{"reordered", func(events [][]byte) [][]byte {
		events[0], events[2] = events[2], events[0]
		return events
	}, "the registry up to event 4 differs from the head "},
	{"left out", func(events [][]byte) [][]byte {
		return slices.Delete(events, 1, 2)
	}, "has 4 events, and the registry ends with event 3"},
	{"truncated", func(events [][]byte) [][]byte {
		return events[:2]
	}, "has 4 events, and the registry ends with event 2"},
}

func TestVerify_OldHeadExposesForgery(t *testing.T) {
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			s := newAuditDesk(t)
			initRepository(t, s.dir)
			head := s.saveOutput("head", "checkpoint")
			s.audit("anchor")
			require.Contains(t, s.audit("verify", "--checkpoint", head), "held against 1 head")
			s.forgeEvents(f.change)
			require.Contains(t, s.mustRefuse(1, "verify", "--checkpoint", head), f.found)
			said := s.mustRefuse(1, "verify", "--anchor")
			require.Contains(t, said, f.found)
			require.NotContains(t, said, "the bytes do not match the tree", "the tree is that of the forged events")
			require.Contains(t, s.mustRefuse(5, "anchor"), f.found, "nothing is added to what it contradicts")
			if f.name == "rewritten" || f.name == "reordered" {
				s.audit("export", "--tiles", filepath.Join(s.dir, "new"))
			}
		})
	}
}

// An attacker that has the store and its key makes another consistent registry, and anchors it by force.
func TestVerify_FetchedAnchorExposesNewRegistry(t *testing.T) {
	s := newAuditDesk(t)
	remote, clone := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	initRepository(t, s.dir)
	git(t, remote, "init", "-q", "--bare")
	s.Must("dev", "send", "qa", "Test it", "--workspace", "a..b")
	require.Contains(t, s.mustRefuse(2, "anchor", "--workspace", "a..b"), "git allows no ref with the name refs/handoff/heads/a..b")
	s.audit("anchor", "--push", remote)
	git(t, ".", "clone", "-q", remote, clone)
	fetch := []string{"fetch", "origin", "refs/handoff/heads/*:refs/handoff/heads/*"}
	git(t, clone, fetch...)
	there := auditDesk{s.Desk, clone}
	require.Contains(t, there.audit("verify", "--anchor"), "held against 1 head")

	key := s.audit("key")
	require.NoError(t, os.RemoveAll(filepath.Dir(s.File())))
	for _, task := range []string{"Test the login", "Do something else", "Test the rest"} {
		s.Must("dev", "send", "qa", task)
	}
	s.Must("qa", "claim")
	s.Must("qa", "complete", "1", "--summary", "ok")
	require.Contains(t, s.audit("verify"), "5 events of 3 handoffs")
	require.NotEqual(t, key, s.audit("key"))
	require.Contains(t, s.mustRefuse(5, "anchor"), "the registry up to event 4 differs from the head commit ")
	git(t, s.dir, "update-ref", "-d", "refs/handoff/heads/w")
	s.audit("anchor")
	git(t, s.dir, "push", "-q", "--force", remote, "refs/handoff/heads/w")
	require.Contains(t, s.audit("verify", "--anchor"), "OK", "who never fetched finds nothing")

	said, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", clone}, fetch...)...).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "non-fast-forward")
	git(t, s.dir, "update-ref", "refs/handoff/heads/w", "HEAD")
	require.Contains(t, s.mustRefuse(5, "verify", "--anchor"), "it is no signed checkpoint")
	git(t, s.dir, "update-ref", "-d", "refs/handoff/heads/w")
	require.Contains(t, s.mustRefuse(3, "verify", "--anchor"), "there is no anchor refs/handoff/heads/w")
	require.Contains(t, there.mustRefuse(1, "verify", "--anchor"),
		"problem: the registry up to event 4 differs from the head commit ")
}

// An anchor changes neither the work tree nor the index.
func TestAnchor_TouchesNeitherWorkTreeNorIndex(t *testing.T) {
	s := newAuditDesk(t)
	initRepository(t, s.dir)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "staged"), []byte("x"), 0o600))
	git(t, s.dir, "add", "staged")
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "untracked"), []byte("x"), 0o600))
	before := git(t, s.dir, "status", "--porcelain") + git(t, s.dir, "rev-parse", "HEAD")
	s.audit("anchor")
	s.audit("anchor") // the same head once more
	s.Must("dev", "send", "qa", "Test it again")
	s.audit("anchor")
	require.Equal(t, before, git(t, s.dir, "status", "--porcelain")+git(t, s.dir, "rev-parse", "HEAD"))
	require.Equal(t, "2", git(t, s.dir, "rev-list", "--count", "refs/handoff/heads/w"))
	require.Equal(t, strings.TrimSpace(s.audit("checkpoint")), git(t, s.dir, "cat-file", "blob", "refs/handoff/heads/w:checkpoint"))
}

// initRepository makes a git repository with one commit in a directory.
func initRepository(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "Begin")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=dev", "-c", "user.email=dev@localhost"}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}
