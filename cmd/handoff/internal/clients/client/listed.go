package client

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A ListedServer is an entry in a client's list of servers, as the client reads it. Setup or any other author wrote the
// entry.
type ListedServer struct {
	Server

	Environ       []string // more variables for the program, each as NAME=value
	Authorization string   // the Authorization header for the URL, as the file has it
	Off           bool     // the client does not start it
}

// ParseEntry reads an entry of any client, although each client has its own keys (such as "url" or "serverUrl"). A
// field of the result is empty if the entry has no value for it.
func ParseEntry(fields map[string]any) (l ListedServer) {
	l.Off = len(DisablingKeys(fields)) > 0
	switch command := firstValue[any](fields, "command", "cmd").(type) {
	case string:
		args, _ := fields["args"].([]any)
		l.Command = stringsAmong(append([]any{command}, args...))
	case []any:
		l.Command = stringsAmong(command)
	}
	variables := firstValue[map[string]any](fields, "env", "environment", "envs")
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if value, ok := variables[name].(string); ok {
			l.Environ = append(l.Environ, name+"="+value)
		}
	}
	passed, _ := fields["env_vars"].([]any)
	l.Pass = stringsAmong(passed)
	l.Trust = fields["trust"] == true || fields["default_tools_approval_mode"] == "approve"
	l.URL = firstValue[string](fields, "url", "httpUrl", "serverUrl", "uri")
	headers := firstValue[map[string]any](fields, "headers", "http_headers")
	l.Agent, l.TokenEnv = firstValue[string](headers, agentHeader), firstValue[string](fields, "bearer_token_env_var")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if value, ok := headers[name].(string); ok && strings.EqualFold(name, "Authorization") {
			l.Authorization = value
		}
	}
	if m := bearer().FindStringSubmatch(l.Authorization); m != nil {
		l.TokenEnv = cmp.Or(m[1:]...)
	}
	return l
}

// DisablingKeys returns the keys of an entry that keep the client from starting the server.
func DisablingKeys(fields map[string]any) (keys []string) {
	if fields["enabled"] == false {
		keys = append(keys, "enabled")
	}
	if fields["disabled"] == true {
		keys = append(keys, "disabled")
	}
	return keys
}

// variableForm matches the name of a variable of the environment.
const variableForm = "([A-Za-z_][A-Za-z0-9_]*)"

// bearer matches an Authorization header in which a variable of the environment stands for the token. The clients write
// the variable as $NAME, ${NAME}, ${env:NAME}, ${NAME:-otherwise} or {env:NAME}.
var bearer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(
		`^(?i:Bearer) +(?:\$NAME|\$\{(?:env:)?NAME(?::-[^}]*)?\}|\{env:NAME\})$`, "NAME", variableForm))
})

// firstValue returns the value of the first key whose value has type T. It returns the zero value if no key has such a
// value.
func firstValue[T any](fields map[string]any, keys ...string) (v T) {
	for _, key := range keys {
		if v, ok := fields[key].(T); ok {
			return v
		}
	}
	return v
}

func stringsAmong(values []any) (all []string) {
	for _, value := range values {
		if s, ok := value.(string); ok {
			all = append(all, s)
		}
	}
	return all
}
