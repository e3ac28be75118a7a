package respell

import "slices"

// An alias is one row of an alias table: it says which argument a field of a foreign message means. Paths are dotted
// and in snake_case; a field in camelCase is the same field. Rows apply in order: of two foreign fields for one
// argument, the field of the earlier row wins.
type alias struct {
	from string  // path in the message; the same as to when only the value is read anew
	to   string  // path among our arguments; "" for a value that goes to the overflow path of its table
	read reading // how the value is read, and what happens when to has a value already
}

// letterheadAliases read what a message says of itself. It goes to origin and never becomes ours.
var letterheadAliases = []alias{
	{"timestamp", "origin.timestamp", asSideText},
	{"version", "origin.version", asRelease},
	{"source.agent", "origin.source.agent", asSideText},
	{"source.agent_id", "origin.source.agent_id", asSideText},
	{"source", "origin.source.agent", asSideText},
	{"from_agent", "origin.source.agent", asSideText},
	{"from", "origin.source.agent", asSideText},
}

// placementAliases read where a handoff belongs, as the agent handoff protocols, the handoff protocol agent, kernl
// and our own stored handoffs say it.
var placementAliases = []alias{
	{"handoff_id", "origin.handoff_id", asText},
	{"status", "origin.status", asText},
	{"schema", "", asSideText},
	{"source.phase", "options.phase", asText},
	{"target.agent", "to", asText},
	{"target.capability", "to", asCapability},
	{"target.role", "to", asRole},
	{"target.reason", "options.reason", asText},
	{"target", "to", asText},
	{"to_agent", "to", asText},
	{"metadata.source_agent", "origin.source.agent", asSideText},
	{"metadata.target_agent", "to", asText},
	{"metadata.timestamp", "origin.timestamp", asSideText},
	{"metadata.created_at", "origin.timestamp", asSideText},
	{"metadata.priority", "priority", asPriority},
	{"metadata.deadline", "deadline", asText},
	{"metadata.not_before", "options.not_before", asText},
	{"metadata.workflow_id", "workflow", asText},
	{"metadata.parent_handoff", "origin.parent_handoff", asSideText},
	{"metadata.depth", "origin.depth", asIs},
	{"metadata.attempt", "options.attempt", asCount},
	{"metadata.max_attempts", "options.max_attempts", asIs},
	{"metadata.after", "options.after", asIs},
	{"metadata.needs_approval", "options.needs_approval", asIs},
	{"metadata.no_takers", "options.no_takers", asIs},
	{"metadata.strategy", "options.strategy", asIs},
	{"metadata.limits", "options.limits", asIs},
	{"metadata.retry_of", "", asSideText},
	{"metadata.estimated_tokens", "", asIs},
	{"workflow_id", "workflow", asText},
	{"parent_handoff", "origin.parent_handoff", asSideText},
	{"parent_task", "origin.parent_handoff", asSideText},
	{"max_attempts", "options.max_attempts", asIs},
	{"max_handoffs", "options.limits.max_handoffs", asIs},
	{"phase", "options.phase", asText},
	{"requirements", "options.requirements", asLines},
	{"priority", "priority", asPriority},
	{"urgency", "priority", asPriority},
	{"importance", "priority", asPriority},
}

// errandAliases read what is to be done. taskAliases read the object that the agent handoff protocols write where our
// task is a text.
var (
	errandAliases = []alias{
		{"message", "task", asText},
		{"description", "task", asText},
		{"task_title", "title", asSideText},
		{"subject", "origin.subject", asText},
		{"task_id", "options.task_id", asSideText},
		{"id", "options.task_id", asSideText},
		{"handoff_type", "options.kind", asSideText},
		{"kind", "options.kind", asKind},
		{"kind", "", asIs},
		{"issue_type", "", asIs}, // a tracker's, which no agent declares to accept
	}
	taskAliases = []alias{
		{"task.description", "task", asText},
		{"task.title", "title", asSideText},
		{"task.type", "type", asText},
		{"task.id", "options.task_id", asSideText},
		{"task.requirements", "options.requirements", asLines},
	}
)

