package setup

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// putServer writes our server into a list, and switches it on. An existing entry keeps its other fields, such as a
// timeout.
func (d DesiredSetup) putServer(c client.Client, doc edit.Document, r receipt) error {
	at := serverPath(c, doc)
	entry := c.Entry(d.Server)
	old, there := doc.Lookup(at...)
	if !there {
		return doc.Set(entry, at...)
	}
	fields, ok := old.(map[string]any)
	if !ok || !d.isOurEntry(fields, r) {
		return d.newForeignServerError(c)
	}
	for _, f := range entry {
		if edit.SameValue(fields[f.Key], f.Value) {
			continue
		}
		if err := doc.Set(f.Value, at.child(f.Key)...); err != nil {
			return err
		}
	}
	for _, key := range append(entryKeys(c), client.DisablingKeys(fields)...) {
		if entry.Has(key) {
			continue
		}
		if err := doc.Delete(at.child(key)...); err != nil {
			return err
		}
	}
	return nil
}

// isOurEntry reports whether setup may change an entry. It may change an entry that leads to the desired server or to the
// server in setup's receipt for the file, and an entry that starts handoff. Every other entry belongs to its author,
// even if it replaced our entry and a receipt exists.
func (d DesiredSetup) isOurEntry(fields map[string]any, r receipt) bool {
	return d.leadsTo(d.Server, fields) || r.Path != "" && d.leadsTo(r.Options.Server, fields)
}

// leadsTo reports whether an entry leads to a server: it starts the same program, it starts handoff by another path, or
// it has the same address.
func (d DesiredSetup) leadsTo(s client.Server, fields map[string]any) bool {
	for _, key := range [...]string{"url", "uri", "httpUrl"} {
		if url, ok := fields[key]; ok && url != nil {
			return s.URL != "" && url == s.URL
		}
	}
	words := client.ReadEntry(fields).Command
	if len(words) < 2 || words[1] != "mcp" {
		return false
	}
	return len(s.Command) > 0 && words[0] == s.Command[0] || d.isOurProgram(words[0])
}

// isOurProgram reports whether setup could have written a program in this form: as the bare name handoff or, in a
// user's file, as an absolute path. An entry with a relative path belongs to the author of the project.
func (d DesiredSetup) isOurProgram(program string) bool {
	slashed := strings.ReplaceAll(program, `\`, "/")
	if slashed != program && len(program) > 2 && program[1] == ':' {
		slashed = slashed[2:] // of a drive
	}
	absolute := path.IsAbs(slashed) || filepath.IsAbs(program)
	return client.IsHandoffCommand(program) && (!strings.Contains(slashed, "/") || absolute && d.Scope == client.User)
}

// entryKeys returns the keys of all forms of our entry.
func entryKeys(c client.Client) (keys []string) {
	forms := []client.Server{
		{Command: []string{"x", "x"}, Pass: []string{"X"}, Trust: true},
		{URL: "x", TokenEnv: "X", Agent: "x", Trust: true},
	}
	for _, form := range forms {
		for _, f := range c.Entry(form) {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// putParts writes our parts into a file: the server, the hooks and the permission. It removes our parts that are no longer
// desired, unless they may belong to another author.
func (d DesiredSetup) putParts(c client.Client, t targetFile, doc edit.Document, r receipt) error {
	if t.has(server) {
		if err := d.putServer(c, doc, r); err != nil {
			return err
		}
	}
	return d.putSettings(c, t, doc, r)
}

// putSettings does the same for the hooks and permissions in settings.
func (d DesiredSetup) putSettings(c client.Client, t targetFile, doc edit.Document, r receipt) error {
	settings, ok := doc.(*edit.JSON)
	if t.has(hooks) && ok {
		if d.Hooks && !c.Hooks.CanRun(d.Call.Program) {
			return &leaveReason{
				"in hooks on Windows " + c.Title + " runs no program whose path has a blank or a sign: " + d.Call.Program,
				"Put handoff on PATH and run this again, or leave the hooks out with --no-hooks.",
			}
		}
		ours, err := d.findOurHooks(settings, c, r)
		if err == nil {
			err = ours.replaceWith(d)
		}
		if err != nil {
			return err
		}
	}
	if t.has(grant) && ok && (d.Server.Trust || r.Granted) {
		return putPermission(d.toolPermission(c), settings, d.Server.Trust)
	}
	return nil
}

// toolPermission returns the permission that lets the tools of our server run without asking. The permission names the server as
// the client's list does.
func (d DesiredSetup) toolPermission(c client.Client) *client.ToolPermission {
	name := client.ServerName
	if e, ok := d.FindEntry(c); ok {
		name = e.Name
	}
	return c.Allow(name)
}

// permissionIndex returns the index of a grant in its list; -1 if it is not there.
func permissionIndex(g *client.ToolPermission, doc edit.Document) int {
	list, _ := doc.Lookup(g.Keys...)
	texts, _ := list.([]any)
	return slices.Index(texts, any(g.Text))
}

// putPermission writes a grant into its list, or takes it out.
func putPermission(g *client.ToolPermission, doc *edit.JSON, wanted bool) error {
	i := permissionIndex(g, doc)
	switch {
	case wanted && i < 0:
		return doc.Append(g.Text, g.Keys...)
	case !wanted && i >= 0:
		return doc.Delete(keyPath(g.Keys).child(i)...)
	}
	return nil
}

// hadPermission reports whether the tools ran without asking before the change.
func (c FileChange) hadPermission() bool {
	doc, err := c.File.Document(c.target.syntax)
	return err == nil && permissionIndex(c.desired.toolPermission(c.Client), doc) >= 0
}
