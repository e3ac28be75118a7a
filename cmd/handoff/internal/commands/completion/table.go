package completion

import (
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// completions say with what a shell completes the first argument of a command, as "claim", and the others if they are
// alike; a flag of every command that has it, as "--agent"; or the flag of one command where others mean something
// else by it, as "fail --type".
var completions = map[string]completer{
	"agents register":  agents,
	"approve":          openHandoffs,
	"call":             toolNames,
	"cancel":           openHandoffs,
	"claim":            openHandoffs,
	"complete":         openHandoffs,
	"completion":       words(shells...),
	"doctor":           clientNames,
	"fail":             openHandoffs,
	"history":          chains,
	"hook":             words(client.Events...),
	"refuse":           openHandoffs,
	"send":             recipients,
	"setup":            clientNames,
	"show":             openHandoffs,
	"token revoke":     tokenNames,
	"update":           openHandoffs,
	"wait":             openHandoffs,
	"workspace adopt":  workspaceNames,
	"workspace remove": workspaceNames,

	"--after":       commaSeparated(openHandoffs),
	"--agent":       agents,
	"--agents":      commaSeparated(agents),
	"--alternative": agents,
	"--box":         words("inbox", "claimed", "sent", "notices", "all"),
	"--capability":  capabilities,
	"--dir":         directories,
	"--file":        files,
	"--for":         agents,
	"--log-format":  words("text", "json"),
	"--log-level":   words("debug", "info", "warn", "error"),
	"--next":        recipients,
	"--no-takers":   words("wait", "return", "generalist", "human"),
	"--on-failure":  recipients,
	"--parent":      openHandoffs,
	"--priority":    words(schemas.Priorities...),
	"--role":        roles,
	"--agent-role":  roles,
	"--rollback-to": agents,
	"--status":      words(schemas.Statuses...),
	"--strategy":    words("full", "summary", "reference"),
	"--then":        words("rollback", "retry", "escalate", "stop"),
	"--tls-cert":    files,
	"--tls-key":     files,
	"--to":          recipients,
	"--type":        workTypes,
	"--workflow":    workflows,
	"--workspace":   workspaceNames,

	"fail --type":       words("blocker", "missing_information", "capability", "test_failure", "environment", "timeout", "policy"),
	"hook --client":     words(client.WithHooks()...),
	"setup --scope":     words(client.User, client.Project),
	"token add --scope": words(schemas.ScopeRead, schemas.ScopeAgent, schemas.ScopeAdmin),
}
