//go:build unix

package doctor_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// answers is a program that prints its version as handoff does.
func answers(version string) string {
	return "#!/bin/sh\necho '{\"version\": \"" + version + "\", \"go\": \"go1.26\"}'\n"
}

// version examines this program at another path than the program on PATH.
func (w *world) version(path string) []doctor.Finding {
	w.t.Helper()
	w.bench.Program.Path = w.write(path, answers("v1.0.0"))
	w.find()
	return []doctor.Finding{doctor.ExamineVersion(w.bench.Program)}
}

// paste runs a remedy in a shell of the world. The world keeps the PATH that it exports.
func (w *world) paste(remedy string) {
	w.t.Helper()
	cmd := exec.Command("/bin/sh", "-c", remedy+` && printf %s "$PATH" >"$HOME/.path"`)
	cmd.Env = []string{"HOME=" + w.vars["HOME"], "PATH=" + w.vars["PATH"]}
	require.NoError(w.t, os.MkdirAll(w.vars["HOME"], 0o700))
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "%s: %s", remedy, out)
	path, err := os.ReadFile(w.home(".path"))
	require.NoError(w.t, err)
	w.vars["PATH"] = string(path)
}

func TestExamineVersion_WarnsOfOtherProgramOnPATH(t *testing.T) {
	w := newWorld(t)
	onPath := w.bench.Program.Path
	requireFinding(t, w.version("here/handoff"), doctor.Warning, "PATH leads to none", "export PATH=")
	w.write(onPath, answers("v0.9.0"))
	requireRemedy(t, w.version("here/handoff"), doctor.Warning, "and PATH leads to another, v0.9.0: ", "ln -sf "+w.home("here/handoff")+" "+onPath)
	require.Equal(t, w.home("here/handoff"), w.bench.Program.ShellCommand())
	w.write(onPath, answers("v1.0.0"))
	requireFinding(t, w.version("here/handoff"), doctor.OK, "another file of that version", "")
	require.Equal(t, "handoff", w.bench.Program.ShellCommand())
	require.NoError(t, os.Remove(onPath))
	require.NoError(t, os.Symlink(w.home("here/handoff"), onPath))
	requireFinding(t, w.version("here/handoff"), doctor.OK, "this is handoff v1.0.0, and PATH leads to it", "")
}

// The person pastes the remedy, and then PATH leads to this program.
func TestExamineVersion_RemedyPutsProgramOnPATH(t *testing.T) {
	for name, tt := range map[string]struct {
		at     string
		there  string // the program on PATH before
		remedy string
	}{
		"where nobody looks":          {"opt/handoff", "", "export PATH="},
		"under another name":          {"opt/handoff-v1", "", `/opt/handoff-v1 ~/.local/bin/handoff && export PATH="$HOME/.local/bin:$PATH"`},
		"of which PATH has another":   {"opt/handoff", answers("v0.9.0"), "ln -sf "},
		"before an unrelated one":     {"opt/handoff", "#!/bin/sh\necho '{\"version\": \"7\"}'\n", "export PATH="},
		"before one that never stops": {"opt/handoff", "#!/bin/sh\nyes | head -c 5000000\n", "export PATH="},
		"in a directory with a blank": {"my opt/handoff", "", "export PATH='"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			onPath := w.bench.Program.Path
			if tt.there != "" {
				w.write(onPath, tt.there)
			}
			all := w.version(tt.at)
			require.Contains(t, all[0].Remedy, tt.remedy)
			w.paste(all[0].Remedy)
			requireFinding(t, w.version(tt.at), doctor.OK, "PATH leads to it", "")
			if tt.there != "" && tt.remedy != "ln -sf " {
				now, err := os.ReadFile(onPath)
				require.NoError(t, err)
				require.Equal(t, tt.there, string(now))
			}
		})
	}
}
