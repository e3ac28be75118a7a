package look

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func versionCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  handoff version
  handoff version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r := a.Release
			raw, err := json.Marshal(r)
			if err != nil {
				return schemas.InternalError(err)
			}
			return a.Print(raw, func(p *cli.Page) {
				p.Line("handoff %s", r.Version)
				p.Field("revision", r.Revision)
				p.Field("built with", r.Go)
			})
		},
	}
}
