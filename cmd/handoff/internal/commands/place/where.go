package place

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay"
)

func whereCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:  "where",
		RunE: func(cmd *cobra.Command, _ []string) error { return printWhere(cmd.Context(), a) },
	}
}

// printWhere prints the facts about the workspace. If the owner does not answer, it still prints all other facts.
func printWhere(ctx context.Context, a *cli.App) error {
	w, err := findWorkspaceFacts(ctx, a)
	if err != nil {
		return err
	}
	if w.Exists {
		w.Error = schemas.AsError(w.addAgents(ctx, a))
	}
	if err := a.PrintValue(w, func(p *cli.Page) { printWorkspaceFacts(p, w) }); err != nil {
		return err
	}
	if w.Error != nil {
		a.PrintError(w.Error, w.Error.Hint)
		return cli.ExitStatus(schemas.Codes[w.Error.Code].Exit)
	}
	return nil
}

// addAgents adds all agents of the workspace. The agent with the latest activity comes first.
func (w *workspaceFacts) addAgents(ctx context.Context, a *cli.App) error {
	return a.Connect(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *cli.Connection) error {
		var out schemas.AgentsOut
		if _, err := conn.Call(ctx, "list_agents", cli.Arguments{"limit": cli.AllAgents}, &out); err != nil {
			return err
		}
		for _, c := range out.Agents {
			if c.Name != schemas.Human { // whose presence nobody records
				w.Agents = append(w.Agents, agentActivity{c.Name, c.Live, c.Sessions, c.Servers, c.Seen})
			}
		}
		return nil
	})
}

func printWorkspaceFacts(p *cli.Page, w workspaceFacts) {
	p.AddField("workspace", w.Workspace)
	p.AddField("found by", foundBy[w.FoundBy])
	p.AddField("project", w.Project)
	if w.LookedIn != "" {
		p.AddField("looked for in", w.LookedIn+" ("+w.LookedInBy+")")
	}
	p.AddField("database", w.Database)
	p.AddField("directory", w.Directory)
	for _, n := range w.Beside {
		p.AddField("beside", n.String())
		p.AddField("  try", n.Join)
	}
	if !w.Exists {
		p.AddLine("%s", p.Faint("It does not exist yet: the first who uses it makes it."))
		return
	}
	printFile(p, "store", w.Store)
	printFile(p, "log", w.Log)
	p.AddField("kept from before a restore", w.Kept)
	p.AddField("owner", w.Owner.describe(p.Now))
	for _, s := range w.Agents {
		p.AddField("agent", string(s.Name)+", "+cli.Presence(schemas.Card{Live: s.Live, Sessions: s.Sessions, Servers: s.Servers, Seen: s.Seen}, p.Now))
	}
}

// foundBy explains [whereabouts.FoundBy] in words.
var foundBy = map[string]string{
	"flag":                        "--workspace",
	"environment":                 "HANDOFF_WORKSPACE",
	string(workspace.ByGit):       "the git repository, with all its worktrees",
	string(workspace.ByMark):      "its .handoff directory",
	string(workspace.ByDirectory): "the directory itself",
}

func printFile(p *cli.Page, name string, f *workspace.File) {
	if f != nil {
		p.AddField(name, f.Path+", "+formatSize(f.Bytes))
	}
}

// workspaceFacts are the known facts about a workspace.
type workspaceFacts struct {
	Workspace  string                `json:"workspace"`
	FoundBy    string                `json:"found_by"`               // flag, environment, or a value of [workspace.FoundBy]
	Project    string                `json:"project,omitempty"`      // the path that identifies it
	LookedIn   string                `json:"looked_in,omitempty"`    // the directory in which the search for the project began
	LookedInBy string                `json:"looked_in_by,omitempty"` // its source: a flag, a variable, or current directory
	Database   string                `json:"database,omitempty"`     // the database, if it is not in files
	Directory  string                `json:"directory,omitempty"`    // of its files
	Exists     bool                  `json:"exists"`                 // if not, the following facts are unknown
	Store      *workspace.File       `json:"store,omitempty"`
	Log        *workspace.File       `json:"log,omitempty"`
	Kept       string                `json:"kept,omitempty"`   // the state from before the last restore: a file, or a name in the database
	Owner      *ownerProcess         `json:"owner"`            // null if no process has it open
	Agents     []agentActivity       `json:"agents"`           // the last seen first
	Beside     []workspace.Neighbour `json:"beside,omitempty"` // other workspaces in which agents may be
	Error      *schemas.Error        `json:"error,omitempty"`  // why the agents could not be listed
}

