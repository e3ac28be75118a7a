package respell

import (
	"strings"
	"sync"
)

// synonyms maps names that people and other systems use to names of our fields. The table below has our fields on the
// left and their synonyms on the right. If a line has several fields, the likeliest comes first. A field inside a free
// map is given by its path. A tool that does not have the field ignores its synonyms.
var synonyms = sync.OnceValue(func() map[string][]string {
	return groupBySynonym(map[string]string{
		"success_criteria verification.criteria": "criteria acceptance_criteria",
		"success_criteria":                       "acceptance definition_of_done done_when",
		"constraints":                            "must",
		"after":                                  "depends_on dependencies blocked_by wait_for",
		"needs_approval":                         "approval requires_approval approval_required",
		"not_before":                             "start_after delay",
		"deadline":                               "due due_at due_date expires",
		"max_attempts":                           "retries max_retries",
		"options.limits.max_handoffs":            "max_hops max_depth",
		"context.files":                          "files file",
		"output_schema":                          "schema output_format",
		"tags":                                   "labels tag",
		"to":                                     "recipient assignee assign_to goto target_agent agent_type subagent_type worker receiver to_agent",
		"task":                                   "input goal objective todo instructions prompt request content",
		"handoff_id":                             "task_id issue_id ticket handoff",
		"note task":                              "text body",
		"note summary description":               "message",
		"detail":                                 "details",
		"key":                                    "idempotency_key",
		"parent":                                 "continues parent_id",
		"rollback.on_failure":                    "on_failure",
		"summary":                                "result background",
		"expectations.review":                    "reviewer review_by reviewed_by",
		"results.branch":                         "branch",
		"results.commit":                         "commit",
		"results.pr_url":                         "pr pr_url",
		"results.cost_usd":                       "cost_usd",
		"results.input_tokens":                   "input_tokens",
		"results.output_tokens":                  "output_tokens",
		"tests_passing":                          "tests_pass",
		"continuation then":                      "next",
		"continuation":                           "pass_on",
		"note description options.reason":        "why",
		"description":                            "error",
		"then":                                   "on_fail",
		"suggested_alternative":                  "alternative",
		"partial_progress.completed":             "done completed",
		"partial_progress.incomplete":            "remaining incomplete",
		"note":                                   "answer answers comment notes response reply",
		"questions":                              "question",
		"percent":                                "progress",
		"action":                                 "op operation",
		"needs_permission":                       "permissions",
		"estimated_completion":                   "eta",
		"name to":                                "agent_name",
		"query":                                  "search q keyword",
		"status":                                 "state",
		"box":                                    "mailbox folder",
		"cursor":                                 "page next_cursor",
		"limit":                                  "count max_results",
		"wait_seconds":                           "wait timeout timeout_seconds max_wait",
		"max_tokens":                             "token_budget",
		"claim_token":                            "token",
		"view":                                   "format",
		"accepts capability":                     "capabilities",
		"accepts":                                "types",
		"max_open":                               "max_concurrent concurrency",
	})
})

// unclearNames are names that may stand for each of several fields. Nothing is moved, and the error lists the fields.
// Some of these words seem to name one field only, but a wrong guess would change the meaning: a time at which work may
// begin is no deadline, and a number of tokens is no price.
var unclearNames = sync.OnceValue(func() map[string][]string {
	return groupBySynonym(map[string]string{
		"options.not_before deadline":                   "when at date time schedule scheduled_at scheduled_for run_at due_in",
		"options.limits.cost_usd options.limits.tokens": "budget max_cost cost_limit limit",
		"expectations.estimated_duration deadline":      "estimate duration effort time_estimate",
		"expectations.review needs_approval":            "approver approved_by",
		"task detail":                                   "steps plan",
		"box":                                           "to from sender recipient unread",
		"priority":                                      "urgent severity",
	})
})

// groupBySynonym turns a table from fields to their synonyms into a map from each synonym to its fields. It panics if a
// synonym is in the table twice.
func groupBySynonym(table map[string]string) map[string][]string {
	turned := map[string][]string{}
	for fields, names := range table {
		for name := range strings.FieldsSeq(names) {
			if turned[name] != nil {
				panic("respell: " + name + " stands for two fields")
			}
			turned[name] = strings.Fields(fields)
		}
	}
	return turned
}

// statusWords maps states of other systems to the status argument of a list.
var statusWords = map[string]string{
	"complete": "completed", "done": "completed", "finished": "completed", "success": "completed", "closed": "completed",
	"timeout": "timed_out", "expired": "timed_out", "canceled": "cancelled", "error": "failed", "todo": "pending",
	"queued": "pending", "new": "pending", "unclaimed": "pending", "active": "open", "unfinished": "open",
	"running": "in_progress", "started": "in_progress", "doing": "in_progress", "claimed": "in_progress", "all": "",
	"any": "",
}

// strategyWords maps the words of the agent handoff protocols for the transfer of context to values of our option
// strategy.
var strategyWords = map[string]string{
	"full": "full", "summarized": "summary", "summary": "summary", "reference": "reference",
}

// actionWords maps words of other systems to actions of update_handoff. No word here stands for an action that
// completes or fails a handoff.
var actionWords = map[string]string{
	"report": "progress", "comment": "progress", "note": "progress", "checkpoint": "progress", "question": "ask",
	"reply": "answer", "respond": "answer", "edit": "amend", "modify": "amend", "change": "amend", "update": "amend",
	"unclaim": "release", "unassign": "release", "transfer": "release", "hand_over": "release",
	"reassign": "amend", "assign": "amend", "redirect": "amend", "forward": "amend",
	"canceled": "cancel", "abort": "cancel", "withdraw": "cancel",
	"rerun": "retry", "accepted": "accept", "accept_result": "accept", "reopen": "return", "rework": "return", "send_back": "return",
}
