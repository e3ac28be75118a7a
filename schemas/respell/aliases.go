package respell

import (
	"reflect"
	"slices"
	"strings"

	"handoff/schemas"
)

// An aliasRow says which argument a field of a foreign message becomes, and how to read its value. Paths are dotted and
// in snake_case. A field in camelCase counts as the same field. Rows are applied in order, so the earlier of two rows
// for one argument fills it. The field `from` of a row may list several paths; expandRows makes one row for each.
type aliasRow struct {
	from string     // path in the message, or several; the same as to if only the value is converted
	to   string     // path of our argument; "" if the value goes to the overflow path of its table
	read conversion // how to read the value, and how to resolve a conflict with a value at to
}

// headerAliases are the rows for the header of a foreign message. The fields of the header go to origin and never
// become arguments.
var headerAliases = []aliasRow{
	{"timestamp", "origin.timestamp", asSideText},
	{"version", "origin.version", asFormatVersion},
	{"source.agent_id", "origin.source.agent_id", asSideText},
	{"source.agent source from_agent from", "origin.source.agent", asSideText},
}

// placementAliases are the rows for the fields that say where a handoff belongs (such as its recipient, priority and
// deadline). They know the forms of the agent handoff protocols, the handoff protocol agent, kernl, and stored handoffs
// of our own.
var placementAliases = []aliasRow{
	{"handoff_id", "origin.handoff_id", asText},
	{"status", "origin.status", asText},
	{"schema metadata.retry_of", "", asSideText},
	{"target.phase", "options.phase", asText},
	{"source.phase phase", "options.phase", asSideText}, // both ends may have a phase, and the work is in the target's
	{"target.agent target.agent_id", "to", asText},
	{"target.capability", "to", asCapability},
	{"target.role", "to", asRole},
	{"target.agent_type", "to", asYieldingText},
	{"target.reason", "options.reason", asText},
	{"target to_agent metadata.target_agent", "to", asText},
	{"metadata.source_agent", "origin.source.agent", asSideText},
	{"metadata.timestamp metadata.created_at", "origin.timestamp", asSideText},
	{"metadata.priority priority urgency importance", "priority", asPriority},
	{"metadata.deadline", "deadline", asText},
	{"metadata.not_before", "options.not_before", asText},
	{"metadata.workflow_id workflow_id", "workflow", asText},
	{"metadata.parent_handoff parent_handoff parent_task", "origin.parent_handoff", asSideText},
	{"metadata.depth", "origin.depth", asIs},
	{"metadata.attempt", "options.attempt", asCount},
	{"metadata.max_attempts max_attempts", "options.max_attempts", asIs},
	{"metadata.after", "options.after", asIs},
	{"metadata.strategy", "options.strategy", asIs},
	{"metadata.limits", "options.limits", asIs},
	{"metadata.estimated_tokens", "", asIs},
	{"max_handoffs", "options.limits.max_handoffs", asIs},
	{"requirements", "options.requirements", asLines},
}

// assignmentAliases are the rows for the task. taskAliases are the rows for a task that is an object, as the agent
// handoff protocols write it; our task is a text.
var (
	assignmentAliases = []aliasRow{
		{"message description", "task", asText},
		{"task_title", "title", asSideText},
		{"subject", "origin.subject", asText},
		{"task_id id", "options.task_id", asSideText},
		{"handoff_type", "options.kind", asSideText},
		{"type", "type", asMessage},
		{"kind", "type", asMessage},
		{"kind", "options.kind", asKind},
		{"kind issue_type", "", asIs}, // the latter is from an issue tracker, and no agent declares to accept it
	}
	taskAliases = []aliasRow{
		{"task.description", "task", asText},
		{"task.title", "title", asSideText},
		{"task.type", "type", asText},
		{"task.id", "options.task_id", asSideText},
		{"task.requirements", "options.requirements", asLines},
	}
)

