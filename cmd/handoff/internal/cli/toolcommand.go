package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// ToolCommand describes a command that makes one call of a tool and prints its result.
type ToolCommand[Out any] struct {
	Tool          string
	Fields        []Field
	Place         string                    // the argument for the first word; empty for none
	Rest          string                    // the text argument for all other words; empty for none
	Many          bool                      // each word is a place: the command makes a call for each
	WholeWorkflow bool                      // with Many: --workflow names all open handoffs of a workflow
	DefaultHeld   bool                      // the default place is the handoff that the caller holds, if it holds exactly one
	File          bool                      // --file may give a whole message; flags and words override it
	Flags         func(cmd *cobra.Command)  // declares flags that are no fields; nil for none
	Print         func(p *Page, result Out) // for people

	// Arguments sets further arguments, after fields and places; nil for none.
	Arguments func(cmd *cobra.Command, given []string, args Arguments) error

	// Call calls the tool. A command sets it if it also makes other calls. If Call is nil, the command only calls the
	// tool.
	Call func(ctx context.Context, conn *Connection, args Arguments) (Out, json.RawMessage, error)

	// Then goes on with the result of the call, and prints in place of Print and ID. It is nil for most commands.
	Then func(ctx context.Context, result Out, raw json.RawMessage) error

	// ID returns the output of --silent. It is nil for a command that only reads. A command with ID has the flags about
	// limits of the store, because it may own the store while it runs. Its page ends with the caller's pending mail.
	ID func(result Out) string
}

// Configure gives cmd this behaviour, and returns cmd.
func (t ToolCommand[Out]) Configure(a *App, cmd *cobra.Command) *cobra.Command {
	var file string
	var silent bool
	DefineFlags(cmd, t.Fields)
	if t.Flags != nil {
		t.Flags(cmd)
	}
	if t.File {
		cmd.Flags().StringVar(&file, "file", "", "a whole message, JSON, YAML or Markdown, from this `file`, - for standard input")
	}
	if t.File && resultPaths[t.Tool] != "" {
		cmd.Flags().String(fromLog, "", "the payload of an agent in this `file`, its log,  - for standard input")
		cmd.MarkFlagsMutuallyExclusive("file", fromLog)
	}
	if t.ID != nil {
		a.Limits.DefineHiddenFlags(cmd)
		cmd.Flags().BoolVarP(&silent, "silent", "q", false, "print the id only")
	}
	tell := func(out Out, raw json.RawMessage, last bool) error {
		show := a.Print
		if t.ID != nil && last {
			show = a.PrintWithMail
		}
		if silent {
			return a.printID(t.ID(out), raw)
		}
		return show(raw, func(p *Page) { t.Print(p, out) })
	}
	if t.Many {
		return t.configureForSeveral(a, cmd, tell)
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args, err := t.readArguments(a, cmd, file, given)
		if err != nil {
			return err
		}
		out, raw, err := t.callOnce(cmd, a, args)
		switch {
		case err != nil:
			return err
		case t.Then != nil:
			return t.Then(cmd.Context(), out, raw)
		}
		return tell(out, raw, true)
	}
	return cmd
}

// callOnce makes the one call of a command.
func (t ToolCommand[Out]) callOnce(cmd *cobra.Command, a *App, args Arguments) (out Out, raw json.RawMessage, err error) {
	ctx := cmd.Context()
	err = a.ConnectAsCaller(ctx, t.Tool, func(conn *Connection) (err error) {
		if t.DefaultHeld && args[t.Place] == nil {
			if args[t.Place], err = conn.heldHandoff(ctx); err != nil {
				return err
			}
		}
		if t.Call != nil {
			out, raw, err = t.Call(ctx, conn, args)
		} else {
			raw, err = conn.Call(ctx, t.Tool, args, &out)
		}
		return conn.nameHandoffs(cmd, args[t.Place], err)
	})
	return out, raw, err
}

// nameHandoffs adds a command for each handoff of a workflow to the refusal of its id in the place of a handoff.
func (conn *Connection) nameHandoffs(cmd *cobra.Command, id any, err error) error {
	workflow, _ := id.(string)
	refused := schemas.AsError(err)
	if !strings.HasPrefix(workflow, "wf_") || refused == nil || refused.Code != schemas.NotFound {
		return err
	}
	items, _ := conn.ListAll(cmd.Context(), schemas.ListIn{Box: "all", Workflow: workflow}) // none of an unknown workflow
	if len(items) == 0 {
		return err
	}
	return refused.WithHint("That is a workflow. For one of its handoffs: %s.", schemas.JoinFirst(
		schemas.Map(items, func(item schemas.ListItem) string {
			return fmt.Sprintf("%s %s (%s)", cmd.CommandPath(), item.HandoffID, item.Status)
		}), maxListed))
}

