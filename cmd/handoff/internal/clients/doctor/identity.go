package doctor

import (
	"context"

	"handoff/cmd/handoff/internal/identity"
	"handoff/schemas"
	"handoff/tools"
)

// CallerFacts holds the facts about the caller of a command.
type CallerFacts struct {
	By    schemas.Caller    // without a name if nothing tells it
	Named bool              // by a flag or a variable; false if found by other signs
	Shell schemas.SessionIn // what commands in this shell tell the mailbox about their session
}

// FindCaller returns the facts about the caller of a command. Name is the value of --agent or HANDOFF_AGENT.
func FindCaller(name string, getenv func(string) string, terminal bool) (s CallerFacts, err error) {
	s.Named = name != ""
	if s.By, err = identity.CommandCaller(name, getenv, terminal); err == nil {
		s.Shell = identity.SessionOfShell(s.By, getenv)
	}
	return s, err
}

// InvalidName returns the finding that the caller's name is not valid. If variable is true, the name comes from
// HANDOFF_AGENT, otherwise from --agent.
func InvalidName(err error, variable bool) Finding {
	f := failure(aboutIdentity, "%s", schemas.AsError(err).Message)
	if variable {
		return f.withCommand("unset HANDOFF_AGENT")
	}
	return f
}

// ExamineSharedNames finds names under which several client sessions act, and sessions whose client started several
// servers. Both work, but people may not expect it.
func ExamineSharedNames(ctx context.Context, by schemas.Caller, boxes tools.Invoker) (all []Finding) {
	asked := schemas.AgentsIn{Limit: 1000} // live agents come first
	out, err := tools.InvokeTyped[schemas.AgentsOut](ctx, boxes, tools.Call{Caller: by, Tool: "list_agents"}, asked)
	if err != nil {
		return nil // [ExamineHandoffs] says why the workspace does not answer
	}
	for _, c := range out.Agents {
		switch {
		case c.Sessions > 1:
			all = append(all, warning(aboutIdentity, "%d sessions act as %s: its mail goes to the one that asks first", c.Sessions, c.Name))
		case c.Servers > 1:
			all = append(all, ok(aboutIdentity, "%d servers of one client session share the name %s and its mail", c.Servers, c.Name))
		}
	}
	return all
}

// ExamineIdentity examines the agent name under which commands act in this shell. In the shell of a coding agent it
// asks the workspace for the client session of the shell. Boxes is nil if the workspace cannot be asked.
func ExamineIdentity(ctx context.Context, s CallerFacts, boxes tools.Invoker) Finding {
	switch {
	case s.Named:
		return ok(aboutIdentity, "commands act as %s: --agent or HANDOFF_AGENT says so", s.By.Agent)
	case s.By.Agent == "":
		return skipped(aboutIdentity,
			"nothing says under which name to act, so that commands only read: HANDOFF_AGENT or --agent does")
	case s.By.Agent == schemas.Human:
		return ok(aboutIdentity, "commands act as human: somebody is at the terminal, and no coding agent")
	case boxes == nil:
		return ok(aboutIdentity, "commands act as %s or a numbered name of it: this is its shell", s.By.Agent)
	}
	out, err := tools.InvokeTyped[schemas.SessionOut](ctx, boxes, tools.Call{Caller: s.By, Tool: "session_name"}, s.Shell)
	switch {
	case err != nil:
		return warning(aboutIdentity, "commands do not act at all: %v: HANDOFF_AGENT or --agent names one", err)
	case out.Agent != s.By.Agent:
		return ok(aboutIdentity, "commands act as %s: this is the shell of one of several sessions of %s",
			out.Agent, s.By.Agent)
	}
	return ok(aboutIdentity, "commands act as %s: this is its shell", s.By.Agent)
}
