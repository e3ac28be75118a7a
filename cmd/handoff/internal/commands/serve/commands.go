// Package serve has the servers of handoff, and two commands for operators. The command "mcp" serves one client over
// standard input and output. The command "serve" keeps a workspace open without a client, and can serve it over HTTP.
// The command "token" makes and lists the tokens of callers over HTTP. The command "logs" shows the log of the process
// that owns the workspace.
//
// A signal ends both servers in good order, within the time that the system gives them (see [platform.BeginLife]). Only
// this package has the flags about the network and the log.
package serve

import (
	"embed"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily], and tables of
// their flags, for [cli.ReadFields].
//
//go:embed help_*.txt fields_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return cli.NewFamily(helpTexts, mcpCommand(a), serveCommand(a), tokenCommand(a), logsCommand(a))
}

// logOptions are the flags of serve about its log.
type logOptions struct {
	format, level string
}

func (l *logOptions) defineFlags(flags *pflag.FlagSet) {
	flags.StringVar(&l.format, "log-format", "text", "`form` of the log: text or json")
	flags.StringVar(&l.level, "log-level", "info", "lowest `level` that is logged: debug, info, warn or error")
	cli.AllowEnvironment(flags)
}

// newLogger returns a logger that writes to w in the format and at the level of the flags. The log never contains
// bodies of requests or secrets.
func (l *logOptions) newLogger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil || strings.ContainsAny(l.level, "+-") {
		return nil, schemas.Invalidf("--log-level", "%q is not a level", schemas.EscapeHidden(l.level)).
			WithHint("Write debug, info, warn or error.")
	}
	options := &slog.HandlerOptions{Level: level}
	switch l.format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, schemas.Invalidf("--log-format", "%q is not a form", schemas.EscapeHidden(l.format)).
		WithHint("Write text or json.")
}
