package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/journal"
	"handoff/cmd/handoff/internal/output"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func logsCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "logs"}
	lines := cmd.Flags().Int("lines", 100, "lines at most, the last ones")
	follow := cmd.Flags().Bool("follow", false, "also print new lines")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *lines < 0 {
			return schemas.Invalidf("--lines", "%d is no number of lines", *lines).WithHint("Give 0 or more.")
		}
		return printLogs(cmd.Context(), a, *lines, *follow)
	}
	return cmd
}

// printLogs prints the last n lines of the log. With follow it also prints new lines, until ctx is done or no process
// reads the output.
func printLogs(ctx context.Context, a *cli.App, n int, follow bool) error {
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return err
	}
	if _, err := os.Stat(journal.Path(ws.Dir)); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(a.Stderr, "workspace %s has no log yet: no owner had anything to tell\n", ws.Name)
	}
	ctx, out := output.StartWriter(ctx, a.Stdout)
	defer out.Close()
	for line, err := range journal.Lines(ctx, ws.Dir, n, follow) {
		if err == nil {
			_, err = fmt.Fprintln(out, formatLogLine(a, line))
		}
		if err != nil {
			return schemas.Errorf(schemas.Internal, "show the log of workspace %s: %w", ws.Name, err).
				WithHint("Look at %s.", ws.Dir)
		}
	}
	return nil
}

func formatLogLine(a *cli.App, line string) string {
	if !a.JSON {
		return schemas.EscapeHidden(line)
	}
	raw, _ := json.Marshal(map[string]string{"line": line}) // strings can be encoded
	return cli.EscapedJSON(raw)
}
