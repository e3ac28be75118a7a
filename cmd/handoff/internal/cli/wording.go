package cli

import (
	"regexp"
	"slices"
	"strings"

	"handoff/schemas"
)

// Messages are written for callers of the tools; people call commands. Whole phrases come before the words in
// them: the first that fits is taken.
var phrases = []string{
	" in context.files", "",
	"leave out continuation.to", "leave out --next",
	"the agent of rollback.on_failure", "whom the handoff names for a failure",
	"that meets expectations.output_schema", "that meets the output schema",
	"amend expectations.output_schema", "amend the output schema",
	"with output, a JSON value", "with --output, a JSON value",
	"with an output", "with an --output",
	"or leave it out and use success_criteria", "or leave it out and use --criteria",
	"describe the rest in success_criteria", "describe the rest with --criteria",
	"Leave verification.criteria out; say it in notes", "Leave --met and --unmet out; say it with --note",
	`Give questions ["…"], or conditions {"needs_permission": ["…"]}`, `Give --ask "…", or --needs-permission "…"`,
	"Put the answer into note", `Give --answer "…"`,
	`Give the fields to change, as {"title": "…", "context": {…}}`, `Give what to change, as --title "…" or --context '{…}'`,
	"Use action cancel to end it", "handoff cancel ID ends it",
	"Use action answer for what its holder asks", `handoff update ID --answer "…" answers what its holder asks`,
	"use outcome failed, or update_handoff with action release", "leave --reject out, or handoff update ID --release",
	"Give the claim_token that claim_handoff returned", "Give the --token that handoff claim printed",
	"Say it with the argument agent, or start with --agent NAME", "Say it with --agent NAME",
	"Say who you are with agent, or list box all", "Say who you are with --agent NAME, or use handoff list --all",
	"Say who you are with agent", "Say who you are with --agent NAME",
	"Give agent if one of them is you", "Give --agent if one of them is you",
	", or the claim_token over the connection that claimed", "",
	"give agent ", "give --agent ",
	"Leave agent out to act under the name of this connection", "Leave --agent out, or give another name",
	"start anew with parent none", "start anew with handoff send --parent none",
	"update_handoff with action ", "handoff update ID --",
	"ask with update_handoff", "ask with handoff update ID --ask",
	"Claim it first with claim_handoff", "Claim it first with handoff claim ID",
	"claim_handoff without handoff_id", "handoff claim",
	"claim_handoff with handoff_id", "handoff claim",
	"get_handoff with wait_seconds tells when that changes", "handoff show ID tells what it waits for",
	"get_handoff with view full", "handoff show ID --full",
	"list_handoffs with box all", "handoff list --all",
	"list_handoffs with box notices", "handoff list --box notices",
	"action: one of", "what to do: one of",

	"claim_handoff", "handoff claim",
	"complete_handoff", "handoff complete ID",
	"fail_handoff", "handoff fail ID",
	"get_handoff", "handoff show ID",
	"handoff_history", "handoff history",
	"list_agents", "handoff agents",
	"list_handoffs", "handoff list",
	"register_agent", "handoff agents register",
	"send_handoff", "handoff send",
	"update_handoff", "handoff update ID",
	"claim_token", "--token",
	"handoff_id", "ID",
}

var toCommands = strings.NewReplacer(append(phrases, paths...)...)

// paths are the arguments within objects that have a flag, and their flags.
var paths = []string{
	"expectations.success_criteria", "--criteria",
	"expectations.constraints", "--constraint",
	"expectations.if_stuck", "--if-stuck",
	"expectations.output_schema", "--output-schema",
	"expectations.timeout", "--timeout",
	"expectations.estimated_duration", "--estimated-duration",
	"expectations.strict", "--strict",
	"rollback.on_failure", "--on-failure",
	"options.reason", "--reason",
	"options.phase", "--phase",
	"options.kind", "--kind",
	"options.requirements", "--requirement",
	"options.task_id", "--task-id",
	"options.after", "--after",
	"options.needs_approval", "--needs-approval",
	"options.no_takers", "--no-takers",
	"options.max_attempts", "--max-attempts",
	"options.not_before", "--not-before",
	"options.strategy", "--strategy",
	"options.force", "--force",
	"continuation.to", "--next",
	"continuation.task", "--next-task",
	"partial_progress.completed", "--done",
	"partial_progress.incomplete", "--left",
	"checkpoint.note", "--note",
	"checkpoint.state", "--state",
	"conditions.needs_more_context", "--needs-context",
	"conditions.needs_permission", "--needs-permission",
	"conditions.estimated_completion", "--estimate",
	"changes.title", "--title",
	"changes.task", "--task",
	"changes.type", "--type",
	"changes.summary", "--summary",
	"changes.detail", "--detail",
	"changes.data", "--data",
	"changes.context", "--context",
	"changes.expectations.success_criteria", "--criteria",
	"changes.priority", "--priority",
	"changes.deadline", "--deadline",
	"changes.tags", "--tags",
	"changes.expectations.estimated_duration", "--estimated-duration",
	"changes.agent_context", "--agent-context",
	"changes.handoff_instructions", "--handoff-instructions",
	"changes.checkpoint", "--checkpoint",
}

// InCommands says a text about tools in the words of commands.
func InCommands(text string) string { return toCommands.Replace(asFlags(text)) }

var (
	unanswered = regexp.MustCompile(`Call again with these added to verification\.criteria, met as it is: (\[.*\])`)
	criterion  = regexp.MustCompile(`"criterion":(\d+)`)
	aFlag      = regexp.MustCompile(`--([a-z][a-z-]*)`)
	anID       = regexp.MustCompile(`\bID\b`)
)

// asFlags says which flags answer the criteria that were left open.
func asFlags(text string) string {
	asked := unanswered.FindStringSubmatch(text)
	if asked == nil {
		return text
	}
	var answers []string
	for _, n := range criterion.FindAllStringSubmatch(asked[1], -1) {
		answers = append(answers, "--met "+n[1]+"=EVIDENCE or --unmet "+n[1]+"=WHY")
	}
	return strings.Replace(text, asked[0], "Add "+strings.Join(answers, ", ")+".", 1)
}

// Advice is a hint for who called a command: about the handoff concerned, and without the sentences that
// advise flags which the command does not have.
func Advice(hint string, about schemas.ID, has func(flag string) bool) string {
	var told strings.Builder
	for sentence := range strings.SplitAfterSeq(InCommands(hint), ". ") {
		lacks := func(flag []string) bool { return !has(flag[1]) }
		if strings.Contains(sentence, "handoff ") || !slices.ContainsFunc(aFlag.FindAllStringSubmatch(sentence, -1), lacks) {
			told.WriteString(sentence)
		}
	}
	if about == 0 {
		return strings.TrimSpace(told.String())
	}
	return anID.ReplaceAllString(strings.TrimSpace(told.String()), about.String())
}
