package setup

import (
	"regexp"
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/edit"
)

// A Configured server is our entry as a client reads it.
type Configured struct {
	client.Server

	Environ []string // that the program is given besides, each as NAME=value

	fields map[string]any
}

// Find gives our entry in a client's list; ok is false if there is none, or the file cannot be read.
func (w Wish) Find(c client.Client) (found Configured, ok bool) {
	f, err := Read(c.Servers.In(w.Scope, w.Machine))
	if err != nil && f.Text == nil {
		return found, false
	}
	doc, err := edit.Open(c.Servers.Syntax, f.Text)
	if err != nil {
		return found, false
	}
	entry, _ := doc.Look(under(c, doc).to(client.ServerName)...)
	fields, ok := entry.(map[string]any)
	if !ok {
		return found, false
	}
	found.fields = fields
	found.Command, found.Environ = command(fields), environ(fields)
	found.URL = text(fields, "url", "httpUrl")
	found.Agent = text(object(fields, "headers", "http_headers"), "Handoff-Agent")
	found.TokenEnv = text(fields, "bearer_token_env_var")
	if m := variable.FindStringSubmatch(text(object(fields, "headers"), "Authorization")); m != nil {
		found.TokenEnv = m[1]
	}
	return found, len(found.Command) > 0 || found.URL != ""
}

// Written tells whether a server that was found is, to the letter, what setup writes for one of these wishes, or for
// everybody in a project. What a project says besides may be anybody's, and is neither run nor sent a token.
func (w Wish) Written(c client.Client, found Configured, wished ...client.Server) bool {
	entry := map[string]any{}
	for key, value := range found.fields {
		if !isEmpty(value) { // as the client's own command leaves some
			entry[key] = value
		}
	}
	bare := client.Server{Command: []string{client.ServerName, "mcp"}}
	return slices.ContainsFunc(append(wished, w.Server, bare), func(s client.Server) bool {
		return (s.URL != "" || len(s.Command) > 0) && edit.Same(entry, c.Entry(s))
	})
}

// variable matches how clients name a variable of the environment in a value.
var variable = regexp.MustCompile(`\$?\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}`)

func command(fields map[string]any) (words []string) {
	all, _ := fields["command"].([]any)
	if program, ok := fields["command"].(string); ok {
		args, _ := fields["args"].([]any)
		all = append([]any{program}, args...)
	}
	for _, word := range all {
		if s, ok := word.(string); ok {
			words = append(words, s)
		}
	}
	return words
}

func environ(fields map[string]any) (pairs []string) {
	for name, value := range object(fields, "env", "environment") {
		if s, ok := value.(string); ok {
			pairs = append(pairs, name+"="+s)
		}
	}
	slices.Sort(pairs)
	return pairs
}

// text gives the first of several fields that is a text.
func text(fields map[string]any, keys ...string) string {
	for _, key := range keys {
		if s, ok := fields[key].(string); ok {
			return s
		}
	}
	return ""
}

func object(fields map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		if o, ok := fields[key].(map[string]any); ok {
			return o
		}
	}
	return nil
}
