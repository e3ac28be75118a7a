package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/git"
)

// trustedByCodex looks whether Codex trusts the project: of one that it does not, it reads neither servers nor hooks.
func (in *installation) trustedByCodex() []Finding {
	if !slices.ContainsFunc(in.files(), func(f file) bool { return in.scopeOf(f.path) == client.Project }) {
		return nil
	}
	switch in.codexLevel() {
	case "trusted":
		return nil
	case "untrusted":
		return []Finding{warning(aboutClients, "%s was told not to trust %s, and reads nothing of its .codex: trust_level in %s says so",
			in.client.Title, in.Machine.Project, in.client.Servers.In(client.User, in.Machine))}
	}
	return []Finding{warning(aboutClients, "%s was not told whether to trust %s, and reads nothing of its .codex until then: it asks when it is started there",
		in.client.Title, in.Machine.Project).remedied("%scodex", in.within(client.Project))}
}

// codexLevel is how far Codex trusts the project. It goes by the path of the directory without links, and in a worktree
// of git also by that of the repository; directories above do not count.
func (in *installation) codexLevel() (level string) {
	doc, err := in.codexConfig()
	if err != nil {
		return ""
	}
	project, err := filepath.EvalSymlinks(in.Machine.Project)
	if err != nil {
		return ""
	}
	places := []string{project}
	if repository, ok := git.Find(project, func(string) bool { return false }); ok && filepath.Base(repository.Common) == ".git" {
		places = append(places, filepath.Dir(repository.Common))
	}
	for _, place := range places {
		value, _ := doc.Look("projects", place, "trust_level")
		if level, _ = value.(string); level != "" {
			return level
		}
	}
	return ""
}

// codexConfig is what Codex was told by its user.
func (in *installation) codexConfig() (edit.Document, error) {
	return installed.Open(client.TOML, in.client.Servers.In(client.User, in.Machine))
}

// reviewed looks whether the hooks of Codex were: it keeps a hash of each that was. Whether the hash is still that of
// the hook only Codex knows.
func (in *installation) reviewed() []Finding {
	doc, err := in.codexConfig()
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
	return []Finding{warning(aboutHooks, "%s does not run %s that nobody reviewed: type /hooks in it", in.client.Title, counted(waiting, "hook")).
		remedied("%scodex", in.within(client.Project))}
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
