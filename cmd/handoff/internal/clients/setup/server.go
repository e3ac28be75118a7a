package setup

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// putServer writes our server into a list and enables it. An existing entry keeps the fields that setup does not write,
// for example a timeout.
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
	var err error
	for _, f := range entry {
		if !edit.SameValue(fields[f.Key], f.Value) {
			err = cmp.Or(err, doc.Set(f.Value, at.withSteps(f.Key)...))
		}
	}
	for _, key := range append(entryKeys(c), client.DisablingKeys(fields)...) {
		if !entry.HasKey(key) {
			err = cmp.Or(err, doc.Delete(at.withSteps(key)...))
		}
	}
	return err
}

// isOurEntry reports whether setup may change an entry. The entry must start handoff, or lead to the desired server or
// to the server of the file's receipt. Any other entry belongs to another author.
func (d DesiredSetup) isOurEntry(fields map[string]any, r receipt) bool {
	return d.entryLeadsTo(d.Server, fields) || !r.isEmpty() && d.entryLeadsTo(r.Options.Server, fields)
}

// entryLeadsTo reports whether an entry leads to a server: it has the server's address, starts the server's program, or
// starts handoff by a path that setup could have written.
func (d DesiredSetup) entryLeadsTo(s client.Server, fields map[string]any) bool {
	l := client.ParseEntry(fields)
	words := l.Command
	switch {
	case l.URL != "":
		return l.URL == s.URL
	case len(words) < 2 || words[1] != "mcp":
		return false
	}
	return len(s.Command) > 0 && words[0] == s.Command[0] || d.isOurProgram(words[0])
}

// isOurProgram reports whether setup could have written a program into an entry. Setup writes "handoff", or in a user's
// file an absolute path that ends in "handoff". It never writes a relative path.
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

// putParts writes the desired server, hooks and permission into a file. It removes our parts that are not desired, and
// leaves parts that may belong to another author.
func (d DesiredSetup) putParts(c client.Client, t targetFile, doc edit.Document, r receipt) error {
	if t.server {
		if err := d.putServer(c, doc, r); err != nil {
			return err
		}
	}
	return d.putSettings(c, t, doc, r)
}

// putSettings writes the desired hooks and permission into a file, and removes the ones that are not desired.
func (d DesiredSetup) putSettings(c client.Client, t targetFile, doc edit.Document, r receipt) error {
	settings, ok := doc.(*edit.JSON)
	if t.hooks && ok {
		if d.Hooks && !c.Hooks.CanRun(d.Call.Program) {
			return leftAlone("in hooks on Windows "+c.Title+" runs no program whose path has a blank or a sign: "+d.Call.Program,
				"Put handoff on PATH and run this again, or leave the hooks out with --no-hooks.")
		}
		// They may run the program of the desired setup or of the receipt, even under a name other than "handoff".
		ours := ourHooks{settings, c, []string{d.Call.Program, r.Options.Call.Program}, r}
		if err := ours.replaceWith(d); err != nil {
			return err
		}
	}
	if t.grant && ok && (d.Server.Trust || r.Granted) {
		return d.putPermission(c, settings)
	}
	return nil
}

// findPermission returns the text that lets the tools of our server run without asking, and its index in the list of
// permissions, or -1 if the list does not contain it. The text contains the name that our server has in the client's
// list of servers.
func (d DesiredSetup) findPermission(c client.Client, doc edit.Document) (text string, index int) {
	name := client.ServerName
	if e, ok := d.FindEntry(c); ok {
		name = e.Name
	}
	text = c.Allow.Prefix + name
	list, _ := doc.Lookup(c.Allow.Keys...)
	texts, _ := list.([]any)
	return text, slices.Index(texts, any(text))
}

// putPermission adds the permission to its list, or removes it if it is not desired.
func (d DesiredSetup) putPermission(c client.Client, doc *edit.JSON) error {
	text, i := d.findPermission(c, doc)
	switch {
	case d.Server.Trust && i < 0:
		return doc.Append(text, c.Allow.Keys...)
	case !d.Server.Trust && i >= 0:
		return doc.Delete(keyPath(c.Allow.Keys).withSteps(i)...)
	}
	return nil
}
