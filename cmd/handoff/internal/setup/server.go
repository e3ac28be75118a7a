package setup

import (
	"path"
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
func (w Wish) putServer(c client.Client, doc edit.Document, known bool) error {
	at := under(c, doc).to(client.ServerName)
	entry := c.Entry(w.Server)
	old, there := doc.Look(at...)
	if !there {
		return doc.Set(entry, at...)
	}
	fields, ok := old.(map[string]any)
	if !ok || !known && !isOurs(fields, entry) {
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

// isOurs tells whether an entry starts handoff or leads where the wished one does.
func isOurs(fields map[string]any, wished client.Object) bool {
	for _, f := range wished {
		if f.Key == "url" && fields["url"] != nil {
			return edit.Same(fields["url"], f.Value)
		}
	}
	var words []any
	switch command := fields["command"].(type) {
	case []any:
		words = command
	case string:
		args, _ := fields["args"].([]any)
		words = append([]any{command}, args...)
	}
	if len(words) < 2 || words[1] != "mcp" {
		return false
	}
	program, _ := words[0].(string)
	program = path.Base(strings.ReplaceAll(program, `\`, "/"))
	return strings.TrimSuffix(program, ".exe") == client.ServerName
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
