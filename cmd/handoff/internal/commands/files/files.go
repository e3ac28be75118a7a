// Package files has the commands for agents that take part through files and logs, as the Kelos TaskHandoff proposal
// has them, and know nothing of handoff: exec runs one and hands on what it wrote, capture puts that into its log, and
// render makes its prompt. What was captured goes on with send or complete --from-log.
package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/payload"
	"handoff/tools/platform"
)

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{captureCommand(a), execCommand(a), renderCommand(a)}
}

// handedOn reads the payload that an agent wrote into a file, nil where there is no file or nothing in it: then the
// agent hands nothing on, which is no error.
func handedOn(ctx context.Context, a *cli.App, path string) (map[string]any, error) {
	text, err := a.Input(ctx, "FILE", path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return payload.Parse(text)
}

// agreedFile is where an agent writes that was told no other place: the file that the surroundings name, else the one
// that the proposal names. Everybody can write into the directory of that one, so it is taken only if it is the
// caller's own, and else there is none.
func agreedFile(a *cli.App) string {
	for _, variable := range payload.Variables {
		if path := a.Getenv(variable); path != "" {
			return path
		}
	}
	if !isOwnFile(payload.DefaultPath) {
		return ""
	}
	return payload.DefaultPath
}

// isOwnFile tells whether a path is a file of whoever runs this, and no link to one. On Windows it is none: the
// directory of the file that the proposal names is one of Unix.
func isOwnFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && platform.Owned(info) && runtime.GOOS != "windows"
}

// printLog prints a payload as a log carries it, or with --json the object alone.
func printLog(a *cli.App, said map[string]any) error {
	b, _ := json.Marshal(said) // it came as JSON
	return a.Print(b, func(p *cli.Page) { p.WriteString(payload.Mark(cli.Inert(b))) })
}
