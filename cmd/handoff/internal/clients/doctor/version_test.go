//go:build unix

package doctor_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// answers is a program that says its version as handoff does.
func answers(version string) string {
	return "#!/bin/sh\necho '{\"version\": \"" + version + "\", \"go\": \"go1.26\"}'\n"
}

// version is what is said of this program, at another path than that to which PATH leads.
func (w *world) version(path string) []doctor.Finding {
	w.t.Helper()
	w.bench.Program.Path = w.write(path, answers("v1.0.0"))
	w.find()
	return []doctor.Finding{doctor.Version(w.bench.Program, w.bench.Machine)}
}

// paste runs a remedy in a shell of the world, which is left with what it exported.
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

func TestOtherProgramOnPATHIsAWarning(t *testing.T) {
	w := newWorld(t)
	onPath := w.bench.Program.Path
	requireFinding(t, w.version("here/handoff"), doctor.Warning, "PATH leads to none", "export PATH=")
	w.write(onPath, answers("v0.9.0"))
	requireRemedy(t, w.version("here/handoff"), doctor.Warning, "and PATH leads to another, v0.9.0: ", "ln -sf "+w.home("here/handoff")+" "+onPath)
	require.Equal(t, w.home("here/handoff"), w.bench.Program.Call())
	w.write(onPath, answers("v1.0.0"))
	requireFinding(t, w.version("here/handoff"), doctor.OK, "another file of that version", "")
	require.Equal(t, "handoff", w.bench.Program.Call())
	require.NoError(t, os.Remove(onPath))
	require.NoError(t, os.Symlink(w.home("here/handoff"), onPath))
	requireFinding(t, w.version("here/handoff"), doctor.OK, "this is handoff v1.0.0, and PATH leads to it", "")
}

// The remedy is pasted, and then PATH leads to this program.
func TestTheRemedyPutsTheProgramOnPATH(t *testing.T) {
	const local = ".local/bin/handoff"
	for name, tt := range map[string]struct {
		at     string
		local  bool // ~/.local/bin is on PATH
		make   func(w *world)
		remedy string
	}{
		"where no directory is":        {at: "opt/handoff", local: true, remedy: "mkdir -p ~/.local/bin && ln -sf "},
		"where nobody looks":           {at: "opt/handoff", remedy: "export PATH="},
		"under another name":           {at: "opt/handoff-v1", remedy: `/opt/handoff-v1 ~/.local/bin/handoff && export PATH="$HOME/.local/bin:$PATH"`},
		"where a link leads nowhere":   {at: "opt/handoff", local: true, make: func(w *world) { w.link("/nowhere", local) }, remedy: "ln -sf "},
		"where something else is":      {at: "opt/handoff", local: true, make: func(w *world) { w.write(local+"/x", "") }, remedy: "export PATH="},
		"of which PATH has another":    {at: "opt/handoff", make: func(w *world) { w.write(w.bench.Program.Path, answers("v0.9.0")) }, remedy: "ln -sf "},
		"before an unrelated one":      {at: "opt/handoff", make: func(w *world) { w.write(w.bench.Program.Path, "#!/bin/sh\necho '{\"version\": \"7\"}'\n") }, remedy: "export PATH="},
		"before one that never stops":  {at: "opt/handoff", make: func(w *world) { w.write(w.bench.Program.Path, "#!/bin/sh\nyes | head -c 5000000\n") }, remedy: "export PATH="},
		"in a directory with a blank":  {at: "my opt/handoff", remedy: "export PATH='"},
		"of which a shell is no owner": {at: "opt/handoff", local: true, make: func(w *world) { w.write(local, "mine") }, remedy: "export PATH="},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			unrelated := map[string]string{}
			if tt.make != nil {
				tt.make(w)
			}
			if tt.local {
				w.vars["PATH"] += ":" + w.home(".local/bin/")
			}
			for _, path := range []string{w.bench.Program.Path, w.home(local)} {
				if text, err := os.ReadFile(path); err == nil && !strings.Contains(string(text), "go1.26") {
					unrelated[path] = string(text)
				}
			}
			all := w.version(tt.at)
			require.NotEmpty(t, all[0].Remedy, all)
			require.Contains(t, all[0].Remedy, tt.remedy)
			w.paste(all[0].Remedy)
			requireFinding(t, w.version(tt.at), doctor.OK, "PATH leads to it", "")
			for path, text := range unrelated {
				now, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, text, string(now))
			}
		})
	}
}
