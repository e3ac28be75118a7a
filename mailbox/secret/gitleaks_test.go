package secret_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/secret"
)

// Each rule of gitleaks has samples: texts that the rule must find or must not find. `make secrets` replaces a package
// in a copy of gitleaks, so that the rules print their samples. It needs the module proxy and takes a minute.
func TestMask_CoversGitleaksSamples(t *testing.T) {
	if os.Getenv("HANDOFF_GITLEAKS") == "" {
		t.Skip("make secrets reads them")
	}
	masked, missed, alarms, others := 0, 0, 0, 0
	rules := map[string][2]int{}
	for _, s := range samples(t) {
		text, kinds := secret.Mask(s.Text)
		switch {
		case s.Rule == "" && kinds == nil:
			others++
		case s.Rule == "":
			alarms++
		case s.Secret == "": // a file that is told by its name
		case kinds != nil && !strings.Contains(text, s.Secret):
			masked++
			rules[s.Rule] = [2]int{rules[s.Rule][0] + 1, rules[s.Rule][1]}
		default:
			missed++
			rules[s.Rule] = [2]int{rules[s.Rule][0], rules[s.Rule][1] + 1}
		}
	}
	for rule, n := range rules {
		if n[1] > n[0] {
			t.Logf("%s: %d of %d", rule, n[0], n[0]+n[1])
		}
	}
	t.Logf("%d of %d masked; alarms at %d of %d that are secrets to no rule", masked, masked+missed, alarms, alarms+others)
	require.Greater(t, masked, 5000)
	require.GreaterOrEqual(t, float64(masked)/float64(masked+missed), 0.95)
	require.LessOrEqual(t, float64(alarms)/float64(alarms+others), 0.25)
}

type sample struct{ Rule, Text, Secret string }

func samples(t *testing.T) (all []sample) {
	t.Helper()
	var module struct{ Dir string }
	out := runCommand(t, t.TempDir(), "mod", "download", "-json", "github.com/zricethezav/gitleaks/v8@v8.30.1")
	require.NoError(t, json.Unmarshal(out, &module))
	dir := filepath.Join(t.TempDir(), "gitleaks")
	require.NoError(t, os.CopyFS(dir, os.DirFS(module.Dir)))
	ours, err := os.ReadFile("testdata/validate.go.txt")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cmd/generate/config/utils/validate.go"), ours, 0o600))
	at := filepath.Join(dir, "cmd/generate/config")
	for d := json.NewDecoder(bytes.NewReader(runCommand(t, at, "run", ".", os.DevNull))); d.More(); {
		var s sample
		require.NoError(t, d.Decode(&s))
		all = append(all, s)
	}
	return all
}

func runCommand(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = dir, t.Output()
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	require.NoError(t, err)
	return out
}
