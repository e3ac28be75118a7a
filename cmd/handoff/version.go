package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

func (a *app) versionCommand() *cobra.Command {
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
			return a.print(raw, func(p *page) {
				p.line("handoff %s", r.Version)
				p.field("revision", r.Revision)
				p.field("built with", r.Go)
			})
		},
	}
}
