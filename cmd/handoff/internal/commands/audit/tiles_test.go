package audit_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

// verifier is a foreign program that verifies logs in tiles, as its authors release it.
const verifier = "github.com/transparency-dev/tessera/cmd/fsck@v1.0.4"

// installVerifier returns the path of the verifier. It skips the test if the module proxy does not have it.
func installVerifier(t *testing.T) string {
	t.Helper()
	sandbox.SkipUnlessProofs(t)
	if runtime.GOOS == "windows" {
		t.Skip("the verifier reads no file:// of a drive")
	}
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "install", verifier)
	cmd.Dir, cmd.Env = bin, append(os.Environ(), "GOBIN="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("NOT SHOWN that others accept the tiles: go install %s: %v\n%s", verifier, err, out)
	}
	return filepath.Join(bin, "fsck")
}

// verifierAccepts runs the verifier, and returns whether it accepts the tiles. It ends with status 0 either way.
// Without enough workers it never ends after it found a fault.
func verifierAccepts(t *testing.T, fsck string, s auditDesk) (bool, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), fsck, "-storage_url", "file://"+filepath.Join(s.dir, "tiles"),
		"-public_key", filepath.Join(s.dir, "key"), "-ui=false", "-N", "16")
	out, err := cmd.CombinedOutput()
	ok := err == nil && bytes.Contains(out, []byte("Successfully fsck'd log"))
	return ok, string(out)
}

func tileExport(t *testing.T, events int) auditDesk {
	t.Helper()
	s := newAuditDesk(t)
	s.addEvents(events-4, newMessageEvent(s))
	s.saveOutput("key", "key")
	s.audit("export", "--tiles", filepath.Join(s.dir, "tiles"))
	return s
}

// 50 single bits in CI, 1,000 with make flips.
func TestExport_ForeignVerifierFindsEachFlippedBit(t *testing.T) {
	flips, seed := 50, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_FLIPS")); err == nil {
		flips = n
	}
	fsck := installVerifier(t)
	s := tileExport(t, 600)
	ok, said := verifierAccepts(t, fsck, s)
	require.True(t, ok, said)
	require.Contains(t, said, "log with size 600")
	files := exportedFiles(t, s)
	require.Len(t, files, 8, "three bundles, three tiles of hashes and one above them, and the checkpoint")
	random, found := rand.New(rand.NewPCG(seed, 0)), map[string]int{}
	for n := range flips {
		path := files[n%len(files)]
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		at := random.IntN(len(b))
		if last := len(b) - len("=\n") - 1; filepath.Base(path) == "checkpoint" && at == last {
			at-- // the last digit of a signature has two bits that mean nothing in base64
		}
		changed := bytes.Clone(b)
		changed[at] ^= 1 << random.IntN(8)
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		ok, said := verifierAccepts(t, fsck, s)
		require.False(t, ok, "%s, byte %d: %s", path, at, said)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		found[kindOfFile(s, path)]++
	}
	ok, said = verifierAccepts(t, fsck, s)
	require.True(t, ok, said)
	t.Logf("all of %d flipped bits were found: %v", flips, found)
}

// exportedFiles returns the files of an export.
func exportedFiles(t *testing.T, s auditDesk) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(filepath.Join(s.dir, "tiles"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

func kindOfFile(s auditDesk, path string) string {
	below, _ := filepath.Rel(filepath.Join(s.dir, "tiles"), path)
	switch {
	case strings.Contains(below, "entries"):
		return "entries"
	case strings.HasPrefix(below, "tile"):
		return "tiles"
	}
	return "checkpoint"
}

func TestExport_WritesNewDirectory(t *testing.T) {
	s := tileExport(t, 256)
	dir := filepath.Join(s.dir, "tiles")
	require.Len(t, exportedFiles(t, s), 4, "a bundle and a tile that are full, the one above them, and the checkpoint")
	require.Contains(t, s.mustRefuse(5, "export", "--tiles", dir), "--checkpoint "+filepath.Join(dir, "checkpoint"))
	s.addEvents(3, newMessageEvent(s))
	later := filepath.Join(s.dir, "later")
	s.audit("export", "--tiles", later)
	require.FileExists(t, filepath.Join(later, "tile", "entries", "001.p", "3"))
	require.FileExists(t, filepath.Join(later, "tile", "0", "001.p", "3"))
	require.Equal(t, s.audit("checkpoint"), readFile(t, filepath.Join(later, "checkpoint")))
	require.Equal(t, readFile(t, filepath.Join(dir, "tile", "0", "000")), readFile(t, filepath.Join(later, "tile", "0", "000")), "what was published stays")
	require.Contains(t, s.audit("verify", "--checkpoint", filepath.Join(dir, "checkpoint")), "held against 1 head")
}

// Names and ids are bounded, so no event is that large. The export refuses a larger one, and does not cut it.
func TestExport_RefusesTooLargeEvent(t *testing.T) {
	s := newAuditDesk(t)
	s.addEvents(1, schemas.Event{Agent: "dev", At: s.Now, Action: "message", AgentID: strings.Repeat("x", 1<<16)})
	dir := filepath.Join(s.dir, "tiles")
	require.Contains(t, s.mustRefuse(schemas.Codes[schemas.Limit].Exit, "export", "--tiles", dir), "event 5 has 65")
	require.NoFileExists(t, filepath.Join(dir, "checkpoint"))
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// Only the owner can read the key, and many commands at the same time make one.
func TestKey_IsMadeOnce(t *testing.T) {
	s := newAuditDesk(t)
	require.NoFileExists(t, filepath.Join(filepath.Dir(s.File()), "handoff.key"))
	keys := make(chan string, 4)
	for range cap(keys) {
		go func() {
			_, out, errs := s.Run("", "audit", "key")
			keys <- out + errs
		}()
	}
	first := <-keys
	require.Contains(t, first, "handoff.local/w+")
	for range cap(keys) - 1 {
		require.Equal(t, first, <-keys)
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(s.File()), "handoff.key"))
	require.NoError(t, err)
	if runtime.GOOS != "windows" { // on Windows the directory keeps others out
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	}
	entries, err := filepath.Glob(filepath.Join(filepath.Dir(s.File()), "handoff.key*"))
	require.NoError(t, err)
	require.Len(t, entries, 1)

	given := filepath.Join(t.TempDir(), "key")
	vars := s.Vars("")
	vars["HANDOFF_KEY"] = given
	code, out, errs := commandtest.Execute(t.Context(), s.Env(), vars, "audit", "key")
	require.Zero(t, code, errs)
	require.NotEqual(t, first, out)
	vars["HANDOFF_WORKSPACE"] = "other"
	code, _, errs = commandtest.Execute(t.Context(), s.Env(), vars, "audit", "key")
	require.Equal(t, 5, code)
	require.Contains(t, errs, "the key in HANDOFF_KEY is that of handoff.local/w, and this is handoff.local/other")
}
