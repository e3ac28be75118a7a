package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
)

// trust examines whether a client runs what it was told to run: some ask a person first.
func (in *installation) trust(m client.Machine) []Finding {
	switch in.client.Name {
	case "claude-code":
		return in.approved(m)
	case "codex":
		return in.reviewed(m)
	case "gemini-cli":
		return in.trusted(m)
	}
	return nil
}

// approved looks whether somebody told Claude Code not to start the server of the project, of which it asks once.
func (in *installation) approved(m client.Machine) []Finding {
	doc, err := installed.Open(client.JSON, client.Path(".claude/settings.local.json").At(m))
	if err != nil {
		return nil
	}
	value, _ := doc.Look("disabledMcpjsonServers")
	disabled, _ := value.([]any)
	if !slices.Contains(disabled, any(client.ServerName)) {
		return nil
	}
	return []Finding{warning(aboutClients, "%s was told not to start the server of the project", in.client.Title).
		remedied("claude mcp reset-project-choices")}
}

// reviewed looks whether the hooks of Codex were: it keeps a hash of each that was. Whether the hash is still that of
// the hook only Codex knows.
func (in *installation) reviewed(m client.Machine) []Finding {
	doc, err := installed.Open(client.TOML, in.client.Servers.In(client.User, m))
	waiting := 0
	for _, file := range in.hooks {
		for _, h := range file.Handlers {
			place := fmt.Sprintf("%s:%s:%d:%d", file.Path, snake(h.Event), h.Group, h.Number)
			if err != nil || !hasHash(doc.Look("hooks", "state", place)) {
				waiting++
			}
		}
	}
	if waiting == 0 {
		return nil
	}
	return []Finding{warning(aboutHooks, "%s does not run %s that nobody reviewed: type /hooks in it", in.client.Title, counted(waiting, "hook")).remedied("codex")}
}

func hasHash(state any, there bool) bool {
	object, _ := state.(map[string]any)
	hash, _ := object["trusted_hash"].(string)
	return there && hash != "" && object["enabled"] != false
}

// snake writes an event as Codex does there: session_start for SessionStart.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if 'A' <= r && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// trusted looks whether Gemini CLI trusts the folder of the project. It reads neither servers nor hooks of one that it
// does not, and asks about one that it does not know.
func (in *installation) trusted(m client.Machine) []Finding {
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
			remedied("cd %s && gemini", client.Quoted(m.Project))}
	case doNotTrust:
		return []Finding{failure(aboutClients, "%s was told not to trust %s: type /permissions in it", in.client.Title, m.Project).
			remedied("cd %s && gemini", client.Quoted(m.Project))}
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
