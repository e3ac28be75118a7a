package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
)

// A field is a flag that sets an argument of a tool. Path leads to it through objects: "expectations.strict".
type field struct {
	flag, path string
	form       func() form // of the value, see forms.go
	help       string
}

// A form is the value of a flag, and as what it goes into the arguments.
type form interface {
	pflag.Value
	argument() any
}

// arguments are those of a tool, as JSON has them.
type arguments map[string]any

// bind gives a command the flags, in their order.
func bind(cmd *cobra.Command, fields []field) {
	flags := cmd.Flags()
	flags.SortFlags = false
	for _, f := range fields {
		flag := flags.VarPF(f.form(), f.flag, "", f.help)
		if flag.Value.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
	}
}

// set puts the fields that were given into the arguments, over what is there.
func (args arguments) set(cmd *cobra.Command, fields []field) error {
	for _, f := range fields {
		flag := cmd.Flags().Lookup(f.flag)
		if !flag.Changed {
			continue
		}
		if err := args.put(f.path, flag.Value.(form).argument()); err != nil {
			return schemas.Invalidf("--"+f.flag, "%w", err)
		}
	}
	return nil
}

// put sets the value at a path, making the objects on the way.
func (args arguments) put(path string, value any) error {
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
