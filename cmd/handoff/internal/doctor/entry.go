package doctor

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"handoff/cmd/handoff/internal/client"
)

// An entry is our server as a file of a client lists it.
type entry struct {
	scope    string // user, project, local or plugin
	path     string // of the file
	shared   bool   // it came with the project, and is not the user's
	command  []string
	environ  []string // what it adds to the environment, as NAME=value
	url      string
	tokenEnv string // the variable with the token for the URL
	agent    string // under which name it acts over the URL
	off      bool
}

// newEntry reads the forms that clients have for it.
func newEntry(scope, path string, fields map[string]any) entry {
	e := entry{scope: scope, path: path, off: fields["enabled"] == false || fields["disabled"] == true}
	switch command := fields["command"].(type) {
	case string:
		args, _ := fields["args"].([]any)
		e.command = texts(append([]any{command}, args...))
	case []any:
		e.command = texts(command)
	}
	for _, key := range []string{"env", "environment"} {
		variables, _ := fields[key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(variables)) {
			if value, ok := variables[name].(string); ok {
				e.environ = append(e.environ, name+"="+value)
			}
		}
	}
	for _, key := range []string{"url", "httpUrl", "serverUrl"} {
		if url, ok := fields[key].(string); ok {
			e.url = url
		}
	}
	e.tokenEnv, _ = fields["bearer_token_env_var"].(string)
	for _, key := range []string{"headers", "http_headers"} {
		headers, _ := fields[key].(map[string]any)
		e.readHeaders(headers)
	}
	return e
}

var bearer = regexp.MustCompile(`^Bearer +\$?\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)[^}]*\}$`)

func (e *entry) readHeaders(headers map[string]any) {
	if value, _ := headers["Authorization"].(string); value != "" {
		if m := bearer.FindStringSubmatch(value); m != nil {
			e.tokenEnv = m[1]
		}
	}
	if value, ok := headers["Handoff-Agent"].(string); ok {
		e.agent = value
	}
}

func texts(values []any) (all []string) {
	for _, value := range values {
		if text, ok := value.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// program is the file that an entry starts, or nothing where there is none.
func (e entry) program(m client.Machine) string {
	if len(e.command) == 0 {
		return ""
	}
	if !filepath.IsAbs(e.command[0]) {
		return m.LookPath(e.command[0])
	}
	path, err := exec.LookPath(e.command[0])
	if err != nil {
		return ""
	}
	return path
}
