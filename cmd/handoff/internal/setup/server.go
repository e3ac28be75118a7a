package setup

import (
	"path"
	"path/filepath"
	"strings"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/edit"
)

// Foreign says that the server of another program has our name.
type Foreign struct {
	Remove []string // the client's command that removes it, without the program; nil: it has none
}

func (*Foreign) Error() string { return "it has another server that is called handoff" }

// putServer writes our server into a list. Of an entry that is there, what we do not write ourselves stays: a
// timeout, say.
func (w Wish) putServer(c client.Client, doc edit.Document, r Receipt) error {
	at := under(c, doc).to(client.ServerName)
	entry := c.Entry(w.Server)
	old, there := doc.Look(at...)
	if !there {
		return doc.Set(entry, at...)
	}
	fields, ok := old.(map[string]any)
	if !ok || !w.owns(fields, r) {
		return &Foreign{w.removal(c)}
	}
	for _, f := range entry {
		if edit.Same(fields[f.Key], f.Value) {
			continue
		}
		if err := doc.Set(f.Value, at.to(f.Key)...); err != nil {
			return err
		}
	}
	for _, key := range stale(c, entry) {
		if err := doc.Delete(at.to(key)...); err != nil {
			return err
		}
	}
	return nil
}

func (w Wish) removal(c client.Client) []string {
	if c.Own == nil {
		return nil
	}
	return c.Own.Remove(w.Scope)
}

// owns tells whether an entry is ours: one that leads where the wished one does, or the one of the receipt did, or that
// starts handoff. What somebody put in its place is theirs, receipt or not.
func (w Wish) owns(fields map[string]any, r Receipt) bool {
	wishes := []client.Server{w.Server}
	if r.Path != "" {
		wishes = append(wishes, r.Wished.Server)
	}
	for _, server := range wishes {
		if w.isOurs(fields, server) {
			return true
		}
	}
	return false
}

func (w Wish) isOurs(fields map[string]any, wished client.Server) bool {
	if url, ok := fields["url"]; ok && url != nil {
		return wished.URL != "" && url == wished.URL
	}
	words := client.ReadEntry(fields).Command
	if len(words) < 2 || words[1] != "mcp" {
		return false
	}
	return len(wished.Command) > 0 && words[0] == wished.Command[0] || w.isProgram(words[0])
}

// isProgram tells whether setup could have named handoff so: by its bare name, or, for one user, by its path. A path
// within a project is the project's.
func (w Wish) isProgram(name string) bool {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if slashed != name && len(name) > 2 && name[1] == ':' {
		slashed = slashed[2:] // of a drive
	}
	absolute := path.IsAbs(slashed) || filepath.IsAbs(name)
	if strings.TrimSuffix(path.Base(slashed), ".exe") != client.ServerName {
		return false
	}
	return !strings.Contains(slashed, "/") || absolute && w.Scope == client.User
}

// stale gives the keys that other forms of our entry have and this one has not.
func stale(c client.Client, entry client.Object) (keys []string) {
	forms := []client.Server{
		{Command: []string{"x", "x"}, Pass: []string{"X"}, Trust: true},
		{URL: "x", TokenEnv: "X", Agent: "x", Trust: true},
	}
	now := map[string]bool{}
	for _, f := range entry {
		now[f.Key] = true
	}
	for _, form := range forms {
		for _, f := range c.Entry(form) {
			if !now[f.Key] {
				now[f.Key] = true
				keys = append(keys, f.Key)
			}
		}
	}
	return keys
}
