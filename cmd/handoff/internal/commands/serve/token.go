package serve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mcp/auth"
	"handoff/schemas"
)

// Spellings are the command lines for calls of tools.
var Spellings = []cli.CommandSpelling{{Tool: "token_list", Command: "token list"}}

func tokenCommand(a *cli.App) *cobra.Command {
	return cli.AddSubcommands(&cobra.Command{Use: "token"}, tokenAddCommand(a), tokenListCommand(a), tokenRevokeCommand(a))
}

func tokenListCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.TokenListOut]{Tool: "token_list", Print: printTokens}.Configure(a, &cobra.Command{Use: "list"})
}

func printTokens(p *cli.Page, out schemas.TokenListOut) {
	rows := schemas.Map(out.Tokens, func(t schemas.Token) []string {
		expires := "never"
		if t.Expires != nil {
			expires = t.Expires.In(p.Now.Location()).Format("2006-01-02 15:04")
		}
		return []string{
			t.Name, cli.JoinAll(t.Agents), string(t.Scope), cli.TokenState(t, p.Now), expires,
			formatNumber(t.Rate), formatNumber(float64(t.Pending)),
		}
	})
	p.AddTable("no token yet", []string{"TOKEN", "AGENTS", "SCOPE", "STATE", "EXPIRES", "RATE", "PENDING"}, rows)
}

// formatNumber writes a limit, "" for the default.
func formatNumber(n float64) string {
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
			p.AddLine("token %s is revoked since %s", p.Bold(out.Token.Name), since)
		},
	}.Configure(a, &cobra.Command{Use: "revoke NAME", Args: cobra.ExactArgs(1)})
}

func tokenAddCommand(a *cli.App) *cobra.Command {
	var expires, secret string
	return cli.ToolCommand[schemas.TokenAddOut]{
		Tool: "token_add", Place: "name", Fields: cli.ReadFields(helpTexts, "token_add"),
		Flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&expires, "expires", "never", "after a `time` such as 30d or 12h, or at a date such as 2026-12-31")
		},
		Arguments: func(_ *cobra.Command, _ []string, args cli.Arguments) error {
			secret = auth.NewSecret(rand.Reader)
			args["hash"] = auth.HashSecret(secret)
			at, err := parseExpiry(expires, a.Now())
			if !at.IsZero() {
				args["expires"] = at
			}
			return err
		},
		Then: func(_ context.Context, out schemas.TokenAddOut, _ json.RawMessage) error {
			made := map[string]any{"token": out.Token, "secret": secret}
			err := a.PrintValue(made, func(p *cli.Page) { p.AddLine("%s", secret) })
			if err == nil && !a.JSON {
				printTokenUsage(a, out.Token)
			}
			return err
		},
	}.Configure(a, &cobra.Command{Use: "add NAME", Args: cobra.ExactArgs(1)})
}

// parseExpiry parses the time at which a token expires. For "never" it returns the zero time. For a date without a time
// it returns the beginning of that day, in the time zone of now.
func parseExpiry(said string, now time.Time) (time.Time, error) {
	if said == "never" {
		return time.Time{}, nil
	}
	at, err := schemas.ParseTime("--expires", said, now)
	if err != nil || at.IsZero() {
		return at, schemas.Invalidf("--expires", "%q is not a time", schemas.EscapeHidden(said)).
			WithHint("Write a duration as 30d or 12h, a date as 2026-12-31, or never.")
	}
	return at, nil
}

// printTokenUsage says on standard error how to use a new token. It does not print the secret again.
func printTokenUsage(a *cli.App, t schemas.Token) {
	fmt.Fprintf(a.Stderr, `Token %s acts as %s. Its secret is shown only now. Put it into HANDOFF_TOKEN where the clients are, and run
  handoff setup --http URL --token-env HANDOFF_TOKEN   # gives each client one of these names
`, t.Name, cli.JoinAll(t.Agents))
}