// contextAliases read the context of the agent handoff protocols and of the handoff protocol agent, in the three
// strategies of transfer: in full, summarized, and by reference.
var contextAliases = []alias{
	{"context.summary", "summary", asText},
	{"context.task_id", "options.task_id", asSideText},
	{"context.completed_steps", "context.completed_steps", asLines},
	{"context.intermediate_results", "context.results", asIs},
	{"context.partial_result", "context.results.partial_result", asIs},
	{"context.decisions", "context.decisions", asDecisions},
	{"context.files", "context.files", asFiles},
	{"context.relevant_files", "context.files", asFiles},
	{"context.file_references", "context.files", asFiles},
	{"context.memories", "context.memories", asLines},
	{"context.relevant_memories", "context.memories", asLines},
	{"context.context_url", "context.references", asReference},
	{"context.key_points", "context.references", asKeyPoints},
	{"context.rollback_reason", "context.previous_failures", asLines},
	{"context._transfer_type", "options.strategy", asStrategy},
	{"context._transfer_type", "", asIs},
	{"context._token_estimate", "", asIs},
	{"context._original_tokens", "", asIs},
	{"context._summary_tokens", "", asIs},
	{"expectations.output_format", "expectations.output_schema", asIs},
	{"expectations.timeout", "expectations.timeout", asMinutes},
	{"expectations.timeout_ms", "expectations.timeout", asMillis},
	{"expectations.estimated_duration", "expectations.estimated_duration", asMinutes},
	{"timeout_ms", "expectations.timeout", asMillis},
}

// progressAliases read what the explicit handoff coordination plan says of the work before and after. A mail has it
// in context, a task in agent_context and handoff_instructions, and either may have it at the top.
var progressAliases = []alias{
	{"work_completed", "context.completed_steps", asLines},
	{"files_modified", "context.files", asFiles},
	{"implementation_notes", "detail", asParagraphs},
	{"notes_from_implementer", "detail", asParagraphs},
	{"notes", "detail", asParagraphs},
	{"known_issues", "context.known_issues", asLines},
	{"potential_issues", "context.known_issues", asLines},
	{"previous_failures", "context.previous_failures", asLines},
	{"reproduction_steps", "context.reproduction_steps", asLines},
	{"test_script", "context.test_command", asYieldingText},
	{"test_command", "context.test_command", asSideText},
	{"test_status", "context.state.test_status", asIs},
	{"previous_agent", "origin.source.agent", asYieldingText},
	{"attempts", "options.attempt", asCount},
	{"previous_attempts", "options.attempt", asCount},
	{"specialist_tags", "tags", asLines},
	{"required_skills", "tags", asLines},
	{"expected_duration", "expectations.estimated_duration", asMinutes},
	{"estimated_test_duration", "expectations.estimated_duration", asMinutes},
	{"estimated_duration", "expectations.estimated_duration", asMinutes},
	{"estimated_duration_minutes", "expectations.estimated_duration", asMinutes},
}

// roleAliases read the recipient of a message of the coordination plan that names no agent.
var roleAliases = []alias{
	{"agent_role", "to", asYieldingRole},
	{"role", "to", asYieldingRole},
	{"context.role", "to", asYieldingRole},
	{"handoff_instructions.next_role", "to", asYieldingRole}, // of whoever comes after
	{"next_role", "to", asYieldingRole},
}

var sendAliases = slices.Concat(letterheadAliases, placementAliases, errandAliases, contextAliases,
	under("handoff_instructions", progressAliases), under("agent_context", progressAliases),
	under("context", progressAliases), progressAliases, roleAliases)

