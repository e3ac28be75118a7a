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
func (d Desired) putServer(c client.Client, doc edit.Document, r receipt) error {
	at := serverPath(c, doc)
	entry := c.Entry(d.Server)
	old, there := doc.Look(at...)
	if !there {
		return doc.Set(entry, at...)
	}
	fields, ok := old.(map[string]any)
	if !ok || !d.isOurs(fields, r) {
		return d.foreign(c)
	}
	for _, f := range entry {
		if edit.Same(fields[f.Key], f.Value) {
			continue
		}
		if err := doc.Set(f.Value, at.to(f.Key)...); err != nil {
			return err
		}
	}
	for _, key := range append(entryKeys(c), client.OffKeys(fields)...) {
		if entry.Has(key) {
			continue
		}
		if err := doc.Delete(at.to(key)...); err != nil {
			return err
		}
	}
	return nil
}

// isOurs reports whether setup may change an entry. It may change an entry that leads to the desired server or to the
// server in setup's receipt for the file, and an entry that starts handoff. Every other entry belongs to its author,
// even if it replaced our entry and a receipt exists.
func (d Desired) isOurs(fields map[string]any, r receipt) bool {
	return d.leadsTo(d.Server, fields) || r.Path != "" && d.leadsTo(r.Options.Server, fields)
}

// leadsTo reports whether an entry leads to a server: it starts the same program, it starts handoff by another path, or
// it has the same address.
func (d Desired) leadsTo(s client.Server, fields map[string]any) bool {
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
func (d Desired) isOurProgram(program string) bool {
	slashed := strings.ReplaceAll(program, `\`, "/")
	if slashed != program && len(program) > 2 && program[1] == ':' {
		slashed = slashed[2:] // of a drive
	}
	absolute := path.IsAbs(slashed) || filepath.IsAbs(program)
	return client.IsHandoff(program) && (!strings.Contains(slashed, "/") || absolute && d.Scope == client.User)
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

// put writes our parts into a file: the server, the hooks and the permission. It removes our parts that are no longer
// desired, unless they may belong to another author.
func (d Desired) put(c client.Client, t target, doc edit.Document, r receipt) error {
	if t.has(server) {
		if err := d.putServer(c, doc, r); err != nil {
			return err
		}
	}
	return d.putSettings(c, t, doc, r)
}

// putSettings does the same for the hooks and permissions in settings.
func (d Desired) putSettings(c client.Client, t target, doc edit.Document, r receipt) error {
	settings, ok := doc.(*edit.JSON)
	if t.has(hooks) && ok {
		if d.Hooks && !c.Hooks.Runs(d.Call.Program) {
			return &reason{
				"in hooks on Windows " + c.Title + " runs no program whose path has a blank or a sign: " + d.Call.Program,
				"Put handoff on PATH and run this again, or leave the hooks out with --no-hooks.",
			}
		}
		ours, err := d.oursIn(settings, c, r)
		if err == nil {
			err = ours.put(d)
		}
		if err != nil {
			return err
		}
	}
	if t.has(grant) && ok && (d.Server.Trust || r.Granted) {
		return putGrant(d.grant(c), settings, d.Server.Trust)
	}
	return nil
}

// grant returns the permission that lets the tools of our server run without asking. The permission names the server as
// the client's list does.
func (d Desired) grant(c client.Client) *client.Grant {
	name := client.ServerName
	if e, ok := d.Find(c); ok {
		name = e.Name
	}
	return c.Allow(name)
}

// grantIndex returns the index of a grant in its list; -1 if it is not there.
func grantIndex(g *client.Grant, doc edit.Document) int {
	list, _ := doc.Look(g.Keys...)
	texts, _ := list.([]any)
	return slices.Index(texts, any(g.Text))
}

// putGrant writes a grant into its list, or takes it out.
func putGrant(g *client.Grant, doc *edit.JSON, wanted bool) error {
	i := grantIndex(g, doc)
	switch {
	case wanted && i < 0:
		return doc.Append(g.Text, g.Keys...)
	case !wanted && i >= 0:
		return doc.Delete(keyPath(g.Keys).to(i)...)
	}
	return nil
}

// wasGranted reports whether the tools ran without asking before the change.
func (c Change) wasGranted() bool {
	doc, err := c.File.Document(c.target.syntax)
	return err == nil && grantIndex(c.desired.grant(c.Client), doc) >= 0
}
