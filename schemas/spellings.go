package schemas

import "slices"

// A spelling says where a field of a foreign message belongs among our arguments. Paths are dotted and in
// snake_case; a camelCase name is the same field. Rows apply in order, so where two foreign fields say the
// same thing the earlier row wins.
type spelling struct {
	from string  // where the message has it; the same as to when only the value is respelled
	to   string  // where our arguments have it; "" when there is no place of its own, see [dialect.spare]
	read reading // how the value is read, and what happens when to is taken
}

// letterheadSpellings is what a message says of itself: it goes to origin and never becomes ours.
var letterheadSpellings = []spelling{
	{"timestamp", "origin.timestamp", asSideText},
	{"version", "origin.version", asRelease},
	{"source.agent", "origin.source.agent", asSideText},
	{"source.agent_id", "origin.source.agent_id", asSideText},
	{"source", "origin.source.agent", asSideText},
	{"from_agent", "origin.source.agent", asSideText},
	{"from", "origin.source.agent", asSideText},
}

// placementSpellings is what the agent handoff protocols, the handoff protocol agent, kernl and our own
// stored handoffs say of where a handoff belongs.
var placementSpellings = []spelling{
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

// errandSpellings is what is to be done. taskSpellings read the object that the agent handoff protocols
// write where our task is a text.
var (
	errandSpellings = []spelling{
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
	taskSpellings = []spelling{
		{"task.description", "task", asText},
		{"task.title", "title", asSideText},
		{"task.type", "type", asText},
		{"task.id", "options.task_id", asSideText},
		{"task.requirements", "options.requirements", asLines},
	}
)

// contextSpellings is the context of the agent handoff protocols and of the handoff protocol agent, in the
// three strategies of transfer: in full, summarized, and by reference.
var contextSpellings = []spelling{
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

// progressSpellings is what the explicit handoff coordination plan says of the work before and after. It
// stands in the context of a mail, in agent_context and handoff_instructions of a task, or at the top.
var progressSpellings = []spelling{
	{"work_completed", "context.completed_steps", asLines},
	{"files_modified", "context.files", asFiles},
	{"implementation_notes", "detail", asParagraphs},
	{"notes_from_implementer", "detail", asParagraphs},
	{"notes", "detail", asParagraphs},
	{"known_issues", "context.known_issues", asLines},
	{"potential_issues", "context.known_issues", asLines},
	{"previous_failures", "context.previous_failures", asLines},
	{"reproduction_steps", "context.reproduction_steps", asLines},
	{"test_script", "context.test_command", asSpareText},
	{"test_command", "context.test_command", asSideText},
	{"test_status", "context.state.test_status", asIs},
	{"previous_agent", "origin.source.agent", asSpareText},
	{"attempts", "options.attempt", asCount},
	{"previous_attempts", "options.attempt", asCount},
	{"specialist_tags", "tags", asLines},
	{"required_skills", "tags", asLines},
	{"expected_duration", "expectations.estimated_duration", asMinutes},
	{"estimated_test_duration", "expectations.estimated_duration", asMinutes},
	{"estimated_duration", "expectations.estimated_duration", asMinutes},
	{"estimated_duration_minutes", "expectations.estimated_duration", asMinutes},
}

// roleSpellings name the recipients of the coordination plan, where no agent is named.
var roleSpellings = []spelling{
	{"handoff_instructions.next_role", "to", asSpareRole},
	{"next_role", "to", asSpareRole},
	{"context.role", "to", asSpareRole},
	{"agent_role", "to", asSpareRole},
	{"role", "to", asSpareRole},
}

var sendSpellings = slices.Concat(letterheadSpellings, placementSpellings, errandSpellings, contextSpellings,
	under("handoff_instructions", progressSpellings), under("agent_context", progressSpellings),
	under("context", progressSpellings), progressSpellings, roleSpellings)

// sendHints fill what nothing else in the message says.
var sendHints = []spelling{
	{"target.reason", "task", asText},
	{"task_title", "task", asText},
	{"subject", "title", asTopic},
	{"subject", "task", asTopic},
	{"metadata.parent_handoff", "parent", asOwnID},
	{"parent_handoff", "parent", asOwnID},
	{"parent_task", "parent", asOwnID},
}

// handoffSpellings name one handoff, and holderSpellings also prove the right to work on it.
var (
	handoffSpellings = []spelling{
		{"handoff_id", "handoff_id", asText},
		{"id", "handoff_id", asText},
	}
	holderSpellings = append(slices.Clip(handoffSpellings), spelling{"token", "claim_token", asText})
)

var workflowSpellings = []spelling{{"workflow_id", "workflow", asText}}

var completeSpellings = slices.Concat(letterheadSpellings, holderSpellings, []spelling{
	{"source.phase", "origin.source.phase", asSideText},
	{"completion_id", "origin.completion_id", asText},
	{"checkpoint_id", "origin.checkpoint_id", asText},
	{"status", "origin.status", asText},
	{"deliverables", "deliverables", asDescribed},
	{"verification.criteria", "verification.criteria", asCriteria},
	{"verification.acceptance_criteria_met", "verification.criteria", asCriteriaMet},
	{"notes", "notes", asLines},
})

var failSpellings = slices.Concat(letterheadSpellings, holderSpellings, []spelling{
	{"version", "origin.version", asText}, // also whole numbers: a failure has no payload
	{"source.phase", "origin.source.phase", asSideText},
	{"agent_id", "origin.source.agent_id", asSideText},
	{"failure_id", "origin.failure_id", asText},
	{"checkpoint_id", "origin.checkpoint_id", asText},
	{"status", "origin.status", asText},
	{"failure.type", "type", asText},
	{"failure.description", "description", asText},
	{"failure.blockers", "blockers", asDescribed},
	{"failure.partial_progress", "partial_progress", asIs},
	{"failure", "description", asText},
	{"blockers", "blockers", asDescribed},
	{"rollback_request.target_agent", "rollback_to", asText},
	{"rollback_request.reason", "reason", asText},
	{"rollback_request.questions", "questions", asLines},
})

// failHints know the rejection among the acknowledgements of the agent handoff protocols.
var failHints = []spelling{{"status", "outcome", asRejection}}

var updateSpellings = slices.Concat(holderSpellings, []spelling{
	{"reason", "note", asText},
	{"status", "action", asConditional},
	{"conditions.estimated_completion", "conditions.estimated_completion", asMinutes},
	{"conditions.estimated_completion_ms", "conditions.estimated_completion", asMillis},
})

// under gives the rows with their foreign side inside an object.
func under(object string, rows []spelling) []spelling {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].from = object + "." + rows[i].from
	}
	return rows
}
