package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// Exit is the error of a command that has said all there is to say: the program ends with this status and
// without a message.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Report writes an error where its reader looks for it and gives the exit status.
func (a *App) Report(cmd *cobra.Command, err error) int {
	var exit Exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	coded := a.coded(cmd, err)
	hint, render := coded.Hint, schemas.Advice.String
	if cmd.Name() != "call" { // who calls tools is told of tools
		hint = a.sayAgain(Advice(hint, coded.Handoff, func(flag string) bool { return cmd.Flag(flag) != nil }))
		render = a.Advice
	}
	if a.JSON {
		a.printJSONError(coded)
	}
	ways := []string{hint}
	for _, next := range coded.Next {
		ways = append(ways, render(next))
	}
	a.PrintError(coded, ways...)
	return schemas.Codes[coded.Code].Exit
}

// coded gives the coded error within err. All of ours are; others are of the flag parser.
func (a *App) coded(cmd *cobra.Command, err error) *schemas.Error {
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		return e
	}
	return schemas.Errorf(schemas.Invalid, "%s", strings.TrimSpace(err.Error())).
		WithHint("%s --help shows how it is used.", cmd.CommandPath())
}

// PrintError prints an error for people, with the ways out in the words of commands.
func (a *App) PrintError(e *schemas.Error, ways ...string) {
	fmt.Fprintf(a.Stderr, "handoff: %s\n", schemas.Visible(e.Error()))
	if len(e.Known) > 0 && !strings.Contains(strings.Join(ways, " "), e.Known[0]) {
		fmt.Fprintf(a.Stderr, "  Known: %s\n", schemas.Visible(strings.Join(e.Known, ", ")))
	}
	for _, way := range ways {
		if way != "" {
			fmt.Fprintf(a.Stderr, "  %s\n", schemas.Visible(way))
		}
	}
}

// printJSONError writes what a tool call answers with when it is refused.
func (a *App) printJSONError(e *schemas.Error) {
	if b, err := json.Marshal(e); err == nil {
		fmt.Fprintln(a.Stdout, Inert(b))
	}
}
