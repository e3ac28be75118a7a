package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/setup"
	"handoff/schemas"
)

// wish reads the flags.
func (a *app) wish(f setupFlags) (w setup.Wish, err error) {
	if w.Scope = client.Scope(f.scope); w.Scope != client.User && w.Scope != client.Project {
		return w, schemas.Invalidf("--scope", "%q is no scope", schemas.Visible(f.scope)).WithHint("Write user or project.")
	}
	if w.Machine, err = a.machine(); err != nil {
		return w, err
	}
	if a.agent != "" {
		if _, err := (schemas.Caller{}).As(a.agent); err != nil {
			return w, err
		}
	}
	w.Server.Trust = f.trust
	w.Call = client.Call{Program: a.program(w), Agent: a.agent, Wake: f.wake}
	w.Hooks = f.hooks || f.url == "" && !f.noHooks
	if f.url == "" && f.tokenEnv != "" {
		return w, schemas.Invalidf("--token-env", "a token is for a server that is reached over HTTP").WithHint("Add --http URL.")
	}
	if f.url != "" {
		w.Server.Agent = a.agent
		w.Server.TokenEnv = f.tokenEnv
		w.Server.URL, err = endpoint(f.url, f.tokenEnv)
		return w, err
	}
	w.Server.Command = []string{w.Call.Program, "mcp"}
	if a.agent != "" {
		w.Server.Command = append(w.Server.Command, "--agent", a.agent)
	}
	if a.workspace != "" && w.Scope == client.User {
		w.Server.Command = append(w.Server.Command, "--workspace", a.workspace)
	}
	for _, name := range client.Passed {
		if a.getenv(name) != "" && w.Scope == client.User {
			w.Server.Pass = append(w.Server.Pass, name)
		}
	}
	return w, nil
}

// machine is this one. The project is the working tree, else the directory itself.
func (a *app) machine() (client.Machine, error) {
	m := client.Machine{Getenv: a.getenv, Home: a.getenv("HOME")}
	if m.Home == "" {
		m.Home = a.getenv("USERPROFILE")
	}
	if !filepath.IsAbs(m.Home) {
		return m, schemas.Errorf(schemas.Unavailable, "there is no home directory: HOME is not set").WithHint("Set HOME.")
	}
	dir, err := a.place().ProjectDir()
	if err != nil {
		return m, err
	}
	m.Project = dir
	atHome := func(dir string) bool { return dir == m.Home || dir == filepath.Dir(dir) }
	if repository, ok := git.Find(dir, atHome); ok && repository.Root != "" {
		m.Project = repository.Root
	}
	return m, nil
}

// program is how clients find this program: by its name where that is this very file or the configuration is for
// others too, else by its path.
func (a *app) program(w setup.Wish) string {
	if w.Scope == client.Project {
		return client.ServerName
	}
	if onPath := w.Machine.LookPath(client.ServerName); onPath != "" {
		there, errThere := os.Stat(onPath)
		here, errHere := os.Stat(a.executable)
		if errThere == nil && errHere == nil && os.SameFile(there, here) {
			return client.ServerName
		}
	}
	return a.executable
}

var variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// endpoint checks an address. It has no secret in it, and neither has the name of the variable.
func endpoint(address, variable string) (string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", schemas.Invalidf("--http", "that is no address of a server").WithHint("Write it as https://example.com/mcp.")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", schemas.Invalidf("--http", "an address in a file holds no password, query or fragment").
			WithHint("Give the token with --token-env HANDOFF_TOKEN.")
	case variable != "" && !variableForm.MatchString(variable):
		return "", schemas.Invalidf("--token-env", "that is no name of a variable, and a token is never written to a file").
			WithHint("Put the token into the environment and name the variable, as --token-env HANDOFF_TOKEN.")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	return u.String(), nil
}
