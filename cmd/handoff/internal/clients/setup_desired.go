package clients

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// wanted is what somebody wants for a client, in the words of the flags.
type wanted struct {
	agent, workspace, url, tokenEnv string
	hooks, wake, trust              bool
}

// desiredFor gives what a client is to become. Without a flag it stays what the client was set up with last, so that
// setup without flags changes nothing.
func (s *setupRun) desiredFor(c client.Client, scope client.Scope) (setup.Desired, error) {
	return s.desiredOf(scope, s.flags.over(s.wantedBefore(c, s.in(scope))))
}

// wantedBefore gives what a client was set up with last in a scope, or the default. Who looks at the work of another,
// as in a clone, wants what is there.
func (s *setupRun) wantedBefore(c client.Client, in setup.Desired) wanted {
	w := s.setter.AsBefore(c, in)
	if w.Server.URL == "" && len(w.Server.Command) == 0 {
		if found, ok := in.Find(c); ok && s.flags.check && found.Written() {
			_, hooks := in.Present(c)
			return wanted{agent: shell.Argument(found.Command, "--agent"), hooks: hooks || !s.hasHooks(c), trust: found.Trust}
		}
		return wanted{hooks: true}
	}
	return wanted{
		agent: w.Call.Agent, workspace: cmp.Or(shell.Argument(w.Server.Command, "--workspace"), w.Call.Workspace),
		url: w.Server.URL, tokenEnv: w.Server.TokenEnv, hooks: w.Hooks, wake: w.Call.Wake, trust: w.Server.Trust,
	}
}

// hasHooks tells whether a client has hooks of handoff in any scope.
func (s *setupRun) hasHooks(c client.Client) bool {
	_, user := s.in(client.User).Present(c)
	_, project := s.in(client.Project).Present(c)
	return user || project
}

// over changes what was wanted before by the flags that were given. Hooks look at this machine, so that they go with
// an address and come back without it, unless a flag says otherwise.
func (f setupFlags) over(w wanted) wanted {
	if f.given("http") {
		w.url, w.tokenEnv, w.hooks = f.want.url, "", f.want.url == ""
	}
	for flag, say := range map[string]func(){
		"agent":     func() { w.agent = f.want.agent },
		"workspace": func() { w.workspace = f.want.workspace },
		"token-env": func() { w.tokenEnv = f.want.tokenEnv },
		"hooks":     func() { w.hooks = f.want.hooks },
		"no-hooks":  func() { w.hooks = !f.noHooks },
		"wake":      func() { w.wake = f.want.wake },
		"trust":     func() { w.trust = f.want.trust },
	} {
		if f.given(flag) {
			say()
		}
	}
	return w
}

// desiredOf checks what is wanted and turns it into the words of the table of clients.
func (s *setupRun) desiredOf(scope client.Scope, want wanted) (w setup.Desired, err error) {
	w = s.in(scope)
	if want.agent != "" {
		if _, err := (schemas.Caller{}).As(want.agent); err != nil {
			return w, err
		}
	}
	if w.Scope != client.User {
		want.workspace = "" // others have theirs
	}
	w.Server.Trust, w.Hooks = want.trust, want.hooks
	program := doctor.Program{Path: s.Executable, OnPath: w.Machine.LookPath(client.ServerName)}
	w.Call = client.Call{Program: program.In(w.Scope), Agent: want.agent, Workspace: want.workspace, Wake: want.wake}
	if err := s.lasting(want, w.Call.Program); err != nil {
		return w, err
	}
	if want.url != "" {
		w.Server.Agent, w.Server.TokenEnv = want.agent, want.tokenEnv
		w.Server.URL, err = endpoint(want.url, want.tokenEnv)
		return w, err
	}
	if want.tokenEnv != "" {
		return w, schemas.Invalidf("--token-env", "a token is for a server that is reached over HTTP").
			WithHint("Add --http URL.")
	}
	w.Server.Command = []string{w.Call.Program, "mcp"}
	if want.agent != "" {
		w.Server.Command = append(w.Server.Command, "--agent", want.agent)
	}
	if want.workspace != "" {
		w.Server.Command = append(w.Server.Command, "--workspace", want.workspace)
	}
	w.Server.Pass = client.Passed[:]
	return w, nil
}

var variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// isVariable tells whether a name can be that of a variable. A token could look like one.
func isVariable(name string) bool {
	return variableForm.MatchString(name) && !strings.HasPrefix(strings.ToLower(name), schemas.TokenPrefix)
}

// endpoint checks an address and the name of a variable. Neither may hold a secret.
func endpoint(address, variable string) (string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", schemas.Invalidf("--http", "that is no address of a server").
			WithHint("Write it as https://example.com/mcp.")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", schemas.Invalidf("--http", "an address in a file holds no password, query or fragment").
			WithHint("Give the token with --token-env HANDOFF_TOKEN.")
	case variable != "" && !isVariable(variable):
		return "", schemas.Invalidf("--token-env", "that is no name of a variable, and a token is never written to a file").
			WithHint("Put the token into the environment and name the variable, as --token-env HANDOFF_TOKEN.")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	return u.String(), nil
}

// passing matches the path of a program that go run built, and that go run removes soon.
var passing = regexp.MustCompile(
	`[/\\]go-build[0-9]+[/\\]b[0-9]+[/\\]exe[/\\][^/\\]+$` + `|[/\\][0-9a-f]{64}-d[/\\][^/\\]+$`)

// lasting fails if the program that setup would write into files will be gone when clients start it.
func (s *setupRun) lasting(want wanted, program string) error {
	written := want.url == "" || want.hooks
	if s.flags.remove || s.flags.check || !written || !passing.MatchString(program) {
		return nil
	}
	return schemas.Errorf(schemas.Unavailable, "go run built this program, and removes it").
		WithHint("go install ./cmd/handoff keeps it: run that, and handoff setup with it.")
}
