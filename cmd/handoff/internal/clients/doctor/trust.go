package doctor

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// trust examines whether a client runs what it was told to run: some ask a person first.
func (in *installation) trust() []Finding {
	switch in.client.Name {
	case "claude-code":
		return append(in.approved(), in.hooksOff()...)
	case "codex":
		return append(in.trustedByCodex(), in.reviewed()...)
	case "gemini-cli":
		return in.trustedByGemini()
	}
	return nil
}

// approved looks whether somebody told Claude Code not to start the server of the project, of which it asks once.
func (in *installation) approved() []Finding {
	doc, err := installed.Open(client.JSON, client.Path(".claude/settings.local.json").At(in.Machine))
	if err != nil {
		return nil
	}
	value, _ := doc.Look("disabledMcpjsonServers")
	disabled, _ := value.([]any)
	if !slices.Contains(disabled, any(client.ServerName)) {
		return nil
	}
	return []Finding{warning(aboutClients, "%s was told not to start the server of the project", in.client.Title).
		remedied("%sclaude mcp reset-project-choices", in.within(client.Project))}
}

// hooksOff looks whether Claude Code runs no hooks at all: any of its settings files may say so.
func (in *installation) hooksOff() (all []Finding) {
	if len(in.hooks) == 0 && in.plugin == "" {
		return nil
	}
	files := slices.Concat(in.client.Hooks.User, in.client.Hooks.Project, []client.Path{".claude/settings.local.json"})
	for _, path := range files {
		doc, err := installed.Open(client.JSON, path.At(in.Machine))
		if err != nil {
			continue
		}
		if off, _ := doc.Look("disableAllHooks"); off == true {
			all = append(all, warning(aboutHooks, "%s runs none, as disableAllHooks says in %s: take that out", in.client.Title, path.At(in.Machine)))
		}
	}
	return all
}

// trustedByGemini looks whether Gemini CLI trusts the folder of the project. It reads neither servers nor hooks of one that it
// does not, and asks about one that it does not know.
func (in *installation) trustedByGemini() []Finding {
	m := in.Machine
	settings, err := installed.Open(client.JSON, in.client.Servers.In(client.User, m))
	if err == nil {
		if on, there := settings.Look("security", "folderTrust", "enabled"); there && on == false {
			return nil
		}
	}
	path := cmp.Or(client.Path(m.Getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH")), "${GEMINI_CLI_HOME:-~}/.gemini/trustedFolders.json")
	rules, err := installed.Open(client.JSON, path.At(m))
	level := ""
	if err == nil {
		all, _ := rules.Look()
		folders, _ := all.(map[string]any)
		level = levelOf(m.Project, folders)
	}
	switch level {
	case "":
		return []Finding{warning(aboutClients, "%s was not told whether to trust %s: it asks when it is started there", in.client.Title, m.Project).
			remedied("%sgemini", in.within(client.Project))}
	case doNotTrust:
		return []Finding{failure(aboutClients, "%s was told not to trust %s: type /permissions in it", in.client.Title, m.Project).
			remedied("%sgemini", in.within(client.Project))}
	}
	return nil
}

const (
	trustParent = "TRUST_PARENT"
	doNotTrust  = "DO_NOT_TRUST"
)

// levelOf is that of the longest rule that covers a folder. Of several that are as long the one that refuses counts: which
// of them the client takes depends on their order in the file, which is not known here.
func levelOf(folder string, rules map[string]any) (level string) {
	longest := -1
	for _, path := range slices.Sorted(maps.Keys(rules)) {
		covers, value := path, rules[path]
		if value == trustParent {
			covers = filepath.Dir(path)
		}
		if !client.Within(covers, folder) || len(path) < longest || len(path) == longest && value != doNotTrust {
			continue
		}
		longest = len(path)
		level, _ = value.(string)
	}
	return level
}
