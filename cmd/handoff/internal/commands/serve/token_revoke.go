package serve

import (
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func tokenRevokeCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke NAME",
		Short:   "Make a token good no more, at once",
		Example: `  handoff token revoke ci`,
		Long:    "What was sent with it stays, and so does its name. Revoking it again changes nothing.",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			out, raw, err := cli.Call[schemas.TokenRevokeOut](cmd.Context(), a, "token_revoke", cli.Arguments{"name": given[0]})
			if err != nil {
				return err
			}
			return a.Print(raw, func(p *cli.Page) {
				p.Line("token %s is revoked since %s", p.Bold(out.Token.Name), out.Token.Revoked.In(p.Now.Location()).Format(time.DateTime))
			})
		},
	}
}
