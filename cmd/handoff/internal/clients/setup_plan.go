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

// A setupRun is one run of the command setup: its options, and the plan and result for each client.
type setupRun struct {
	*cli.App
	flags       setupFlags
	base        setup.DesiredSetup // the same for all clients: the machine and the scope
	setter      setup.Installer
	namedByUser bool // the user named the clients
	clients     []*clientSetup
	agents      []string // the agents of the token; empty: they are not known
	lacking     []string // the clients for which the token has no free agent
}

// clientSetup is the plan and the result for one client.
type clientSetup struct {
	client.Client `json:"-"`
	desired       setup.DesiredSetup

	Name  string       `json:"client"`
	Scope client.Scope `json:"scope"`
	Found bool         `json:"found"`
	Files []*fileSetup `json:"files"`
	Live  *serverTrial `json:"server,omitempty"`
}

// fileSetup is the plan and the result for one file.
type fileSetup struct {
	change setup.FileChange

	Path    string         `json:"path"`
	State   fileState      `json:"state"`
	Reason  string         `json:"reason,omitempty"` // why setup left it alone
	Hint    string         `json:"hint,omitempty"`   // how a person can change that
	Snippet *setup.Snippet `json:"snippet,omitempty"`
	Note    string         `json:"note,omitempty"`
	Unread  string         `json:"unread,omitempty"` // why the client does not read the file
	Diff    string         `json:"diff,omitempty"`
	Backup  string         `json:"backup,omitempty"`
}

type fileState string

const (
	fileUnchanged fileState = "unchanged"
	fileToChange  fileState = "to be changed"
	fileChanged   fileState = "changed"
	fileRestored  fileState = "restored"
	fileRemoved   fileState = "removed"
	fileCleared   fileState = "cleared"
	fileLeftAlone fileState = "left alone"
)

// newClientSetups returns each client once for each scope that this run covers, with the desired setup. An option
// without a flag keeps its value from the client's last setup, so setup without flags changes nothing.
func (s *setupRun) newClientSetups(clients []client.Client) (all []*clientSetup, err error) {
	for _, c := range clients {
		for _, scope := range s.coveredScopes(c) {
			switch {
			case scope == client.User || len(c.Servers.Project) > 0:
			case s.namedByUser && !s.flags.remove:
				return nil, schemas.Invalidf("--scope", "%s has no list of servers in a project", c.Title).
					WithHint("Without --scope project it is set up for you, in every project.")
			default:
				continue
			}
			of := &clientSetup{Client: c, Name: c.Name, Scope: scope, Found: c.IsFoundOn(s.base.Machine)}
			told := s.flags.overrideOptions(s.previousOptions(c, s.commonDesired(scope)))
			if of.desired, err = s.newDesired(scope, told); err != nil && !s.flags.remove { // removal needs no valid options
				return nil, err
			}
			all = append(all, of)
		}
	}
	return all, nil
}

// coveredScopes returns the scopes that this run covers for a client. That is the scope of --scope. The exception is
// --check without --scope: it covers each scope in which the client has an entry or a hook of handoff, if there is any.
func (s *setupRun) coveredScopes(c client.Client) (scopes []client.Scope) {
	if s.flags.check && !s.flags.isSet("scope") {
		for _, scope := range []client.Scope{client.User, client.Project} {
			again := scope == client.Project && c.Servers.PathFor(client.User, s.base.Machine) == c.Servers.PathFor(scope, s.base.Machine)
			if server, hooks := s.commonDesired(scope).PresentParts(c); !again && (server || hooks) {
				scopes = append(scopes, scope)
			}
		}
	}
	if len(scopes) == 0 {
		return []client.Scope{s.base.Scope}
	}
	return scopes
}

// commonDesired returns the settings of a scope that all clients have in common.
func (s *setupRun) commonDesired(scope client.Scope) setup.DesiredSetup {
	within := s.base
	within.Scope, within.Call.Program = scope, s.Executable
	return within
}

// setupCommand returns the command line that sets up this client in this scope.
func (c *clientSetup) setupCommand() string {
	if c.Scope == client.Project {
		return "handoff setup " + c.Name + " --scope project"
	}
	return "handoff setup " + c.Name
}

// planFiles adds the changes of each client.
func (s *setupRun) planFiles(how func(client.Client, setup.DesiredSetup) []setup.FileChange) {
	for _, c := range s.clients {
		for _, change := range how(c.Client, c.desired) {
			f := newFileSetup(change)
			if s.flags.check {
				f.Diff = "" // --check asks whether files change, not how
			}
			if s.flags.remove {
				f.Snippet = nil // there is nothing to paste
			}
			c.Files = append(c.Files, f)
		}
	}
}

func newFileSetup(change setup.FileChange) *fileSetup {
	f := &fileSetup{change: change, Path: change.File.Path, State: fileToChange, Diff: change.Diff()}
	switch {
	case change.Err != nil:
		f.markLeftAlone(change.Err)
	case change.IsUnchanged():
		f.State = fileUnchanged
	}
	if change.Foreign != nil {
		f.Note = change.Foreign.Error() + ", which stays"
	}
	if change.Unread != nil {
		f.Unread = fmt.Sprintf("%s reads nothing of this file, as %v: take that out", change.Client.Title, change.Unread)
	}
	return f
}

// markLeftAlone records that setup does not change a file, with the reason and the way in which a person can change it.
func (f *fileSetup) markLeftAlone(err error) {
	f.State, f.Reason = fileLeftAlone, err.Error()
	if snippet := f.change.Snippet(); snippet.Text != "" {
		f.Snippet = &snippet
	}
	if hinted, ok := errors.AsType[*schemas.Error](err); ok {
		f.Hint = hinted.Hint
	}
}

// dropUntouchedClients removes the clients whose files contain no part of handoff. If the user named the clients, it
// removes none.
func (s *setupRun) dropUntouchedClients() {
	if s.namedByUser {
		return
	}
	s.clients = slices.DeleteFunc(s.clients, func(c *clientSetup) bool {
		return !slices.ContainsFunc(c.Files, func(f *fileSetup) bool { return f.State == fileToChange || f.Note != "" })
	})
}

// allFiles returns the files of all clients.
func (s *setupRun) allFiles() []*fileSetup {
	return slices.Concat(schemas.Map(s.clients, func(c *clientSetup) []*fileSetup { return c.Files })...)
}

func hasState(state fileState) func(*fileSetup) bool {
	return func(f *fileSetup) bool { return f.State == state }
}
