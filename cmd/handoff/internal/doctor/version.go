package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"time"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/process"
)

// A Program is the file of this program.
type Program struct {
	Path    string
	Version string
}

// Version examines whether a shell and this process mean the same program by its name.
func Version(ctx context.Context, p Program, m client.Machine) []Finding {
	onPath := m.LookPath(client.ServerName)
	switch {
	case onPath == "":
		return []Finding{warning(aboutVersion, "this is handoff %s, and PATH leads to none: clients that look there do not find it", p.Version).
			remedied("ln -s %s ~/.local/bin/%s", client.Quoted(p.Path), client.ServerName)}
	case sameFile(onPath, p.Path):
		return []Finding{ok(aboutVersion, "this is handoff %s, and PATH leads to it", p.Version)}
	}
	there := versionOf(ctx, onPath, m)
	if there == p.Version {
		return []Finding{ok(aboutVersion, "this is handoff %s, and PATH leads to another file of that version: %s", p.Version, onPath)}
	}
	return []Finding{warning(aboutVersion, "this is handoff %s, and PATH leads to another, %s: %s", p.Version, there, onPath).
		remedied("ln -sf %s %s", client.Quoted(p.Path), client.Quoted(onPath))}
}

func sameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	return errOne == nil && errOther == nil && os.SameFile(one, other)
}

const asking = 2 * time.Second

// versionOf asks a program for its version.
func versionOf(ctx context.Context, path string, m client.Machine) string {
	ctx, end := context.WithTimeout(ctx, asking)
	defer end()
	cmd := exec.CommandContext(ctx, path, "version", "--json")
	cmd.Env = m.Environ()
	process.Tree(cmd)
	said, err := cmd.Output()
	var release struct{ Version string }
	if err != nil || json.Unmarshal(bytes.TrimSpace(said), &release) != nil || release.Version == "" {
		return "which does not say its version"
	}
	return release.Version
}
