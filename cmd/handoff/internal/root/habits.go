package root

// suggestions maps words that users of gh, jj, kubectl or a shell may type to commands of handoff. The program suggests
// the command and does not run it. So scripts use only one name for each command.
var suggestions = map[string][]string{
	"agents":    {"who", "roster", "members", "register", "whoami"},
	"answer":    {"reply", "respond"},
	"approve":   {"permit", "yes", "confirm"},
	"assign":    {"move", "mv", "redirect", "transfer", "reassign", "delegate", "route"},
	"cancel":    {"delete", "del", "rm", "remove", "kill", "abort", "close", "stop", "abandon", "drop"},
	"claim":     {"take", "pick", "next", "start", "work", "pull"},
	"complete":  {"done", "finish", "resolve", "ok"},
	"doctor":    {"diagnose", "check", "fix"},
	"edit":      {"modify", "change", "amend", "rename"},
	"fail":      {"reject", "decline", "giveup", "block"},
	"history":   {"log", "story", "tree", "graph", "chain"},
	"inbox":     {"mail", "notices", "notifications", "messages"},
	"list":      {"ls", "ps", "queue", "tasks", "ll", "open"},
	"logs":      {"journal", "debug"},
	"recall":    {"unsend", "undo", "retract"},
	"refuse":    {"disallow", "no", "disapprove"},
	"retry":     {"rerun", "again", "redo", "restart"},
	"search":    {"find", "grep", "query"},
	"send":      {"create", "new", "add", "submit", "message", "push"},
	"setup":     {"init", "install", "configure", "config"},
	"show":      {"get", "view", "describe", "cat", "info", "read"},
	"status":    {"st", "summary", "overview", "dashboard", "top"},
	"update":    {"note", "progress", "ask", "comment", "set", "release", "report"},
	"wait":      {"await", "join"},
	"watch":     {"tail", "follow", "events", "stream"},
	"where":     {"pwd", "path"},
	"workspace": {"workspaces", "namespace", "ns"},
}
