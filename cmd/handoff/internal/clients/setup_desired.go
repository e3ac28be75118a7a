package clients

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// previousOptions returns the options of the client's last setup in a scope. If setup never ran there, it returns the
// default options. The exception is --check, which takes the options from the client's files, because another person
// may have set up this clone.
func (s *setupRun) previousOptions(c client.Client, in setup.DesiredSetup) setup.Options {
	told := s.setter.WithLastOptions(c, in).Options
	if told.Server.URL == "" && len(told.Server.Command) == 0 {
		told = setup.Options{Hooks: true}
		if found, ok := in.FindEntry(c); ok && s.flags.check && found.IsWrittenBySetup() {
			_, hooks := in.PresentParts(c)
			told.Hooks, told.Server.Trust = hooks || !s.hasHooks(c), found.Trust
			told.Call.Agent = shell.FlagValue(found.Command, "--agent")
		}
		return told
	}
	told.Call.Workspace = cmp.Or(shell.FlagValue(told.Server.Command, "--workspace"), told.Call.Workspace)
	return told
}

// hasHooks reports whether a client has hooks of handoff in any scope.
func (s *setupRun) hasHooks(c client.Client) bool {
	_, user := s.commonDesired(client.User).PresentParts(c)
	_, project := s.commonDesired(client.Project).PresentParts(c)
	return user || project
}

// overrideOptions replaces previous options by the flags that the user gave. --http URL turns the hooks off, because
// hooks can read only a workspace on this machine. --http with an empty value turns them on. --hooks and --no-hooks win
// over --http.
func (f setupFlags) overrideOptions(told setup.Options) setup.Options {
	server, call, want := &told.Server, &told.Call, f.options
	if f.isSet("http") {
		server.URL, server.TokenEnv, told.Hooks = want.Server.URL, "", want.Server.URL == ""
	}
	for flag, say := range map[string]func(){
		"agent":     func() { call.Agent = want.Call.Agent },
		"workspace": func() { call.Workspace = want.Call.Workspace },
		"token-env": func() { server.TokenEnv = want.Server.TokenEnv },
		"hooks":     func() { told.Hooks = want.Hooks },
		"no-hooks":  func() { told.Hooks = !f.noHooks },
		"wake":      func() { call.Wake = want.Call.Wake },
		"trust":     func() { server.Trust = want.Server.Trust },
	} {
		if f.isSet(flag) {
			say()
		}
	}
	return told
}

// newDesired returns the desired setup of a client in a scope. It checks the options, and sets the program and its
// arguments, or the address, by which the client reaches the server.
func (s *setupRun) newDesired(scope client.Scope, want setup.Options) (w setup.DesiredSetup, err error) {
	w = s.commonDesired(scope)
	agent, told := want.Call.Agent, want.Server
	if agent != "" {
		if _, err := (schemas.Caller{}).WithName(agent); err != nil {
			return w, err
		}
	}
	if scope != client.User {
		want.Call.Workspace = "" // other people have their own
	}
	program := doctor.InstalledProgram{Path: s.Executable, OnPath: w.Machine.LookPath(client.ServerName)}
	want.Call.Program, want.Server = program.ProgramForEntry(scope), client.Server{Trust: told.Trust}
	w.Options = want
	if err := s.checkProgramLasts(told.URL == "" || want.Hooks, want.Call.Program); err != nil {
		return w, err
	}
	if told.URL != "" {
		w.Server.Agent, w.Server.TokenEnv = agent, told.TokenEnv
		w.Server.URL, err = checkEndpoint(told.URL, told.TokenEnv)
		return w, err
	}
	if told.TokenEnv != "" {
		return w, schemas.Invalidf("--token-env", "a token is for a server that is reached over HTTP").
			WithHint("Add --http URL.")
	}
	w.Server.Command = append([]string{want.Call.Program, "mcp"}, want.Call.Flags()...)
	w.Server.Pass = client.PassedVariables[:]
	return w, nil
}

