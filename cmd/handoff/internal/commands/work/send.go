package work

import (
	"cmp"
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

// sendFields are the flags of send. An argument of send_handoff without a flag must come from a message (--file).
var sendFields = slices.Concat([]cli.Field{
	cli.Text("task", "task", "the task, instead of TASK…").WithShortFlag("m"),
	cli.Text("title", "title", "one line that names it (default: start of the task)"),
	cli.Text("type", "type", "work type that the recipient accepts, or message for mail that is only read"),
	cli.Text("summary", "summary", "findings and results so far"),
	cli.Text("detail", "detail", "findings in full"),
	cli.Pairs("data", "data", "for programs (repeatable)"),
	cli.Document("context", "context", "object: decisions, files, artifacts, state …"),
	cli.Texts("criteria", "expectations.success_criteria", "criterion that the completion must answer (repeatable)"),
	cli.Texts("constraint", "expectations.constraints", "rule that the work must not break (repeatable)"),
	cli.Texts("check", "expectations.checks", "`check` of the repository that has to pass (repeatable)"),
	cli.Text("base", "expectations.base", "whole id of the `commit` with which checks compare (default: where you stand)"),
	cli.Text("review", "expectations.review", "reviewer that judges the result before it counts: sender, agent, capability:NAME or role:NAME"),
	cli.Number("max-rounds", "expectations.max_rounds", "rounds before a person decides (default: 3)"),
	cli.Texts("if-stuck", "expectations.if_stuck", "advice for a stuck holder (repeatable)"),
	cli.Document("output-schema", "expectations.output_schema", "JSON Schema that the output must meet"),
	cli.Text("timeout", "expectations.timeout", "time for the whole work, such as '2h'"),
	cli.Text("estimated-duration", "expectations.estimated_duration", "expected duration, such as '30 minutes'"),
	cli.Text("evidence", "expectations.evidence", "observed or claimed: a check that could not run leaves the result partial, or the holder's claim is enough"),
	cli.Switch("strict", "expectations.strict", "refuse completion while a criterion is unmet"),
	cli.Text("on-failure", "rollback.on_failure", "`agent` that gets it back when it fails (default: you)"),
	cli.Text("priority", "priority", "low, normal, high, critical, or P0 to P4"),
	cli.Text("deadline", "deadline", "a time, or '2h' from now"),
	cli.Text("workflow", "workflow", "chain that it belongs to (default: the parent's, else a new one)"),
	cli.Text("parent", "parent", "handoff that it follows from (default: the handoff that the agent holds; for human none); none starts anew"),
	cli.Words("tags", "tags", "a,b,c"),
	cli.Text("key", "key", "idempotency key: a repeat gives the same handoff"),
	cli.Switch("dry-run", "dry_run", "only show its recipient, the text that the recipient would read, and missing fields"),
	cli.Text("reason", "options.reason", "why this recipient"),
	cli.Text("phase", "options.phase", "phase of your work, such as design_complete"),
	cli.Text("kind", "options.kind", "kind of the passing on, such as implementation_to_testing"),
	cli.Texts("requirement", "options.requirements", "a need of the work (repeatable)"),
	cli.Text("task-id", "options.task_id", "id in your task tracker"),
	cli.Words("after", "options.after", "handoffs to wait for: 3,4"),
	cli.Words("after-accepted", "options.after_accepted", "handoffs to wait for until their result is accepted: 3,4"),
}, cli.FieldsOf("options", reflect.TypeFor[schemas.Terms]()), []cli.Field{
	cli.Number("max-attempts", "options.max_attempts", "attempts before it times out"),
	cli.Text("not-before", "options.not_before", "a time, or '2h' from now"),
	cli.Text("strategy", "options.strategy", "how context travels: full, summary or reference"),
	cli.Texts("each", "options.each", "send once for each, as {{each}} in the texts (repeatable)"),
	cli.Text("join", "options.join.to", "recipient of one more handoff that depends on all of these"),
	cli.Text("join-task", "options.join.task", "task of the join"),
	cli.Pairs("limit", "options.limits", "of the chain: max_handoffs; of the workflow: workflow_handoffs, rounds, tokens, minutes, cost_usd (repeatable)"),
	cli.Switch("force", "options.force", "send even if the recipient does not accept the type"),
})

// configureSend makes cmd a command that sends, and returns cmd. It puts prefix before the address.
func configureSend(a *cli.App, prefix string, cmd *cobra.Command) *cobra.Command {
	cli.ToolCommand[schemas.SendOut]{
		Tool: "send_handoff", Place: "to", Rest: "task", Fields: sendFields, File: true,
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
	return configureSend(a, "", &cobra.Command{
		Use:   "send [TO TASK…]",
		Short: "Deliver work or a message to a mailbox",
		Long:  cli.HelpText(helpTexts, "send", cli.AboutSources),
	})
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
