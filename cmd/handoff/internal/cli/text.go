package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AboutSources is told in the help of commands that take texts.
const AboutSources = `Each text, flag or argument, may be "-" for standard input or @FILE, also behind the = of NAME=VALUE; @@ begins
a text that begins with @.`

// Text gives a text that somebody said for a flag or an argument: what a file or standard input holds where the text
// names one of these, without the ends of line behind it. All texts of command lines come through here, so no name of
// a place is ever taken for what it holds.
func (a *App) Text(ctx context.Context, name, said string) (string, error) {
	place := placeIn(said)
	if place == "" {
		return plain(said), nil
	}
	content, err := a.Input(ctx, name, place)
	return strings.TrimRight(string(content), "\r\n"), err
}

// Words gives the text that the words of an argument make together.
func (a *App) Words(ctx context.Context, name string, given []string) (string, error) {
	return a.Text(ctx, name, strings.Join(given, " "))
}

// readTexts reads the texts of flags that name where they are.
func (a *App) readTexts(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if f, ok := flag.Value.(*formed); ok && f.elsewhere && err == nil {
			err = f.read(cmd.Context(), a, "--"+flag.Name)
		}
	})
	return err
}

// placeIn is where a text is to be read from, empty if it says nothing of the kind.
func placeIn(said string) string {
	if said == "-" {
		return said
	}
	if path, ok := strings.CutPrefix(said, "@"); ok && !strings.HasPrefix(path, "@") {
		return path
	}
	return ""
}

// plain is a text that names no place.
func plain(said string) string {
	if strings.HasPrefix(said, "@@") {
		return said[1:]
	}
	return said
}
