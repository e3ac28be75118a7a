//go:build unix

package doctor_test

import (
	"context"
	"testing"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/tools/platform/platformtest"
)

func TestExamineClient_ReportsHooksWithoutProgram(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", hooks("UserPromptSubmit", "handoff hook prompt --client claude-code"))
	requireFinding(t, w.examine("claude-code"), doctor.Error, "handoff, which the hooks in "+w.home(".claude/settings.json")+" start, is not there", "export PATH=")
	w.write(".claude/settings.json", hooks("UserPromptSubmit", "/nowhere/handoff hook prompt --client claude-code"))
	requireFinding(t, w.examine("claude-code"), doctor.Error, "/nowhere/handoff, which the hooks in ", "handoff setup claude-code --hooks --yes")
}

// says is a server of this name and version.
func says(name, version string) string {
	return "#!/bin/sh\n[ \"$1\" = version ] && exec echo '{\"version\": \"" + version + "\", \"go\": \"go1.26\"}'\n" +
		"read -r ask; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"name\":\"" + name + "\",\"version\":\"" + version + "\"}}}'\n" +
		"read -r done; read -r ask; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{}]}}'\ncat >/dev/null\n"
}

// The plugin starts the program on PATH, and so does an entry for everybody in a project: setup would write the same
// again.
func TestExamineClient_WarnsOfServerWithOtherVersion(t *testing.T) {
	const plugin = `{"enabledPlugins": {"handoff@handoff": true}}`
	entry := func(command string) string {
		return `{"mcpServers": {"handoff": {"type": "stdio", "command": "` + command + `", "args": ["mcp"]}}}`
	}
	w := newWorld(t)
	onPath := w.write(w.bench.Program.Path, says("handoff", "v0.9.0"))
	w.bench.Program.Path = w.write("here/handoff", says("handoff", "v1.0.0"))
	link := "ln -sf " + w.bench.Program.Path + " " + onPath

	w.write(".claude/settings.json", plugin)
	requireRemedy(t, w.examine("claude-code"), doctor.Warning, "Claude Code (plugin): it starts handoff v0.9.0, and this is v1.0.0", link)
	w.write(".claude/settings.json", "{}")
	w.inProject(".mcp.json", entry("handoff"))
	requireRemedy(t, w.examine("claude-code"), doctor.Warning, "Claude Code (project): it starts handoff v0.9.0", link)
	w.inProject(".mcp.json", "{}")
	w.write(".claude.json", entry("handoff"))
	requireRemedy(t, w.examine("claude-code"), doctor.Warning, "Claude Code (user): it starts handoff v0.9.0", w.bench.Program.Path+" setup claude-code --yes")
	w.paste(link)
	requireFinding(t, w.examine("claude-code"), doctor.OK, "Claude Code (user): its server answers, with 1 tool", "")
}

func TestExamineClient_ReportsServerThatIsNotHandoff(t *testing.T) {
	w := newWorld(t)
	path := w.write("relay", says("relay", "v7"))
	w.write(".codex/config.toml", "[mcp_servers.handoff]\ncommand = '"+path+"'\nargs = ['serve']\n")
	requireFinding(t, w.examine("codex"), doctor.Error, `it starts something else: the server is "relay", and not handoff`, "handoff setup codex --yes")
}

func TestExamineClient_RemedyRunsFailedServer(t *testing.T) {
	w := newWorld(t)
	w.write(w.bench.Program.Path, "#!/bin/sh\necho no store >&2\nexit 3\n")
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "handoff", "args": ["mcp"]}}}`)
	requireRemedy(t, w.examine("cursor"), doctor.Error, "its server does not answer: it ended without an answer (exit status 3): no store", "handoff mcp </dev/null")
}

func TestFindProgram_KillsProgramWithChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	child := platformtest.NewChild(t, cancel)
	w := newWorld(t)
	w.write(w.bench.Program.Path, "#!/bin/sh\n"+child.StartLine()+"wait")
	doctor.FindProgram(ctx, w.write("here/handoff", ""), "v1.0.0", w.bench.Machine)
	child.RequireEnd(t)
}
