package clients

import (
	"errors"
	"fmt"
	"slices"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/schemas"
)

// setupRun is one run of setup: what is wanted, and what becomes of each client.
type setupRun struct {
	*cli.App
	flags   setupFlags
	within  setup.Desired // what is the same for all clients: the machine and the scope
	setter  setup.Setter
	named   bool // the clients were, by the user
	clients []*clientSetup
}

// clientSetup is what becomes of one client.
type clientSetup struct {
	client.Client `json:"-"`
	desired       setup.Desired

	Name  string       `json:"client"`
	Scope client.Scope `json:"scope"`
	Found bool         `json:"found"`
	Files []*fileSetup `json:"files"`
	Live  *trial       `json:"server,omitempty"`
}

// fileSetup is what becomes of one file.
type fileSetup struct {
	change  setup.Change
	plugged bool // left alone as the client has our plugin

	Path    string         `json:"path"`
	State   fileState      `json:"state"`
	Reason  string         `json:"reason,omitempty"` // why it was left alone
	Hint    string         `json:"hint,omitempty"`   // the way out of that
	Snippet *setup.Snippet `json:"snippet,omitempty"`
	Note    string         `json:"note,omitempty"`
	Since   string         `json:"since,omitempty"`  // which other version of handoff set it up
	Unread  string         `json:"unread,omitempty"` // why the client does not read the file
	Diff    string         `json:"diff,omitempty"`
	Backup  string         `json:"backup,omitempty"`
}

type fileState string

const (
	fileSame    fileState = "unchanged"
	fileTodo    fileState = "to be changed"
	fileChanged fileState = "changed"
	fileRestore fileState = "restored"
	fileRemoved fileState = "removed"
	fileCleared fileState = "cleared"
	fileAlone   fileState = "left alone"
)

// withDesired gives the clients, each with what it is to become in each scope. Without a flag that is what the client
// was set up with last, so that setup without flags changes nothing.
func (s *setupRun) withDesired(clients []client.Client) (all []*clientSetup, err error) {
	for _, c := range clients {
		for _, scope := range s.scopes(c) {
			switch {
			case scope == client.User || len(c.Servers.Project) > 0:
			case s.named && !s.flags.remove:
				return nil, schemas.Invalidf("--scope", "%s has no list of servers in a project", c.Title).
					WithHint("Without --scope project it is set up for you, in every project.")
			default:
				continue
			}
			of := &clientSetup{Client: c, Name: c.Name, Scope: scope, Found: c.Detect(s.within.Machine)}
			told := s.flags.over(s.toldBefore(c, s.in(scope)))
			if of.desired, err = s.desiredOf(scope, told); err != nil && !s.flags.remove { // which needs none
				return nil, err
			}
			all = append(all, of)
		}
	}
	return all, nil
}

// scopes gives the scopes of a client that setup is about: that of --scope. Without the flag --check is about those in
// which the client has anything of handoff.
func (s *setupRun) scopes(c client.Client) (scopes []client.Scope) {
	if s.flags.check && !s.flags.given("scope") {
		for _, scope := range []client.Scope{client.User, client.Project} {
			again := scope == client.Project && c.Servers.In(client.User, s.within.Machine) == c.Servers.In(scope, s.within.Machine)
			if server, hooks := s.in(scope).Present(c); !again && (server || hooks) {
				scopes = append(scopes, scope)
			}
		}
	}
	if len(scopes) == 0 {
		return []client.Scope{s.within.Scope}
	}
	return scopes
}

// in is what is the same for all clients in a scope.
func (s *setupRun) in(scope client.Scope) setup.Desired {
	within := s.within
	within.Scope, within.Call.Program = scope, s.Executable
	return within
}

// cure is the command after which a client is set up in its scope.
func (c *clientSetup) cure() string {
	if c.Scope == client.Project {
		return "handoff setup " + c.Name + " --scope project"
	}
	return "handoff setup " + c.Name
}

// plan adds the changes of each client.
func (s *setupRun) plan(how func(client.Client, setup.Desired) []setup.Change) {
	for _, c := range s.clients {
		for _, change := range how(c.Client, c.desired) {
			f := planned(change)
			if s.flags.check {
				f.Diff = "" // it is asked whether, not what
			}
			if s.flags.remove {
				f.Snippet = nil // nothing is to be pasted
			} else {
				f.Since = since(change, s.Release.Version)
			}
			c.Files = append(c.Files, f)
		}
	}
}

func planned(change setup.Change) *fileSetup {
	f := &fileSetup{change: change, Path: change.File.Path, State: fileTodo, Diff: change.Diff()}
	switch {
	case change.Err != nil:
		f.leave(change.Err)
	case change.Same():
		f.State = fileSame
	}
	if change.Foreign != nil {
		f.Note = change.Foreign.Error() + ", which stays"
	}
	if change.Unread != nil {
		f.Unread = fmt.Sprintf("%s reads nothing of this file, as %v: take that out", change.Client.Title, change.Unread)
	}
	return f
}

// since tells, of a file that another version of handoff set up, which version that was.
func since(change setup.Change, now string) string {
	by := change.SetUpBy()
	switch {
	case by == "" || by == now || change.Err != nil:
		return ""
	case change.Same():
		return "since " + by
	}
	return fmt.Sprintf("set up by %s, now %s", by, now)
}

// leave notes why a file is left alone, and what a person can do about it.
func (f *fileSetup) leave(err error) {
	f.State, f.Reason = fileAlone, err.Error()
	_, f.plugged = errors.AsType[*setup.Plugged](err)
	if snippet := f.change.Snippet(); snippet.Text != "" {
		f.Snippet = &snippet
	}
	f.Hint = setup.Hint(err)
}

// forgetUntouched leaves out clients that have nothing of ours, if nobody named them.
func (s *setupRun) forgetUntouched() {
	if s.named {
		return
	}
	s.clients = slices.DeleteFunc(s.clients, func(c *clientSetup) bool {
		return !slices.ContainsFunc(c.Files, func(f *fileSetup) bool { return f.State == fileTodo || f.Note != "" })
	})
}

// files gives the files of all clients.
func (s *setupRun) files() []*fileSetup {
	return slices.Concat(schemas.Map(s.clients, func(c *clientSetup) []*fileSetup { return c.Files })...)
}

func in(state fileState) func(*fileSetup) bool {
	return func(f *fileSetup) bool { return f.State == state }
}