// agentActivity is an agent with the time of its last activity.
type agentActivity struct {
	Name     schemas.Agent `json:"name"`
	Live     bool          `json:"live"`
	Sessions int           `json:"sessions,omitempty"` // as in [schemas.Card]
	Servers  int           `json:"servers,omitempty"`
	Seen     time.Time     `json:"last_seen,omitzero"`
}

// findWorkspaceFacts collects facts about the workspace without opening it. Opening a workspace could make this process
// its owner.
func findWorkspaceFacts(ctx context.Context, a *cli.App) (w workspaceFacts, err error) {
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return w, err
	}
	w = workspaceFacts{
		Workspace: ws.Name, FoundBy: string(ws.By), Project: cmp.Or(ws.Project, workspace.RecordedProject(ws)), Agents: []agentActivity{},
	}
	if !a.UsesDatabase() {
		w.addFileFacts(ws, a.Getenv)
	} else if err := w.addDatabaseFacts(ctx, a); err != nil {
		return w, err
	}
	if ws.By != workspace.ByName {
		w.LookedIn, err = a.WorkspaceConfig().ProjectDir()
		w.LookedInBy = describeSearchStart(a, w.LookedIn)
		return w, err
	}
	w.FoundBy = "flag"
	if a.Workspace == a.Getenv("HANDOFF_WORKSPACE") {
		w.FoundBy = "environment"
	}
	return w, nil
}

// addFileFacts adds the facts from the files of a workspace.
func (w *workspaceFacts) addFileFacts(ws workspace.Workspace, getenv func(string) string) {
	w.Directory, w.Owner, w.Beside = ws.Dir, ownerOfFileStore(ws), workspace.FindNeighbours(ws, getenv)
	w.Store, w.Log = ws.StoreFile(), ws.LogFile()
	w.Kept = schemas.ValueOrZero(ws.KeptFile()).Path
	w.Exists = w.Store != nil || workspace.IsAccessDenied(ws.Dir)
}

// describeSearchStart says which setting chose the directory where the search for the project began: a flag, a
// variable, or the current directory.
func describeSearchStart(a *cli.App, dir string) string {
	switch {
	case a.Dir != "" && a.Dir == a.Getenv("HANDOFF_DIR"):
		return "HANDOFF_DIR"
	case a.Dir != "":
		return "--dir"
	case dir != filepath.Clean(a.Cwd):
		return strings.Join(client.ProjectVariables(), " or ")
	}
	return "current directory"
}

// ownerProcess describes the process that has a workspace open and serves the other processes.
type ownerProcess struct {
	PID     int       `json:"pid,omitzero"`
	Version string    `json:"version,omitzero"`
	Since   time.Time `json:"since,omitzero"`
	Address string    `json:"address,omitzero"` // for other nodes of the database
	Hidden  bool      `json:"hidden,omitzero"`  // it belongs to another user, and nothing else is known
	Process string    `json:"process,omitzero"` // in words: the PID may be one of another container
}

// ownerOfFileStore returns the owner of a workspace in files, or nil if no process has the workspace open.
func ownerOfFileStore(w workspace.Workspace) *ownerProcess {
	if relay.HasUnreadableNote(w.Dir) {
		return &ownerProcess{Hidden: true}
	}
	note, ok := relay.ReadNote(w.Dir)
	if !ok || !note.IsRunning() {
		return nil
	}
	return &ownerProcess{PID: note.PID, Process: note.ProcessText(), Version: note.Version, Since: note.Started}
}

func (o *ownerProcess) describe(now time.Time) string {
	switch {
	case o == nil:
		return "none"
	case o.Hidden:
		return "a process of another user, to which owner.json belongs"
	}
	age := terminal.FormatAge(now.Sub(o.Since))
	return fmt.Sprintf("%s, handoff %s, for %s%s", o.Process, o.Version, age, schemas.WithPrefix(", at ", o.Address))
}

// formatSize writes a number of bytes for people.
func formatSize(bytes int64) string {
	const k = 1 << 10
	switch {
	case bytes < k:
		return fmt.Sprintf("%d B", bytes)
	case bytes < k*k:
		return fmt.Sprintf("%d KiB", bytes/k)
	case bytes < k*k*k:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(k*k))
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(k*k*k))
}
