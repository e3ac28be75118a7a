// Package files has commands for agents that do not know handoff. These agents take part through files and logs, as in
// the Kelos TaskHandoff proposal. The command "exec" runs an agent and hands on its result. The command "capture" puts
// the result into the agent's log, and "render" makes the agent's prompt. The commands "send" and "complete" read a
// captured result with the option --from-log.
package files

import (
	"bytes"
	"context"
	"embed"
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

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily], and tables of
// their flags, for [cli.ReadFields].
//
//go:embed help_*.txt fields_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return cli.NewFamily(helpTexts, captureCommand(a), execCommand(a), renderCommand(a))
}

// readPayload reads the payload that an agent wrote into a file. If the file is missing or empty, the result is nil and
// no error: the agent had nothing to hand on.
func readPayload(ctx context.Context, a *cli.App, path string) (map[string]any, error) {
	text, err := a.ReadInput(ctx, "FILE", path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return payload.Parse(text)
}

// defaultFile returns the file into which an agent writes its payload if no flag names a file. The environment may name
// that file. Otherwise it is the file of the Kelos proposal, if the file belongs to this user. If the file of the
// proposal belongs to another user, the result is "", because every user can write into its directory.
func defaultFile(a *cli.App) string {
	for _, variable := range payload.PathVariables {
		if path := a.Getenv(variable); path != "" {
			return path
		}
	}
	if !isFileOfUser(payload.DefaultPath) {
		return ""
	}
	return payload.DefaultPath
}

// isFileOfUser reports whether a path is a regular file of this user. It is false for a link. It is always false on
// Windows, because the directory of the proposal exists only on Unix.
func isFileOfUser(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && platform.IsOwnFile(info) && runtime.GOOS != "windows"
}

// printInMarkers prints a payload between the markers of a log. With --json it prints only the object.
func printInMarkers(a *cli.App, said map[string]any) error {
	b, _ := json.Marshal(said) // it was decoded from JSON
	return a.Print(b, func(p *cli.Page) { p.WriteString(payload.WrapInMarkers(cli.EscapedJSON(b))) })
}
