package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/payload"
	"handoff/schemas"
)

func captureCommand(a *cli.App) *cobra.Command {
	var log string
	var strict bool
	limits := schemas.Map(payload.Limits, func(l payload.Limit) string { return "  " + l.String() })
	cmd := &cobra.Command{
		Use:  "capture [FILE]",
		Long: cli.HelpText(helpTexts, "capture", payload.DefaultPath, strings.Join(limits, "\n")),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			said, err := capturedPayload(cmd.Context(), a, log, given)
			switch {
			case err != nil && (strict || cmd.Context().Err() != nil):
				return err
			case err != nil:
				a.Report(cmd, err)
				fmt.Fprintln(a.Stderr, "warning: nothing was captured")
				return nil
			case said == nil:
				return nil
			}
			return printInMarkers(a, said)
		},
	}
	cmd.Flags().StringVar(&log, "from-log", "", "read the payload from this `file`, a log, - for standard input")
	cmd.Flags().BoolVar(&strict, "strict", false, "fail if the file is no payload or too long")
	return cmd
}

func capturedPayload(ctx context.Context, a *cli.App, log string, given []string) (map[string]any, error) {
	path := defaultFile(a)
	switch {
	case log != "":
		found, err := a.ReadLog(ctx, log)
		if err != nil || found.Pairs == 0 { // a result of kernl in the log is no payload
			return nil, err
		}
		return payload.Parse(found.Text)
	case len(given) > 0:
		path = given[0]
	case path == "":
		return nil, nil
	}
	return readPayload(ctx, a, path)
}
