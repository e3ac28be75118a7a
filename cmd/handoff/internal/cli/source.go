package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
)

// A sourced form may say where its value is instead of what it is: "-" is standard input and "@FILE" a file;
// "@@" begins a text that begins with "@".
type sourced interface {
	form
	source() string
	fill(content string) error
}

// AboutSources is told in the help of commands that have such flags.
const AboutSources = `--summary, --detail and flags for JSON also take "-" for standard input, or @FILE; @@ begins a text that
begins with @.`

// readSources puts what was named into the flags that name where their value is.
func (a *App) readSources(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		s, ok := f.Value.(sourced)
		if !ok || err != nil {
			return
		}
		path, ok := path(s.source())
		if !ok {
			return
		}
		var content []byte
		if content, err = a.Input("--"+f.Name, path); err != nil {
			return
		}
		if wrong := s.fill(strings.TrimRight(string(content), "\r\n")); wrong != nil {
			err = schemas.Invalidf("--"+f.Name, "%s: %w", path, wrong)
		}
	})
	return err
}

// path is where a value is to be read from, if it says so.
func path(given string) (path string, ok bool) {
	if given == "-" {
		return given, true
	}
	path, ok = strings.CutPrefix(given, "@")
	return path, ok && !strings.HasPrefix(path, "@")
}

// contentForm is one text, perhaps a long one.
type contentForm struct {
	textForm
	said string // on the command line
}

func (f *contentForm) Set(s string) error {
	f.said = s
	if strings.HasPrefix(s, "@@") {
		s = s[1:]
	}
	return f.textForm.Set(s)
}
func (f *contentForm) source() string            { return f.said }
func (f *contentForm) fill(content string) error { return f.textForm.Set(content) }
