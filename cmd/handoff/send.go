package main

import (
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/project"
	"handoff/schemas"
)

// sendFields are the arguments of send_handoff that have a flag. Those beside them go in a message (--file).
var sendFields = []Field{
	Text("title", "title", "one line that names it (default: start of the task)"),
	Text("type", "type", "work type that the recipient accepts, or message for mail that is only read"),
	Content("summary", "summary", "what was found or done so far"),
	Content("detail", "detail", "findings in full"),
	Pairs("data", "data", "for programs (repeatable)"),
	Document("context", "context", "object: decisions, files, artifacts, state …"),
	Texts("criteria", "expectations.success_criteria", "what completion must answer (repeatable)"),
	Texts("constraint", "expectations.constraints", "what must not be broken (repeatable)"),
	Texts("if-stuck", "expectations.if_stuck", "what to do then (repeatable)"),
	Document("output-schema", "expectations.output_schema", "JSON Schema that the output must meet"),
	Text("timeout", "expectations.timeout", "time for all of it, as '2h'"),
	Text("estimated-duration", "expectations.estimated_duration", "how long it should take, as '30 minutes'"),
	Switch("strict", "expectations.strict", "refuse completion while a criterion is unmet"),
	Text("on-failure", "rollback.on_failure", "`agent` to whom it goes back when it fails (default: you)"),
	Text("priority", "priority", "low, normal, high or critical"),
	Text("deadline", "deadline", "a time, or '2h' from now"),
	Text("workflow", "workflow", "chain that it belongs to (default: the parent's, else a new one)"),
	Text("parent", "parent", "handoff that it follows from; none starts anew"),
	Words("tags", "tags", "a,b,c"),
	Text("key", "key", "idempotency key: a repeat gives the same handoff"),
	Switch("dry-run", "dry_run", "only say where it would go"),
	Text("reason", "options.reason", "why this recipient"),
	Text("phase", "options.phase", "of your work, as design_complete"),
	Text("kind", "options.kind", "as implementation_to_testing"),
	Texts("requirement", "options.requirements", "what the work needs (repeatable)"),
	Text("task-id", "options.task_id", "id in your task tracker"),
	Words("after", "options.after", "handoffs to wait for: 3,4"),
	Switch("needs-approval", "options.needs_approval", "wait until a human approves"),
	Text("no-takers", "options.no_takers", "wait, return, generalist or human (no effect yet: it waits)"),
	Number("max-attempts", "options.max_attempts", "claims before it times out"),
	Text("not-before", "options.not_before", "a time, or '2h' from now"),
	Text("strategy", "options.strategy", "how context travels: full, summary or reference"),
	Switch("force", "options.force", "send although the recipient does not accept the type"),
}

func (a *app) sendCommand() *cobra.Command {
	var file string
	var silent bool
	cmd := &cobra.Command{
		Use:   "send [TO TASK…]",
		Short: "Deliver work or a message to a mailbox",
		Example: `  handoff send qa "Test the login form" --criteria "All tests pass" --priority high
  handoff send role:testing "Run the suite" --summary "Login is done" --data branch=login
  handoff send human "May I drop the table?" --type message
  git diff | handoff send reviewer "Review this" --detail -
  handoff send --file message.json --title "Another title"`,
		Long: `TO is an agent, capability:NAME, role:NAME or human. The words of TASK are joined; "-" reads it from
standard input. It has room for 4 KiB: what is longer goes into --detail.

` + aboutSources + `

A message given with --file may be written as the arguments of the tool send_handoff or in the spelling of
other handoff protocols; flags and arguments come before what it says.`,
		RunE: func(cmd *cobra.Command, given []string) error {
			args, err := a.message("send_handoff", file)
			if err == nil {
				err = a.sendArguments(cmd, given, args)
			}
			if err != nil {
				return err
			}
			out, raw, err := once[schemas.SendOut](cmd.Context(), a, "send_handoff", args)
			if err != nil {
				return err
			}
			if silent {
				return a.write(sentID(out) + "\n")
			}
			return a.printWithMail(raw, func(p *page) { p.sent(out) })
		},
	}
	bind(cmd, sendFields)
	a.keeping.bindHidden(cmd)
	cmd.Flags().StringVar(&file, "file", "", "a whole message from this `file`, - for standard input")
	cmd.Flags().BoolVar(&silent, "silent", false, "print the id only")
	return cmd
}

// sendArguments puts what was given on the command line over a message.
func (a *app) sendArguments(cmd *cobra.Command, given []string, args arguments) error {
	if len(given) > 0 {
		args["to"] = given[0]
	}
	if len(given) > 1 {
		task, err := a.taskText(given[1:])
		if err != nil {
			return err
		}
		args["task"] = task
	}
	if err := args.set(cmd, sendFields); err != nil {
		return err
	}
	return a.addProject(args)
}

// taskText joins words, or reads standard input for "-".
func (a *app) taskText(given []string) (string, error) {
	if len(given) != 1 || given[0] != "-" {
		return strings.Join(given, " "), nil
	}
	content, err := a.input("TASK", "-")
	return strings.TrimSpace(string(content)), err
}

// addProject tells where the work happens, unless the message does.
func (a *app) addProject(args arguments) error {
	context, _ := args["context"].(map[string]any)
	if args["context"] != nil && context == nil || context["project"] != nil {
		return nil // said, or no object: then the tool says so
	}
	dir, err := a.place().ProjectDir()
	if err != nil {
		return err
	}
	if p := project.Describe(dir); p != nil {
		return args.put("context.project", p)
	}
	return nil
}

func sentID(out schemas.SendOut) string {
	if out.NoticeID != 0 {
		return out.NoticeID.String()
	}
	return out.HandoffID.String()
}

func (p *page) sent(out schemas.SendOut) {
	if out.Status == dryRun {
		p.wouldBeSent(out)
		return
	}
	where := string(out.To)
	if out.Position > 0 {
		where += ", number " + decimal(out.Position) + " in the mailbox"
	}
	p.line("%s %s, for %s", p.Bold(sentID(out)), out.Status, schemas.Visible(where))
	p.field("workflow", string(out.Workflow))
	p.after(out)
}

// dryRun is the status of what was not sent.
const dryRun = "dry_run"

// wouldBeSent tells where something would go. Its workflow has no name yet unless it is its parent's.
func (p *page) wouldBeSent(out schemas.SendOut) {
	where := string(out.To)
	if out.Position > 0 {
		where += " (number " + decimal(out.Position) + " in the mailbox)"
	}
	p.line("dry run: would be sent to %s", schemas.Visible(where))
	if out.Parent != 0 {
		p.field("workflow", string(out.Workflow))
	}
	p.after(out)
}

// after tells what something that is sent follows and waits for, and why it goes where it goes.
func (p *page) after(out schemas.SendOut) {
	p.field("parent", out.Parent.String())
	p.field("blocked by", strings.Join(out.BlockedBy, ", "))
	if out.Routed != nil {
		p.routed(*out.Routed)
	}
	p.warn(out.Warnings)
}

func (p *page) routed(r schemas.Routed) {
	p.field("chosen", string(r.Chosen))
	for _, c := range r.Candidates {
		p.field("candidate", string(c.Agent)+" – "+c.Why)
	}
	for _, c := range r.Excluded {
		p.field("excluded", string(c.Agent)+" – "+c.Why)
	}
}
