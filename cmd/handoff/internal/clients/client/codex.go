package client

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"handoff/cmd/handoff/internal/git"
)

func addCodex(c *Client) {
	c.Entry = codexEntry
	c.Hooks.Identifies = func(r HookReport) bool { // no other client has turns, or calls its transcripts so
		return r.Turn != "" || strings.HasPrefix(filepath.Base(r.Transcript), "rollout-")
	}
	c.Hooks.Queue = func(session, message string) []string {
		return []string{"queue", "--thread", session, "--message", message}
	}
	c.TrustObstacles = func(v MachineView) []TrustObstacle { return append(codexTrustObstacles(v), codexHookObstacles(v)...) }
}

// codexEntry returns our entry for Codex. The entry lists the variables of [PassedVariables], because Codex gives a
// server only the variables that its entry lists. Hooks get all variables of the environment.
func codexEntry(s Server) (o Object) {
	if s.URL != "" {
		o = Object{{"url", s.URL}}.withField("bearer_token_env_var", s.TokenEnv).
			withField("http_headers", Object{}.withField(agentHeader, s.Agent))
	} else {
		o = Object{{"command", s.Command[0]}, {"args", s.Command[1:]}}.withField("env_vars", s.Pass)
	}
	if s.Trust {
		o = append(o, Field{"default_tools_approval_mode", "approve"})
	}
	return o
}

// codexTrustObstacles returns an obstacle if Codex does not trust the project. Then Codex reads neither servers nor
// hooks of the project.
func codexTrustObstacles(v MachineView) []TrustObstacle {
	if !v.Project {
		return nil
	}
	switch codexTrustLevel(v) {
	case "trusted":
		return nil
	case "untrusted":
		text := fmt.Sprintf("was told not to trust %s, and reads nothing of its .codex: trust_level in %s says so",
			v.Machine.Project, v.Client.Servers.PathFor(User, v.Machine))
		return []TrustObstacle{{Text: text}}
	}
	text := fmt.Sprintf("was not told whether to trust %s, and reads nothing of its .codex until then: "+
		"it asks when it is started there", v.Machine.Project)
	return []TrustObstacle{{Ahead: true, Text: text, Command: []string{"codex"}}}
}

// codexTrustLevel returns the trust level (such as "trusted") that Codex has recorded for the project, or "". The
// record names the project's directory with all links resolved. In a git worktree, a record for the main working tree
// counts, too. A record for a parent directory does not count.
func codexTrustLevel(v MachineView) (level string) {
	project, err := filepath.EvalSymlinks(v.Machine.Project)
	if err != nil {
		return ""
	}
	folders := []string{project}
	repository, ok := git.FindRepository(project, func(string) bool { return false })
	if ok && filepath.Base(repository.Common) == ".git" {
		folders = append(folders, filepath.Dir(repository.Common))
	}
	for _, folder := range folders {
		value := v.Read(TOML, v.Client.Servers.User[0], "projects", folder, "trust_level")
		if level, _ = value.(string); level != "" {
			return level
		}
	}
	return ""
}

// codexHookObstacles returns an obstacle if a person has not reviewed our hooks. Codex keeps a hash of each reviewed
// hook. This function does not compare the hash with the hook, so it does not notice a hook that was changed after the
// review.
func codexHookObstacles(v MachineView) []TrustObstacle {
	for _, f := range v.Hooks {
		for _, h := range f.Handlers {
			key := fmt.Sprintf("%s:%s:%d:%d", f.Path, snakeCase(h.Event), h.Group, h.Number)
			if !isReviewedHook(v.Read(TOML, v.Client.Servers.User[0], "hooks", "state", key)) {
				text := "does not run hooks that nobody reviewed: type /hooks in it"
				return []TrustObstacle{{Ahead: true, OfHooks: true, Text: text, Command: []string{"codex"}}}
			}
		}
	}
	return nil
}

func isReviewedHook(state any) bool {
	object, _ := state.(map[string]any)
	hash, _ := object["trusted_hash"].(string)
	return hash != "" && object["enabled"] != false
}

// snakeCase writes an event as in the keys of Codex: "SessionStart" becomes "session_start".
func snakeCase(event string) string {
	return strings.ToLower(capitalInWord().ReplaceAllString(event, "${1}_$2"))
}

// capitalInWord matches a capital letter within a word.
var capitalInWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("([a-z])([A-Z])") })
