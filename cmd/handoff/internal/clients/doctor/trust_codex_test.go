package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

const codexServer = "[mcp_servers.handoff]\ncommand = '/nowhere/handoff'\nargs = ['mcp']\n"

// trust sets Codex's level of trust for a directory.
func (w *world) trust(dir, level string) {
	w.t.Helper()
	w.write(".codex/config.toml", "[projects.'"+dir+"']\ntrust_level = '"+level+"'\n")
}

func TestExamineClient_WarnsOfProjectUntrustedByCodex(t *testing.T) {
	const unknown, distrusted = "Codex was not told whether to trust", "Codex was told not to trust"
	w := newWorld(t)
	project := w.bench.Machine.Project
	w.inProject(".codex/config.toml", codexServer)
	requireRemedy(t, w.examine("codex"), doctor.Skipped, unknown, "cd "+project+" && codex")
	w.trust(project, "untrusted")
	requireFinding(t, w.examine("codex"), doctor.Warning, distrusted, "")
	w.trust(filepath.Dir(project), "trusted") // does not count
	requireFinding(t, w.examine("codex"), doctor.Skipped, unknown, "&& codex")
	w.trust(project, "trusted")
	requireNone(t, w.examine("codex"), "to trust")

	w.inProject(".codex/config.toml", "")
	w.trust(project, "untrusted")
	w.inProject(".codex/hooks.json", hooks("Stop", "handoff hook stop --client codex"))
	requireFinding(t, w.examine("codex"), doctor.Warning, distrusted, "")
	w.inProject(".codex/hooks.json", "{}")
	w.write(".codex/config.toml", codexServer)
	requireNone(t, w.examine("codex"), "to trust")
}

// Codex uses the path without links, and in a worktree the path of its repository.
func TestExamineClient_CodexTrustUsesResolvedPath(t *testing.T) {
	w := newWorld(t)
	project := w.bench.Machine.Project
	w.inProject(".codex/config.toml", codexServer)
	w.trust(project, "trusted")
	w.link(project, "link")
	w.bench.Machine.Project = w.home("link")
	requireNone(t, w.examine("codex"), "to trust")

	w.bench.Machine.Project = project
	for _, dir := range []string{"objects", "refs", "worktrees/w"} {
		require.NoError(t, os.MkdirAll(w.home("repository/.git/"+dir), 0o700))
	}
	w.write("repository/.git/HEAD", "ref: refs/heads/main\n")
	w.write("repository/.git/worktrees/w/HEAD", "ref: refs/heads/w\n")
	w.write("repository/.git/worktrees/w/commondir", "../..\n")
	w.write("repository/.git/worktrees/w/gitdir", filepath.Join(project, ".git")+"\n")
	w.inProject(".git", "gitdir: "+w.home("repository/.git/worktrees/w")+"\n")
	w.trust(w.home("repository"), "trusted")
	requireNone(t, w.examine("codex"), "to trust")
	w.trust(w.home("repository"), "untrusted")
	requireFinding(t, w.examine("codex"), doctor.Warning, "was told not to trust", "")
}
