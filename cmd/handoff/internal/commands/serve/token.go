package serve

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// Spellings are how calls of tools are said in these commands.
var Spellings = []cli.Spelling{{Tool: "token_list", Command: "token list"}}

func tokenCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Say who may call over HTTP, and as which agents",
		Example: `  handoff token add ci --agents qa,release --expires 90d
  handoff token list
  handoff token revoke ci`,
		Long: `A token belongs to a workspace and is known to the server of handoff serve --http from the next request on, as
is that it was revoked. Once a workspace has had a token, nobody is served over HTTP without one.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tokenAddCommand(a), tokenListCommand(a), tokenRevokeCommand(a))
	return cmd
}

func tokenListCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.TokenListOut]{Tool: "token_list", Print: printTokens}.Of(a, &cobra.Command{
		Use:   "list",
		Short: "List tokens, also those that are good no more",
		Example: `  handoff token list
  handoff token list --json | jq -r '.tokens[] | select(.revoked_at == null) | .name'`,
		Args: cobra.NoArgs,
	})
}

func printTokens(p *cli.Page, out schemas.TokenListOut) {
	var rows [][]string
	for _, t := range out.Tokens {
		rows = append(rows, []string{
			t.Name, cli.TokenAgents(t), string(t.Scope), cli.TokenState(t, p.Now), expiryText(p, t),
			number(t.Rate), number(float64(t.Pending)),
		})
	}
	p.List("no token yet", []string{"TOKEN", "AGENTS", "SCOPE", "STATE", "EXPIRES", "RATE", "PENDING"}, rows)
}

func expiryText(p *cli.Page, t schemas.Token) string {
	if t.Expires == nil {
		return "never"
	}
	return t.Expires.In(p.Now.Location()).Format("2006-01-02 15:04")
}

// number writes a limit, "" for the usual one.
func number(n float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func tokenRevokeCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.TokenRevokeOut]{
		Tool: "token_revoke", Place: "name",
		Print: func(p *cli.Page, out schemas.TokenRevokeOut) {
			since := out.Token.Revoked.In(p.Now.Location()).Format(time.DateTime)
			p.Line("token %s is revoked since %s", p.Bold(out.Token.Name), since)
		},
	}.Of(a, &cobra.Command{
		Use:     "revoke NAME",
		Short:   "Make a token good no more, at once",
		Example: `  handoff token revoke ci`,
		Long:    "What was sent with it stays, and so does its name. Revoking it again changes nothing.",
		Args:    cobra.ExactArgs(1),
	})
}
