package main

import "strings"

// Messages are written for callers of the tools; people call commands.
var toCommands = strings.NewReplacer(
	"claim_handoff", "handoff claim",
	"complete_handoff", "handoff complete",
	"fail_handoff", "handoff fail",
	"get_handoff", "handoff show",
	"handoff_history", "handoff history",
	"list_agents", "handoff agents",
	"list_handoffs with box all", "handoff list --all",
	"list_handoffs with box notices", "handoff list --box notices",
	"list_handoffs", "handoff list",
	"register_agent", "handoff agents register",
	"send_handoff", "handoff send",
	"update_handoff", "handoff update",
	"claim_token", "--token",
)

func inCommands(text string) string { return toCommands.Replace(text) }