// contextAliases are the rows for the context of the agent handoff protocols and of the handoff protocol agent. They
// know the three ways in which these protocols transfer context: in full, summarized, and by reference.
var contextAliases = []aliasRow{
	{"context.summary context.background context", "summary", asText},
	{"context.task_id", "options.task_id", asSideText},
	{"context.completed_steps", "context.completed_steps", asLines},
	{"context.intermediate_results", "context.results", asIs},
	{"context.partial_result", "context.results.partial_result", asIs},
	{"context.decisions", "context.decisions", asDecisions},
	{"context.files context.relevant_files context.file_references", "context.files", asFiles},
	{"context.memories context.relevant_memories", "context.memories", asLines},
	{"context.context_url", "context.references", asReference},
	{"attachments attachment context.attachments", "context.references", asAttachments},
	{"context.key_points", "context.references", asKeyPoints},
	{"context.rollback_reason", "context.previous_failures", asLines},
	{"context._transfer_type", "options.strategy", asStrategy},
	{"context._transfer_type context._token_estimate context._original_tokens context._summary_tokens", "", asIs},
	{"expectations.success_criteria", "expectations.success_criteria", asPoints},
	{"expectations.output_format", "expectations.output_schema", asIs},
	{"expectations.timeout", "expectations.timeout", asMinutes},
	{"expectations.timeout_ms timeout_ms", "expectations.timeout", asMillis},
	{"expectations.estimated_duration", "expectations.estimated_duration", asMinutes},
}

// progressAliases are the rows for the fields of the explicit handoff coordination plan that tell about earlier and
// later work. In a mail these fields are in context. In a task they are in agent_context and handoff_instructions. In
// both they may also be at the top of the message.
var progressAliases = []aliasRow{
	{"work_completed", "context.completed_steps", asLines},
	{"files_modified", "context.files", asFiles},
	{"implementation_notes notes_from_implementer notes", "detail", asParagraphs},
	{"known_issues potential_issues", "context.known_issues", asLines},
	{"previous_failures", "context.previous_failures", asLines},
	{"reproduction_steps", "context.reproduction_steps", asLines},
	{"test_script", "context.test_command", asYieldingText},
	{"test_command", "context.test_command", asSideText},
	{"test_status", "context.state.test_status", asIs},
	{"previous_agent", "origin.source.agent", asYieldingText},
	{"attempts previous_attempts", "options.attempt", asCount},
	{"specialist_tags required_skills", "tags", asLines},
	{
		"expected_duration estimated_test_duration estimated_duration estimated_duration_minutes",
		"expectations.estimated_duration", asMinutes,
	},
}

// roleAliases are the rows that find the recipient of a message of the coordination plan if the message names no agent.
var roleAliases = []aliasRow{
	{"agent_role role context.role", "to", asYieldingRole},
	{"handoff_instructions.next_role next_role", "to", asYieldingRole}, // the role of the next agent
}

// termAliases returns the rows for the fields of [schemas.Terms] in our own stored handoffs.
func termAliases() (rows []aliasRow) {
	for name := range schemas.Fields(reflect.TypeFor[schemas.Terms]()) {
		rows = append(rows, aliasRow{"metadata." + name, "options." + name, asIs})
	}
	return rows
}

func sendAliases() []aliasRow {
	return expandRows(headerAliases, placementAliases, termAliases(), assignmentAliases, contextAliases,
		withParent("handoff_instructions", progressAliases), withParent("agent_context", progressAliases),
		withParent("context", progressAliases), progressAliases, roleAliases)
}

// sendHints are rows that copy a field before another row moves the field away.
var sendHints = []aliasRow{
	{"target.reason", "task", asHint(asText)},
	{"task_title", "task", asHint(asText)},
	{"subject", "title", asHint(asTopic)},
	{"subject", "task", asHint(asTopic)},
	{"metadata.parent_handoff parent_handoff parent_task", "parent", asHint(asOwnID)},
	{"metadata.attempt agent_context.attempts attempts previous_attempts", "origin.attempt", asHint(asIs)},
	{"metadata.priority urgency importance priority", "origin.extra.priority", asHint(asForeignRank)},
}

// handoffAliases are the rows for the id of a handoff. getAliases and holderAliases are these rows and a row for the
// view, or for the claim token.
var (
	handoffAliases = []aliasRow{{"handoff_id id", "handoff_id", asText}}
	getAliases     = append(slices.Clip(handoffAliases), aliasRow{"view", "view", asView})
	holderAliases  = append(slices.Clip(handoffAliases), aliasRow{"token", "claim_token", asText})
)

