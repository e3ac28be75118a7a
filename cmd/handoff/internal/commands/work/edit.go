package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/textformat"
	"handoff/schemas"
)

func editCommand(a *cli.App) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:  "edit ID",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error { return editHandoff(cmd.Context(), a, given[0], file) },
	}
	cmd.Flags().StringVar(&file, "file", "", "take the document from this `file`, - for standard input, and open no editor")
	a.Limits.DefineHiddenFlags(cmd)
	return cmd
}

// editedHandoff is a handoff in the form in which a person edits it. The YAML text has its fields in this order. The tag
// path has the argument that changes the field.
type editedHandoff struct {
	To                string            `path:"to"`
	Title             string            `path:"changes.title"`
	Type              string            `path:"changes.type"`
	Priority          string            `path:"changes.priority"`
	Deadline          string            `path:"changes.deadline"`
	Timeout           string            `path:"changes.expectations.timeout"`
	Review            string            `path:"changes.expectations.review"`
	EstimatedDuration string            `path:"changes.expectations.estimated_duration" yaml:"estimated_duration"`
	Tags              []string          `path:"changes.tags"                            yaml:"tags,flow"`
	Task              string            `path:"changes.task"`
	Summary           string            `path:"changes.summary"`
	Detail            string            `path:"changes.detail"`
	Data              map[string]string // its names have paths of their own
	Criteria          []string          `path:"changes.expectations.success_criteria"`
	Constraints       []string          `path:"changes.expectations.constraints"`
	IfStuck           []string          `path:"changes.expectations.if_stuck"           yaml:"if_stuck"`
	Checks            []string          `path:"changes.expectations.checks"`
}

func newEditedHandoff(h *schemas.Handoff) editedHandoff {
	e := cmp.Or(h.Expectations, &schemas.Expectations{})
	w := editedHandoff{
		To: string(h.Target.Address()), Title: h.Title, Type: h.Type, Priority: string(h.Metadata.Priority),
		Timeout: e.Timeout, Review: e.Review,
		EstimatedDuration: e.EstimatedDuration, Tags: h.Tags, Task: h.Task, Summary: h.Summary, Detail: h.Detail, Data: h.Data,
		Criteria: e.SuccessCriteria, Constraints: e.Constraints, IfStuck: e.IfStuck, Checks: e.Checks,
	}
	if h.Metadata.Deadline != nil {
		w.Deadline = h.Metadata.Deadline.Local().Format(time.RFC3339)
	}
	return w
}

// argumentsToReach returns the arguments that turn before into after.
func (before editedHandoff) argumentsToReach(after editedHandoff) (cli.Arguments, error) {
	args := cli.Arguments{}
	set := func(path string, value any) { _ = args.SetPath(path, value) } // all are objects
	var emptied []string
	old, edited := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range old.NumField() {
		path := old.Type().Field(i).Tag.Get("path")
		name := path[strings.LastIndex(path, ".")+1:]
		switch now := edited.Field(i).Interface().(type) {
		case string:
			switch {
			case strings.TrimSpace(old.Field(i).String()) == strings.TrimSpace(now):
			case strings.TrimSpace(now) != "":
				set(path, now)
			case slices.Contains([]string{"to", "title", "type", "priority", "task"}, name):
				return nil, schemas.Invalidf(name, "is needed")
			default:
				emptied = append(emptied, name)
			}
		case []string:
			gone, more := diffLists(old.Field(i).Interface().([]string), now)
			if len(gone) > 0 {
				set("changes.remove."+name, gone)
			}
			if len(more) > 0 {
				set(path, more)
			}
		}
	}
	if len(emptied) > 0 {
		set("changes.remove.fields", emptied)
	}
	keys := func(w editedHandoff) []string { return slices.Sorted(maps.Keys(w.Data)) }
	if gone, _ := diffLists(keys(before), keys(after)); len(gone) > 0 {
		set("changes.remove.data", gone)
	}
	if !maps.Equal(before.Data, after.Data) && len(after.Data) > 0 {
		set("changes.data", after.Data)
	}
	return args, nil
}

// diffLists returns the texts to remove (gone) and the texts to append (more) that turn the list before into the list
// after. If the common texts are in another order, or if a new text comes before one of them, gone is the whole list
// before, and more is the whole list after.
func diffLists(before, after []string) (gone, more []string) {
	left := slices.Clone(after)
	var kept []string
	for _, text := range before {
		if i := slices.Index(left, text); i >= 0 {
			kept, left = append(kept, text), slices.Delete(left, i, i+1)
		} else {
			gone = append(gone, text)
		}
	}
	if slices.Equal(after[:len(kept)], kept) {
		return gone, after[len(kept):]
	}
	return before, after
}