// sendHints come before the rows that carry their fields away.
var sendHints = []alias{
	{"target.reason", "task", hint(asText)},
	{"task_title", "task", hint(asText)},
	{"subject", "title", hint(asTopic)},
	{"subject", "task", hint(asTopic)},
	{"metadata.parent_handoff", "parent", hint(asOwnID)},
	{"parent_handoff", "parent", hint(asOwnID)},
	{"parent_task", "parent", hint(asOwnID)},
	{"metadata.attempt", "origin.attempt", hint(asIs)},
	{"agent_context.attempts", "origin.attempt", hint(asIs)},
	{"attempts", "origin.attempt", hint(asIs)},
	{"previous_attempts", "origin.attempt", hint(asIs)},
	{"metadata.priority", "origin.extra.priority", hint(asOddPriority)},
	{"urgency", "origin.extra.priority", hint(asOddPriority)},
	{"importance", "origin.extra.priority", hint(asOddPriority)},
	{"priority", "origin.extra.priority", hint(asOddPriority)},
}

// handoffAliases read the id of a handoff, and holderAliases also the proof of the right to work on it.
var (
	handoffAliases = []alias{
		{"handoff_id", "handoff_id", asText},
		{"id", "handoff_id", asText},
	}
	holderAliases = append(slices.Clip(handoffAliases), alias{"token", "claim_token", asText})
)

// listAliases read the states of other systems.
var listAliases = []alias{
	{"workflow_id", "workflow", asText},
	{"status", "status", asStanding},
}

// registerAliases read what the card of an agent in other protocols says of its skills.
var registerAliases = []alias{{"accepts", "accepts", asNames}, {"skills", "skills", asNames}}

var workflowAliases = []alias{{"workflow_id", "workflow", asText}}

var completeAliases = slices.Concat(letterheadAliases, holderAliases, []alias{
	{"source.phase", "origin.source.phase", asSideText},
	{"completion_id", "origin.completion_id", asText},
	{"checkpoint_id", "origin.checkpoint_id", asText},
	{"outcome", "outcome", asOutcome},
	{"status", "outcome", hint(asOutcomeWord)},
	{"status", "origin.status", asText},
	{"deliverables", "deliverables", asDescribed},
	{"verification.criteria", "verification.criteria", asCriteria},
	{"verification.acceptance_criteria_met", "verification.criteria", asCriteriaMet},
	{"notes", "notes", asLines},
})

var failAliases = slices.Concat(letterheadAliases, holderAliases, []alias{
	{"status", "outcome", hint(asRejection)}, // as the agent handoff protocols acknowledge
	{"version", "origin.version", asText},    // also whole numbers: a failure has no payload
	{"source.phase", "origin.source.phase", asSideText},
	{"agent_id", "origin.source.agent_id", asSideText},
	{"failure_id", "origin.failure_id", asText},
	{"checkpoint_id", "origin.checkpoint_id", asText},
	{"status", "origin.status", asText},
	{"failure.type", "type", asText},
	{"failure.description", "description", asText},
	{"failure.blockers", "blockers", asBlockers},
	{"failure.partial_progress", "partial_progress", asIs},
	{"failure", "description", asText},
	{"blockers", "blockers", asBlockers},
	{"rollback_request.target_agent", "rollback_to", asText},
	{"rollback_request.reason", "reason", asText},
	{"rollback_request.questions", "questions", asLines},
})

var updateAliases = slices.Concat(holderAliases, []alias{
	{"reason", "note", asText},
	{"status", "action", asConditional},
	{"action", "action", asAction},
	{"note", "note", asParagraphs},
	{"conditions.estimated_completion", "conditions.estimated_completion", asMinutes},
	{"conditions.estimated_completion_ms", "conditions.estimated_completion", asMillis},
	{"estimated_completion_ms", "conditions.estimated_completion", asMillis},
	{"timestamp", "origin.timestamp", asSideText},
	{"agent_id", "origin.source.agent_id", asSideText},
})

// under gives the rows for the same fields inside an object of the message.
func under(object string, rows []alias) []alias {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].from = object + "." + rows[i].from
	}
	return rows
}