// listAliases are the rows for the arguments of a list; they know the names of states in other systems, and filters
// that are an object.
var listAliases = []aliasRow{
	{"workflow_id filter.workflow filter.workflow_id where.workflow", "workflow", asText},
	{"status", "status", asStatusFilter},
	{"filter.status filters.status where.status", "status", asStatusFilter},
	{"filter.box filters.box where.box", "box", asText},
	{"filter.type filters.type where.type", "type", asText},
	{"filter.tags filters.tags where.tags", "tags", asIs},
	{"filter.since filters.since where.since", "since", asText},
	{"filter.query filter", "query", asText},
}

// registerAliases are the rows for the skills in the agent cards of other protocols.
var registerAliases = []aliasRow{{"accepts", "accepts", asNames}, {"skills", "skills", asNames}}

var workflowAliases = []aliasRow{{"workflow_id", "workflow", asText}}

var completeAliases = slices.Concat(headerAliases, holderAliases, []aliasRow{
	{"source.phase", "origin.source.phase", asSideText},
	{"completion_id", "origin.completion_id", asText},
	{"checkpoint_id", "origin.checkpoint_id", asText},
	{"outcome", "outcome", asEndWord},
	{"status", "origin.status", asEndWord},
	{"next_agent handoff.next_agent handoff.to_agent", "continuation.to", asText},
	{"handoff.context handoff.task", "continuation.task", asText},
	{"handoff.context", "continuation.context", asIs},
	{"handoff", "handoff_id", asText},
	{"deliverables", "deliverables", asDescribed},
	{"verification.criteria", "verification.criteria", asCriteria},
	{"verification.acceptance_criteria_met", "verification.criteria", asCriteriaMet},
	{"notes", "notes", asLines},
})

var failAliases = slices.Concat(headerAliases, holderAliases, []aliasRow{
	{"status", "outcome", asHint(asRejection)}, // as in an acknowledgement of the agent handoff protocols
	{"version", "origin.version", asText},      // also whole numbers: a failure has no payload
	{"source.phase", "origin.source.phase", asSideText},
	{"agent_id", "origin.source.agent_id", asSideText},
	{"failure_id", "origin.failure_id", asText},
	{"checkpoint_id", "origin.checkpoint_id", asText},
	{"status", "origin.status", asText},
	{"failure.type", "type", asText},
	{"failure.description", "description", asText},
	{"failure.blockers", "blockers", asBlockers},
	{"failure.partial_progress", "partial_progress", asIs},
	{"failure error", "description", asText},
	{"error.message", "description", asYieldingText},
	{"error.code error.type", "type", asYieldingText},
	{"errors", "description", asParagraphs},
	{"blockers", "blockers", asBlockers},
	{"rollback_request.target_agent", "rollback_to", asText},
	{"rollback_request.reason", "reason", asText},
	{"rollback_request.questions", "questions", asLines},
})

var updateAliases = slices.Concat(holderAliases, []aliasRow{
	{"reason", "note", asText},
	{"status", "action", asConditional},
	{"action", "action", asAction},
	{"note", "note", asParagraphs},
	{"conditions.estimated_completion", "conditions.estimated_completion", asMinutes},
	{"conditions.estimated_completion_ms estimated_completion_ms", "conditions.estimated_completion", asMillis},
	{"timestamp", "origin.timestamp", asSideText},
	{"agent_id", "origin.source.agent_id", asSideText},
})

// withParent returns the same rows for fields that are inside the given object of the message.
func withParent(object string, rows []aliasRow) []aliasRow {
	rows = expandRows(rows)
	for i := range rows {
		rows[i].from = object + "." + rows[i].from
	}
	return rows
}

// expandRows returns the rows of all tables, in order. It replaces a row with several paths by one row for each path.
func expandRows(tables ...[]aliasRow) (rows []aliasRow) {
	for _, row := range slices.Concat(tables...) {
		for from := range strings.FieldsSeq(row.from) {
			rows = append(rows, aliasRow{from, row.to, row.read})
		}
	}
	return rows
}
