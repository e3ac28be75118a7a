// Package serve has the servers, and the commands that look after them: mcp serves one client over standard input and
// output, serve keeps a workspace served without a client, also over HTTP; token lists and makes the tokens for callers
// over HTTP, and logs shows the log of the process that owns the workspace.
//
// The two servers begin and end by [platform.BeginLife]: a signal ends them in good order, and they never outlive the
// time that the system gives them. The flags about the network and the log are this package's alone.
package serve

import (
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{mcpCommand(a), serveCommand(a), tokenCommand(a), logsCommand(a)}
}

// logging are the flags of serve about its log.
type logging struct {
	format, level string
}

func (l *logging) bind(flags *pflag.FlagSet) {
	flags.StringVar(&l.format, "log-format", "text", "`form` of the log: text or json")
	flags.StringVar(&l.level, "log-level", "info", "lowest `level` that is logged: debug, info, warn or error")
	cli.FromEnvironment(flags)
}

// logger returns a logger as the flags say. It has no bodies and no secrets at any level.
func (l *logging) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil || strings.ContainsAny(l.level, "+-") {
		return nil, schemas.Invalidf("--log-level", "%q is not a level", schemas.Visible(l.level)).
			WithHint("Write debug, info, warn or error.")
	}
	options := &slog.HandlerOptions{Level: level}
	switch l.format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, schemas.Invalidf("--log-format", "%q is not a form", schemas.Visible(l.format)).
		WithHint("Write text or json.")
}
