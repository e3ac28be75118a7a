package doctor

import (
	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/cmd/handoff/internal/consent"
	"handoff/schemas"
)

// ExamineAgentFiles examines the files that declare agents, and the permissions for the rules in these files. If a file
// is broken, the workspace keeps the last valid declarations of the file.
func ExamineAgentFiles(files []agentsfile.File, given consent.PermissionBook, sh CommandBuilder) (all []Finding) {
	declared := 0
	for _, f := range files {
		said, problems := f.Read()
		declared += len(said.Agents)
		if len(problems) > 0 {
			all = append(all, warning(aboutAgents, "%s", problems[0]).withCommand(sh.commandLine("agents check")))
		} else if how, waits := f.LacksPermission(said, given); waits {
			all = append(all, warning("leave", "%s", how).withCommand(sh.commandLine("allow")))
		}
	}
	if len(all) == 0 && declared > 0 {
		return []Finding{ok(aboutAgents, "%s declared by files", schemas.CountNoun(declared, "agent"))}
	}
	return all
}
