package work

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/project"
	"handoff/schemas"
)

// sendFields returns the flags of send. An argument of send_handoff without a flag must come from a message (--file).
func sendFields() []cli.Field {
	return slices.Concat(cli.ReadFields(helpTexts, "send"), cli.FieldsOf("options", reflect.TypeFor[schemas.Terms]()))
}

// configureSend makes cmd a command that sends, and returns cmd. It puts prefix before the address. The function then
// goes on after the send; it is nil for a command that only sends.
func configureSend(
	a *cli.App, prefix string, cmd *cobra.Command, then func(context.Context, schemas.SendOut, json.RawMessage) error,
) *cobra.Command {
	cli.ToolCommand[schemas.SendOut]{
		Then: then, Tool: "send_handoff", Place: "to", Rest: "task", Fields: sendFields(), File: true,
		Flags: func(cmd *cobra.Command) {
			cmd.Flags().StringArray("ref", nil, "text `file` to send along; the recipient reads it in parts (repeatable)")
		},
		Arguments: func(cmd *cobra.Command, given []string, args cli.Arguments) error {
			if to, ok := args["to"].(string); ok {
				args["to"] = prefix + strings.TrimPrefix(to, prefix)
			}
			return cmp.Or(refuseNameOfFile(a, given), refuseRecipientsBeforeTask(given), addReferences(cmd, a, args))
		},
		ID:    idsOfSent,
		Print: printSent,
	}.Configure(a, cmd)
	cmd.Args = cobra.ArbitraryArgs
	cli.LimitHelpToFlags(cmd, "summary", "detail", "criteria", "check", "priority", "type", "after", "ref", "file", "dry-run")
	return cmd
}

func sendCommand(a *cli.App) *cobra.Command {
	return configureSend(a, "", &cobra.Command{Use: "send [TO TASK…]"}, nil)
}

// refuseNameOfFile returns an error if the only word of a task is the path of a file, or its name with an extension,
// because the sender probably means the text of this file.
func refuseNameOfFile(a *cli.App, given []string) error {
	if len(given) != 2 || strings.ContainsAny(given[1], " \n") || !strings.ContainsAny(given[1], "./") {
		return nil
	}
	at, _ := os.Stat(a.AbsolutePath(given[1])) // nil if there is none
	if at == nil || !at.Mode().IsRegular() {
		return nil
	}
	name := cli.ShellWord(given[1])
	return schemas.Invalidf("TASK", "%s is a file, and only its name would be sent", schemas.EscapeHidden(given[1])).
		WithHint("Send its text with --file %[1]s or '@%[1]s', send it along with --ref %[1]s, or write more words. Nothing was sent.", name)
}

// addReferences adds the files of --ref to the references in the context.
func addReferences(cmd *cobra.Command, a *cli.App, args cli.Arguments) error {
	files, err := cmd.Flags().GetStringArray("ref")
	if err != nil || len(files) == 0 {
		return err
	}
	context, _ := args["context"].(map[string]any)
	refs, _ := context["references"].([]any)
	for _, file := range files {
		text, err := a.ReadInput(cmd.Context(), "--ref", file)
		if err != nil {
			return err
		}
		refs = append(refs, schemas.Reference{Name: project.ReferenceName(file), Content: string(text)})
	}
	return args.SetPath("context.references", refs)
}

// idsOfSent returns the id of the sent handoff or message. For several recipients it returns one id on each line.
func idsOfSent(out schemas.SendOut) string {
	all := strings.Join(schemas.FormatAll(append(out.Parts, out.Joined)), "\n") // the last line may be empty
	return cmp.Or(strings.TrimSpace(all), out.NoticeID.String(), out.HandoffID.String())
}

// printSent prints the recipient and the workflow. After a dry run a new workflow has no name yet, so it prints a
// workflow only if the handoff continues the workflow of its parent.
func printSent(p *cli.Page, out schemas.SendOut) {
	where, before, after, notSent := string(out.To), ", ", "", out.Status == dryRun
	if notSent {
		before, after = " (", ")"
	}
	if out.Position > 0 {
		where += before + "number " + strconv.Itoa(out.Position) + " in the mailbox" + after
	}
	if notSent {
		p.AddLine("dry run: would be sent to %s", schemas.EscapeHidden(where))
	} else {
		p.AddLine("%s %s, for %s", p.Bold(cmp.Or(out.NoticeID.String(), out.HandoffID.String())), out.Status, schemas.EscapeHidden(where))
		p.AddField("parts", cli.JoinAll(out.Parts))
		p.AddField("joined by", out.Joined.String())
	}
	if !notSent || out.Parent != 0 {
		p.AddField("workflow", string(out.Workflow))
	}
	p.AddField("parent", out.Parent.String())
	p.AddField("blocked by", strings.Join(out.BlockedBy, ", "))
	why := schemas.ValueOrZero(out.Routed) // the reason for the recipient
	if why.Chosen != "" {
		p.AddField("chosen", fmt.Sprintf("%s, who alone may claim until %s", why.Chosen, why.Until.In(p.Now.Location()).Format(time.TimeOnly)))
	}
	for _, c := range why.Candidates {
		p.AddField("candidate", string(c.Agent)+" – "+c.Why)
	}
	for _, c := range why.Excluded {
		p.AddField("excluded", string(c.Agent)+" – "+c.Why)
	}
	p.AddWarnings(out.Warnings)
	for _, m := range out.Missing {
		p.AddField("missing", m)
	}
	if out.Brief != "" {
		p.AddLine("\n%s\n%s", p.Bold("Its receiver would read"), out.Brief) // the renderer made it safe to show
	}
}

// dryRun is the status of a send without effect.
const dryRun = "dry_run"

// refuseRecipientsBeforeTask returns an error if there are only names between the recipient and a quoted task, because
// the sender probably means several recipients.
func refuseRecipientsBeforeTask(given []string) error {
	last := len(given) - 1
	if last < 2 || !strings.Contains(given[last], " ") {
		return nil
	}
	for _, name := range given[1:last] {
		if _, err := schemas.ParseAgent("TO", name); err != nil {
			return nil //nolint:nilerr // the words are a task
		}
	}
	return schemas.Invalidf("TO", "a handoff has one recipient, and %s may be others", schemas.EscapeHidden(strings.Join(given[1:last], ", "))).
		WithHint("Send once for each, or put the whole task between one pair of quotes. Nothing was sent.")
}