// editHandoff opens a handoff in the editor of a person and sends the changes. If the mailbox refuses the changes, it
// keeps the edited text in a file.
func editHandoff(ctx context.Context, a *cli.App, id, file string) error {
	shown, _, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": id, "view": "full"})
	if err != nil {
		return err
	}
	if now := shown.Standing; now.Status != schemas.Pending && now.Status != schemas.Waiting {
		return schemas.Errorf(schemas.Conflict, "%s is %s, so it is not changed", shown.HandoffID, now.Status).
			WithHandoff(shown.HandoffID, now.Status, now.Successor).
			WithHint("A handoff that waits in a mailbox or for an answer can be changed. Otherwise send a message or another handoff.")
	}
	before := newEditedHandoff(shown.Handoff)
	text, err := textformat.WriteYAML(before)
	if err != nil {
		return schemas.InternalError(err)
	}
	if file != "" {
		content, err := a.ReadInput(ctx, "--file", file)
		if err != nil {
			return err
		}
		return sendAmendments(ctx, a, shown.HandoffID, before, string(content))
	}
	file, edited, err := runEditor(ctx, a, shown.HandoffID, text)
	if err != nil {
		return err
	}
	if edited == text {
		return cmp.Or(os.Remove(file), a.Write(unchangedMessage(shown.HandoffID)))
	}
	if err := sendAmendments(ctx, a, shown.HandoffID, before, edited); err != nil {
		e := schemas.AsError(err)
		return e.WithHint("%s", strings.TrimSpace(e.Hint+fmt.Sprintf(
			" Your text is in %s: mend it there, and give it with handoff edit %s --file.", file, shown.HandoffID)))
	}
	return os.Remove(file)
}

func unchangedMessage(id schemas.ID) string { return id.String() + " is unchanged\n" }

// sendAmendments sends the changes of an edited document.
func sendAmendments(ctx context.Context, a *cli.App, id schemas.ID, before editedHandoff, edited string) error {
	var after editedHandoff
	if err := textformat.ReadYAML(edited, &after); err != nil {
		return schemas.Invalidf("", "%w", err)
	}
	args, err := before.argumentsToReach(after)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return a.Write(unchangedMessage(id))
	}
	args["handoff_id"], args["action"] = id, schemas.ActAmend
	out, raw, err := cli.Call[schemas.UpdateOut](ctx, a, "update_handoff", args)
	if err != nil {
		return err
	}
	return a.PrintWithMail(raw, func(p *cli.Page) { printUpdated(p, out) })
}

// runEditor opens a text in the person's editor. When the editor ends, it returns the edited text and its file. Ctrl-C
// reaches the editor and does not end handoff.
func runEditor(ctx context.Context, a *cli.App, id schemas.ID, text string) (file, edited string, err error) {
	editor := cmp.Or(a.Getenv("VISUAL"), a.Getenv("EDITOR"))
	if editor == "" && !a.IsTerminal(a.Stdin) {
		return "", "", schemas.Invalidf("", "there is no terminal for an editor").
			WithHint("Set EDITOR to a command that needs none, or give the document with --file.")
	}
	f, err := os.CreateTemp(a.Getenv("TMPDIR"), "handoff-"+id.String()+"-*.yaml")
	if err == nil {
		file = f.Name()
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return file, "", schemas.Errorf(schemas.Unavailable, "the editor needs a file: %w", err).
			WithHint("Nothing was changed. TMPDIR says where it is.")
	}
	command := []string{"sh", "-c", cmp.Or(editor, "vi") + ` "$1"`, "sh", file}
	if runtime.GOOS == "windows" {
		command = append(strings.Fields(cmp.Or(editor, "notepad")), file)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) //nolint:gosec // the person's own editor
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Cwd, a.Stdin, a.Stdout, a.Stderr
	if err := cmd.Run(); err != nil {
		return file, "", schemas.Errorf(schemas.Unavailable, "the editor %q did not end well: %w", editor, err).
			WithHint("Nothing was changed. What it wrote is in %s.", file)
	}
	content, err := a.ReadInput(context.WithoutCancel(ctx), "", file) // the editor may have put anything in its place
	if err != nil {
		return file, "", schemas.Invalidf("", "the edited text cannot be used: %w", err).WithHint("Nothing was changed.")
	}
	return file, string(content), nil
}
