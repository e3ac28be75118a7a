package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// A Field is a flag that sets an argument of a tool. Its path leads to the argument through objects, as
// "expectations.strict". One without a path sets none: the command asks for what was given with [Given].
type Field struct {
	Flag  string
	path  string
	form  form
	help  string
	short string
}

// Short is the field with a flag of one letter besides.
func (f Field) Short(letter string) Field {
	f.short = letter
	return f
}

// Arguments are those of a tool, as JSON has them.
type Arguments map[string]any

// Bind gives a command the flags, in their order.
func Bind(cmd *cobra.Command, fields []Field) {
	flags := cmd.Flags()
	flags.SortFlags = false
	for _, f := range fields {
		flag := flags.VarPF(&formed{form: f.form}, f.Flag, f.short, f.help)
		if f.form.kind == kindSwitch {
			flag.NoOptDefVal = "true"
		}
	}
}

// Given are the texts of a field of several, none if it was not given.
func Given(cmd *cobra.Command, flag string) []string {
	texts, _ := cmd.Flags().Lookup(flag).Value.(*formed).argument.([]string)
	return texts
}

// Set puts the fields that were given and have a path into the arguments, over what is there.
func (args Arguments) Set(cmd *cobra.Command, fields []Field) error {
	for _, f := range fields {
		flag := cmd.Flags().Lookup(f.Flag)
		if !flag.Changed || f.path == "" {
			continue
		}
		if err := args.Put(f.path, flag.Value.(*formed).argument); err != nil {
			return schemas.Invalidf("--"+f.Flag, "%w", err)
		}
	}
	return nil
}

// Put sets the value at a path, making the objects on the way.
func (args Arguments) Put(path string, value any) error {
	object := map[string]any(args)
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		if object[name] == nil {
			object[name] = map[string]any{}
		}
		inner, ok := object[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%s is no object in the message, so %s cannot be set in it", name, path)
		}
		object = inner
	}
	object[names[len(names)-1]] = value
	return nil
}

// A ToolCommand is what a command does that makes one call of a tool and prints its result.
type ToolCommand[Out any] struct {
	Tool   string
	Fields []Field
	Place  string                    // the argument of the tool that the first word gives; empty for none
	Rest   string                    // the text that all other words give; empty for none
	Many   bool                      // each word is a place: the call is made for one after another
	Open   bool                      // with Many: --workflow names all of a workflow that has not ended
	Held   bool                      // without a place it is the handoff that the caller holds, if that is one
	File   bool                      // a whole message may come with --file; everything else is set over it
	Flags  func(cmd *cobra.Command)  // declares flags that are no fields; nil for none
	Print  func(p *Page, result Out) // for people

	// Arguments sets what no field and no place says, after those; nil for nothing.
	Arguments func(cmd *cobra.Command, given []string, args Arguments) error

	// Call makes the call where it takes others besides; nil for the one of the tool.
	Call func(ctx context.Context, conn *Connection, args Arguments) (Out, json.RawMessage, error)

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
		cmd.Flags().StringVar(&file, "file", "", "a whole message, JSON, YAML or Markdown, from this `file`, - for standard input")
	}
	show := a.Print
	if t.ID != nil {
		a.Limits.BindHidden(cmd)
		Silent(cmd, &silent, "print the id only")
		show = a.PrintWithMail
	}
	tell := func(out Out, raw json.RawMessage) error {
		if silent {
			return a.Write(t.ID(out) + "\n")
		}
		return show(raw, func(p *Page) { t.Print(p, out) })
	}
	if t.Many {
		return t.many(a, cmd, tell)
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args, err := t.arguments(a, cmd, file, given)
		if err != nil {
			return err
		}
		var out Out
		var raw json.RawMessage
		err = a.Act(cmd.Context(), t.Tool, func(conn *Connection) error {
			if t.Held && args[t.Place] == nil {
				if args[t.Place], err = conn.held(cmd.Context()); err != nil {
					return err
				}
			}
			if t.Call != nil {
				out, raw, err = t.Call(cmd.Context(), conn, args)
			} else {
				raw, err = conn.Call(cmd.Context(), t.Tool, args, &out)
			}
			return err
		})
		if err != nil {
			return err
		}
		return tell(out, raw)
	}
	return cmd
}

// Silent gives a command the flag that leaves only the least of what it prints.
func Silent(cmd *cobra.Command, silent *bool, help string) {
	cmd.Flags().BoolVarP(silent, "silent", "q", false, help)
}

func (t ToolCommand[Out]) arguments(a *App, cmd *cobra.Command, file string, given []string) (Arguments, error) {
	args, err := a.Message(cmd.Context(), t.Tool, file)
	if err != nil {
		return nil, err
	}
	if t.Place != "" && len(given) > 0 {
		if said := args[t.Place]; t.Place == "handoff_id" && said != nil && said != given[0] {
			if err := args.Put("origin.handoff_id", said); err != nil { // the id in another system
				return nil, err
			}
		}
		args[t.Place] = given[0]
	}
	if err := args.Set(cmd, t.Fields); err != nil {
		return nil, err
	}
	if t.Rest != "" && len(given) > 1 {
		if err := t.rest(a, cmd, given[1:], args); err != nil {
			return nil, err
		}
	}
	if t.Arguments == nil {
		return args, nil
	}
	return args, t.Arguments(cmd, given, args)
}

// rest sets the text that words say, which no flag may say besides.
func (t ToolCommand[Out]) rest(a *App, cmd *cobra.Command, words []string, args Arguments) error {
	for _, f := range t.Fields {
		if f.path == t.Rest && cmd.Flags().Changed(f.Flag) {
			return schemas.Invalidf("--"+f.Flag, "is given beside the words behind the first argument, which say the same").
				WithHint("Give one of them.")
		}
	}
	text, err := a.Words(cmd.Context(), t.Rest, words)
	if err != nil {
		return err
	}
	return args.Put(t.Rest, text)
}