// readArguments returns the arguments of the call. They come from a message, and from the words and flags of the
// command line, which override the message.
func (t ToolCommand[Out]) readArguments(a *App, cmd *cobra.Command, file string, given []string) (Arguments, error) {
	args, err := t.readMessage(a, cmd, file, given)
	if err != nil {
		return nil, err
	}
	written, _ := args[t.Rest].(string)
	if err := args.SetFields(cmd, t.Fields); err != nil {
		return nil, err
	}
	if t.Rest != "" && len(given) > 1 {
		if err := t.setRemainingWords(a, cmd, given[1:], args); err != nil {
			return nil, err
		}
	}
	if written != "" && args[t.Rest] != written {
		fmt.Fprintf(a.Stderr, "handoff: the %s of %s is left out, because the command line says another\n", t.Rest, file)
	}
	if t.Arguments == nil {
		return args, nil
	}
	return args, t.Arguments(cmd, given, args)
}

// readMessage returns the arguments from the message or log that flags name. The first word of the command line is the
// id of the handoff.
func (t ToolCommand[Out]) readMessage(a *App, cmd *cobra.Command, file string, given []string) (Arguments, error) {
	id := ""
	if t.Place == "handoff_id" && len(given) > 0 {
		id = given[0]
	}
	args, err := a.ReadMessage(cmd.Context(), t.Tool, id, file)
	if log, _ := cmd.Flags().GetString(fromLog); log != "" {
		args, err = a.readPayloadArguments(cmd.Context(), t.Tool, id, log)
	}
	if err != nil || t.Place == "" || len(given) == 0 {
		return args, err
	}
	said := args[t.Place]
	args[t.Place] = given[0]
	if id == "" || said == nil || said == id {
		return args, nil
	}
	return args, args.SetPath("origin.handoff_id", said) // the id in another system
}

// setRemainingWords joins the words behind the first argument to a text, and sets the argument that takes this text. It
// returns an error if a flag sets the same argument.
func (t ToolCommand[Out]) setRemainingWords(a *App, cmd *cobra.Command, words []string, args Arguments) error {
	for _, f := range t.Fields {
		if f.path == t.Rest && cmd.Flags().Changed(f.Flag) {
			return schemas.Invalidf("--"+f.Flag, "is given, and the words behind %q are a second %s", schemas.Clip(cmd.Flags().Arg(0), 80), f.Flag).
				WithHint("Give one of them.%s", map[bool]string{true: " A title goes into --title."}[cmd.Flags().Lookup("title") != nil])
		}
	}
	text, err := a.ReadText(cmd.Context(), t.Rest, strings.Join(words, " "))
	if err != nil {
		return err
	}
	return args.SetPath(t.Rest, text)
}

// configureForSeveral makes cmd call the tool for each named handoff, in their order. After a refusal it prints the
// error and continues with the next handoff. The exit status is the status of the first refusal.
func (t ToolCommand[Out]) configureForSeveral(a *App, cmd *cobra.Command, tell func(Out, json.RawMessage, bool) error) *cobra.Command {
	var workflow string
	if t.WholeWorkflow {
		AddWorkflowFlag(cmd, &workflow)
	}
	cmd.Args = RequireHandoffOrWorkflow(&workflow)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args, err := t.readArguments(a, cmd, "", nil)
		if err != nil {
			return err
		}
		if t.WholeWorkflow {
			given = TakeWorkflow(given, &workflow)
		}
		return a.ConnectAsCaller(cmd.Context(), t.Tool, func(conn *Connection) error {
			ids, err := conn.HandoffsOrWorkflow(cmd.Context(), given, workflow)
			if err != nil {
				return err
			}
			if len(ids) == 0 && !a.JSON {
				return a.Write("nothing of it is open\n")
			}
			if workflow != "" && a.IsTerminal(a.Stdin) {
				question := fmt.Sprintf("%s: %s of %s.", cmd.CommandPath(), schemas.JoinFirst(ids, maxListed), workflow)
				if err := a.Confirm(cmd.Context(), question); err != nil {
					return err
				}
			}
			return t.callForEach(cmd, conn, args, ids, tell)
		})
	}
	return cmd
}

