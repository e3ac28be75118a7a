package cli

import (
	"github.com/spf13/cobra"
)

// A ToolCommand is what a command does that makes one call of a tool and prints its result.
type ToolCommand[Out any] struct {
	Tool   string
	Fields []Field
	Place  string                    // the argument of the tool that the first word gives; empty for none
	File   bool                      // a whole message may come with --file; everything else is set over it
	Flags  func(cmd *cobra.Command)  // declares flags that are no fields; nil for none
	Print  func(p *Page, result Out) // for people

	// Arguments sets what no field and no place says, after those; nil for nothing.
	Arguments func(cmd *cobra.Command, given []string, args Arguments) error

	// ID gives what --silent prints. A command that has it moves work: it takes the limits of the store, which it may
	// own for a moment, and its page ends with the mail that waits. Nil for other commands.
	ID func(result Out) string
}

// Of makes this what cmd does, and gives cmd.
func (t ToolCommand[Out]) Of(a *App, cmd *cobra.Command) *cobra.Command {
	var file string
	var silent bool
	Bind(cmd, t.Fields)
	if t.Flags != nil {
		t.Flags(cmd)
	}
	if t.File {
		cmd.Flags().StringVar(&file, "file", "", "a whole message from this `file`, - for standard input")
	}
	show := a.Print
	if t.ID != nil {
		a.Limits.BindHidden(cmd)
		cmd.Flags().BoolVar(&silent, "silent", false, "print the id only")
		show = a.PrintWithMail
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args, err := t.arguments(a, cmd, file, given)
		if err != nil {
			return err
		}
		out, raw, err := Call[Out](cmd.Context(), a, t.Tool, args)
		switch {
		case err != nil:
			return err
		case silent:
			return a.Write(t.ID(out) + "\n")
		}
		return show(raw, func(p *Page) { t.Print(p, out) })
	}
	return cmd
}

func (t ToolCommand[Out]) arguments(a *App, cmd *cobra.Command, file string, given []string) (Arguments, error) {
	args, err := a.Message(t.Tool, file)
	if err != nil {
		return nil, err
	}
	if t.Place != "" && len(given) > 0 {
		args[t.Place] = given[0]
	}
	if err := args.Set(cmd, t.Fields); err != nil || t.Arguments == nil {
		return args, err
	}
	return args, t.Arguments(cmd, given, args)
}
