package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// CommandSpelling describes how a command makes calls of a tool. It turns an advised call into a command line.
type CommandSpelling struct {
	Tool    string
	Command string    // as "agents register"
	When    Arguments // arguments that this command implies; nil for any value of one
	Places  []string  // arguments without a flag, in their order
	Fields  []Field
	Usage   map[string]string // how the command line gives arguments that no single flag sets
}

// FormatAdvice returns advice for a user of commands: the command line of the advised call, and its effect.
func (a *App) FormatAdvice(next schemas.Advice) string {
	if next.Tool == "" {
		return next.Say
	}
	return a.CommandLine(next, a.CallerFlags()) + " " + next.Say + "."
}

// CommandLine returns an advised call as a command line. It leaves out the arguments in unsaid, and takes the first
// spelling that can express all other arguments. If no spelling fits, it returns "handoff call" with all arguments. The
// parameter flags holds the flags for the caller and the workspace. It begins with a space, or is empty.
func (a *App) CommandLine(call schemas.Advice, flags string, unsaid ...string) string {
	for _, s := range a.Spellings() {
		args := Arguments{}
		if s.Tool != call.Tool || json.Unmarshal(call.Args, &args) != nil {
			continue
		}
		if act := args["action"]; act == string(schemas.ActApprove) || act == string(schemas.ActRefuse) {
			flags = a.HumanFlags()
		}
		for _, name := range unsaid {
			delete(args, name)
		}
		criteria := removeCriteria(args)
		if line, ok := s.commandLine(args, flags); ok {
			return line + criteria
		}
	}
	return "handoff call " + call.Tool + " " + ShellWord(string(call.Args)) + flags
}

// removeCriteria removes the criteria from the arguments of a completion, and returns flags in which [schemas.Blank]
// stands for each answer. Only the holder knows which criteria are met.
func removeCriteria(args Arguments) (flags string) {
	v, _ := args["verification"].(map[string]any)
	criteria, _ := v["criteria"].([]any)
	if len(v) != 1 || len(criteria) == 0 {
		return ""
	}
	delete(args, "verification")
	const named = 3 // more only make the line long
	for n := range min(len(criteria), named) {
		flags += fmt.Sprintf(" --met '%d=%s'", n+1, schemas.Blank)
	}
	if len(criteria) > named {
		flags += " " + schemas.Blank
	}
	return flags
}

// AdviceOf returns the advice of a result.
func AdviceOf(result json.RawMessage) []schemas.Advice {
	var r struct{ Next []schemas.Advice }
	_ = json.Unmarshal(result, &r) // a result without advice may have any form
	return r.Next
}

// commandLine returns arguments as a command line. Ok is false if the spelling cannot express all of the arguments.
func (s CommandSpelling) commandLine(args Arguments, flags string) (line string, ok bool) {
	for name, must := range s.When {
		if value, given := args.remove(name); !given || must != nil && value != must {
			return "", false
		}
	}
	line = "handoff " + s.Command
	for _, name := range s.Places {
		if value, given := args.remove(name); given {
			line += " " + ShellWord(fmt.Sprint(value)) + flags
			flags = ""
		}
	}
	line += flags
	for _, f := range s.Fields {
		if f.fixed != "" && args[f.path] != f.fixed {
			continue
		}
		value, given := args.remove(f.path)
		switch truth, isSwitch := value.(bool); {
		case f.fixed != "":
			line += " --" + f.Flag
		case isSwitch:
			line += fmt.Sprintf(" --%s=%t", f.Flag, truth)
		case given:
			for _, text := range f.flagTexts(value) {
				line += " --" + f.Flag + " " + ShellWord(text)
			}
		}
	}
	return line, len(args) == 0
}

// flagTexts returns the values of the flag for an argument, one text for each use of the flag.
func (f Field) flagTexts(value any) []string {
	list, several := value.([]any)
	switch {
	case !several:
		return []string{schemas.ValueText(value)}
	case f.form.kind == kindWords:
		return []string{strings.Join(schemas.FormatAll(list), ",")}
	}
	return schemas.FormatAll(list)
}

// remove removes the value at a path, and then the objects on the path that are empty.
func (args Arguments) remove(path string) (value any, ok bool) {
	name, rest, within := strings.Cut(path, ".")
	value, ok = args[name]
	if within {
		object, _ := value.(map[string]any)
		if value, ok = Arguments(object).remove(rest); !ok || len(object) > 0 {
			return value, ok
		}
	}
	delete(args, name)
	return value, ok
}

// CallerFlags returns the flags with which an advised command line acts as the same agent in the same workspace. It
// leaves out flags that the environment sets. The result begins with a space, or is empty.
func (a *App) CallerFlags() string {
	return a.FlagUnlessInEnvironment("agent", a.Agent) + a.WorkspaceFlags()
}

// HumanFlags returns the flags of [App.CallerFlags] for a command that only human may use.
func (a *App) HumanFlags() string {
	if by, _ := a.Caller(false); by.Agent == schemas.Human {
		return a.CallerFlags()
	}
	return a.FlagUnlessInEnvironment("agent", string(schemas.Human)) + a.WorkspaceFlags()
}

// WorkspaceFlags returns the flags of [App.CallerFlags] that name the workspace.
func (a *App) WorkspaceFlags() string {
	return a.FlagUnlessInEnvironment("dir", a.Dir) + a.FlagUnlessInEnvironment("workspace", a.Workspace)
}

// FlagUnlessInEnvironment returns a flag with its value, after a space. It returns "" if the value is empty, or if the
// environment sets this value.
func (a *App) FlagUnlessInEnvironment(name, value string) string {
	if value == "" || value == a.Getenv("HANDOFF_"+strings.ToUpper(name)) {
		return ""
	}
	return " --" + name + " " + ShellWord(value)
}

// ShellWord returns a word in the syntax of a shell. It puts [schemas.Blank] into quotes, because the user replaces it
// by words.
func ShellWord(word string) string {
	if word == schemas.Blank {
		return "'" + word + "'"
	}
	return shell.Quote(schemas.EscapeHidden(word))
}