// assignAgents gives each client of setup --http an agent of its own, while the token has a free one. A client keeps
// its agent, or gets the free agent with its name in it (Codex gets alice-codex), or else the first free one. It changes
// no client that is not in this run. Files of a project name no agent, because other people have other tokens.
func (s *setupRun) assignAgents(ctx context.Context) {
	if s.flags.options.Server.URL == "" || s.flags.isSet("agent") || s.flags.remove || s.base.Scope != client.User {
		return
	}
	server := client.ListedServer{Server: s.clients[0].desired.Server}
	server.Agent = "" // another token may not act as an agent of the last one
	s.agents = s.tryServer(ctx, s.clients[0], installed.ServerEntry{ListedServer: server}).Agents
	holders := s.agentHolders(server.URL)
	waiting := slices.DeleteFunc(slices.Clone(s.clients), func(c *clientSetup) bool {
		return len(s.agents) == 0 || !c.ReadsTokenVariable() || slices.Contains(s.agents, c.desired.Server.Agent)
	})
	for round := range 2 {
		waiting = slices.DeleteFunc(waiting, func(c *clientSetup) bool {
			word, _, _ := strings.Cut(c.Name, "-")
			i := slices.IndexFunc(s.agents, func(agent string) bool {
				return holders[agent] == c.Name || holders[agent] == "" && (round == 1 || strings.Contains(agent, word))
			})
			if i >= 0 {
				c.desired.Call.Agent, c.desired.Server.Agent, holders[s.agents[i]] = s.agents[i], s.agents[i], c.Name
			}
			return i >= 0
		})
	}
	for _, c := range waiting { // acts as the first of the token
		c.desired.Call.Agent, c.desired.Server.Agent = "", ""
	}
	s.lacking = schemas.Map(waiting, func(c *clientSetup) string { return c.Name })
}

// agentHolders returns the client that acts as each agent at the server with this URL. A client whose entry names no
// agent acts as the first of the token. Nobody but a person acts as human.
func (s *setupRun) agentHolders(url string) map[string]string {
	holders := map[string]string{string(schemas.Human): string(schemas.Human)}
	for _, c := range client.All() {
		if e, ok := s.base.FindEntry(c); ok && e.URL == url && len(s.agents) > 0 {
			agent := cmp.Or(e.Agent, s.agents[0])
			holders[agent] = cmp.Or(holders[agent], c.Name)
		}
	}
	return holders
}

// variableForm matches a name of a variable of the environment. A token of handoff may match, too, so [checkEndpoint]
// also looks for the prefix of tokens.
var variableForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// checkEndpoint returns the address of a server, with the default path /mcp. It returns an error if the address is not
// valid or may hold a secret. Variable is the name of the environment variable that holds the token. If variable is no
// valid name, or looks like a token, checkEndpoint returns an error, too.
func checkEndpoint(address, variable string) (string, error) {
	u, err := url.Parse(address)
	isToken := strings.HasPrefix(strings.ToLower(variable), schemas.TokenPrefix)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", schemas.Invalidf("--http", "that is no address of a server").
			WithHint("Write it as https://example.com/mcp.")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", schemas.Invalidf("--http", "an address in a file holds no password, query or fragment").
			WithHint("Give the token with --token-env HANDOFF_TOKEN.")
	case variable != "" && (isToken || len(variable) > 100 || !variableForm().MatchString(variable)):
		return "", schemas.Invalidf("--token-env", "that is no name of a variable, and a token is never written to a file").
			WithHint("Put the token into the environment and name the variable, as --token-env HANDOFF_TOKEN.")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	return u.String(), nil
}

// isBuiltByGoRun reports whether the program at a path was built by "go run", which removes the program when it ends.
func isBuiltByGoRun(program string) bool {
	return regexp.MustCompile(`[/\\]go-build[0-9]+[/\\]b[0-9]+[/\\]exe[/\\][^/\\]+$` +
		`|[/\\][0-9a-f]{64}-d[/\\][^/\\]+$`).MatchString(program)
}

// checkProgramLasts returns an error if setup would write the path of a temporary program, which will not exist when a
// client starts it.
func (s *setupRun) checkProgramLasts(written bool, program string) error {
	if s.flags.remove || s.flags.check || !written || !isBuiltByGoRun(program) {
		return nil
	}
	return schemas.Errorf(schemas.Unavailable, "go run built this program, and removes it").
		WithHint("go install ./cmd/handoff keeps it: run that, and handoff setup with it.")
}