func (t ToolCommand[Out]) callForEach(
	cmd *cobra.Command, conn *Connection, args Arguments, ids []string, tell func(Out, json.RawMessage, bool) error,
) error {
	var failed error
	for i, id := range ids {
		var out Out
		args[t.Place] = id
		raw, err := conn.Call(cmd.Context(), t.Tool, args, &out)
		err = conn.nameHandoffs(cmd, id, err)
		switch {
		case err != nil && len(ids) == 1:
			return err
		case err == nil:
			err = tell(out, raw, i == len(ids)-1)
		default:
			failed = cmp.Or(failed, error(ExitStatus(conn.App.Report(cmd, err))))
		}
		if cmd.Context().Err() != nil {
			return err
		}
	}
	return failed
}

// maxListed is the number of handoffs that a question names.
const maxListed = 20

// TakeWorkflow returns the ids of handoffs on a command line. If the only id is one of a workflow, it becomes the
// workflow of the command, as with the flag of [AddWorkflowFlag].
func TakeWorkflow(given []string, workflow *string) []string {
	if len(given) != 1 || !strings.HasPrefix(given[0], "wf_") {
		return given
	}
	*workflow = given[0]
	return nil
}

// AddWorkflowFlag adds the flag that selects all handoffs of a workflow, see [Connection.HandoffsOrWorkflow].
func AddWorkflowFlag(cmd *cobra.Command, workflow *string) {
	cmd.Flags().StringVar(workflow, "workflow", "", "all of this `workflow` that have not ended")
}

// RequireHandoffOrWorkflow returns a check of arguments that requires at least one handoff, unless the flag names a
// workflow.
func RequireHandoffOrWorkflow(workflow *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if *workflow != "" {
			return cobra.NoArgs(cmd, given)
		}
		return cobra.MinimumNArgs(1)(cmd, given)
	}
}

// HandoffsOrWorkflow returns the given handoffs or, if workflow is not empty, the open handoffs of the workflow. The
// handoffs of a workflow come newest first, so that the end of one handoff causes no needless messages to later
// handoffs. The error is not_found for an unknown workflow.
func (conn *Connection) HandoffsOrWorkflow(ctx context.Context, given []string, workflow string) ([]string, error) {
	if workflow == "" {
		return given, nil
	}
	items, err := conn.ListAll(ctx, schemas.ListIn{Box: "all", Workflow: workflow, Status: schemas.Open})
	if err == nil && len(items) == 0 {
		_, err = conn.Call(ctx, "handoff_history", schemas.HistoryIn{Workflow: workflow, Limit: 1}, nil)
	}
	return idsOf(items), err
}

// ListAll returns all rows of a list.
func (conn *Connection) ListAll(ctx context.Context, in schemas.ListIn) (items []schemas.ListItem, err error) {
	for in.Limit = PageLimit; ; {
		var page schemas.ListOut
		if _, err := conn.Call(ctx, "list_handoffs", in, &page); err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if in.Cursor = page.Cursor; in.Cursor == "" {
			return items, nil
		}
	}
}

// PageLimit is the largest page of list_handoffs.
const PageLimit = 50

func idsOf(items []schemas.ListItem) []string {
	return schemas.Map(items, func(item schemas.ListItem) string { return item.HandoffID.String() })
}

// heldHandoff returns the id of the handoff that the caller holds. If the caller holds none or several, it returns an
// error.
func (conn *Connection) heldHandoff(ctx context.Context) (id string, err error) {
	items, err := conn.ListAll(ctx, schemas.ListIn{Box: "claimed"})
	switch {
	case err != nil:
		return "", err
	case len(items) == 1:
		return items[0].HandoffID.String(), nil
	case len(items) == 0:
		return "", schemas.Invalidf("handoff_id", "%s holds nothing", conn.By.Agent).
			WithNext(schemas.AdviseCall(schemas.ClaimIn{}, "takes the next one"))
	}
	return "", schemas.Invalidf("handoff_id", "%s holds several", conn.By.Agent).
		WithHint("Name one of them.").WithChoices(idsOf(items)...)
}
